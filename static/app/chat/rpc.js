// JSON-RPC 2.0 over one WebSocket. It knows nothing of sessions.

/** An error that the server answered with. */
export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data ?? {};
  }

  /** The stable name of the error, such as session_busy. */
  get name() {
    return this.data.code ?? String(this.code);
  }
}

/** The connection ended before the answer came: nobody knows whether the request was carried out. */
export class Closed extends Error {
  constructor() {
    super("the connection ended");
  }
}

/**
 * One open connection. handlers.notification(method, params) hears what the server tells;
 * handlers.request(method, params, signal) answers what it asks, and signal aborts when it no longer wants to know.
 */
export class Rpc {
  #socket;
  #handlers;
  #next = 1;
  #waiting = new Map();
  #asked = new Map();

  constructor(socket, handlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.addEventListener("message", (event) => this.#receive(event.data));
    socket.addEventListener("close", () => this.#end());
  }

  get open() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  request(method, params) {
    if (!this.open) return Promise.reject(new Closed());
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method, params) {
    if (this.open) this.#send({ jsonrpc: "2.0", method, params });
  }

  close() {
    this.#socket.close(1000);
  }

  #send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }

  #receive(data) {
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return; // not ours to mend; the rows are numbered, so a lost one shows
    }
    if (frame.method === undefined) this.#answered(frame);
    else if (frame.id !== undefined) this.#serve(frame);
    else if (frame.method === "$/cancel_request") this.#asked.get(frame.params?.requestId)?.abort();
    else this.#handlers.notification(frame.method, frame.params ?? {});
  }

  #answered(frame) {
    const waiting = this.#waiting.get(frame.id);
    if (!waiting) return;
    this.#waiting.delete(frame.id);
    if (frame.error) waiting.reject(new RpcError(frame.error));
    else waiting.resolve(frame.result);
  }

  async #serve({ id, method, params }) {
    const abort = new AbortController();
    this.#asked.set(id, abort);
    let frame;
    try {
      frame = { jsonrpc: "2.0", id, result: await this.#handlers.request(method, params ?? {}, abort.signal) };
    } catch (error) {
      const known = error instanceof RpcError;
      frame = { jsonrpc: "2.0", id, error: { code: known ? error.code : -32603, message: error.message } };
    }
    this.#asked.delete(id);
    if (this.open) this.#send(frame);
  }

  #end() {
    for (const abort of this.#asked.values()) abort.abort();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Closed());
  }
}

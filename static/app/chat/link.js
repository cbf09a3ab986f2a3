// The connection to /acp that comes back by itself, with jitter, so that all clients of a restarted server do not return
// in one second. Liveness is the server's business (it pings); this only probes after the machine slept.

import { Rpc } from "./rpc.js";

const FIRST_DELAY = 500;
const LONGEST_DELAY = 30000;
const PROBE_WITHIN = 3000;
const OPEN_WITHIN = 15000;

/** Close codes from 4500 on say: do not come back. */
const FINAL = new Map([
  [4501, "This session was deleted."],
  [4502, "You may not use this session any more."],
  [4503, "This page and the server do not understand each other. Reload the page."],
  [4504, "Too many connections of yours are open. Close other tabs, then reload."],
]);

/**
 * Keeps a connection. hooks:
 *   handlers       for Rpc
 *   ready(rpc)     after each opening; may be asynchronous, and "live" is said when it is done
 *   state(s, info) s is connecting, live, waiting (info.until) or down (info.reason)
 *   probe(rpc)     any request; an answer of whatever kind shows that the connection is alive
 */
export class Link {
  #hooks;
  #rpc = null;
  #attempt = 0;
  #timer = 0;
  #ended = false;

  constructor(hooks) {
    this.#hooks = hooks;
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#wake();
    });
  }

  get rpc() {
    return this.#rpc;
  }

  start() {
    if (this.#ended) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#hooks.state("connecting", { attempt: this.#attempt });
    const address = new URL("/acp", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address, ["acp.v1"]);
    const patience = setTimeout(() => socket.close(), OPEN_WITHIN);
    let opened = false;
    socket.addEventListener("open", () => {
      opened = true;
      clearTimeout(patience);
      this.#opened(socket);
    });
    socket.addEventListener("close", (event) => {
      clearTimeout(patience);
      this.#closed(event, opened);
    });
  }

  /** Tries again now instead of waiting. */
  retry() {
    if (this.#timer && !this.#ended) this.start();
  }

  async #opened(socket) {
    const rpc = new Rpc(socket, this.#hooks.handlers);
    this.#rpc = rpc;
    try {
      await this.#hooks.ready(rpc);
      if (this.#rpc !== rpc) return;
      this.#attempt = 0;
      this.#hooks.state("live", {});
    } catch (error) {
      // A refusal is told by the hook; whatever it was, a new connection starts from the beginning.
      if (this.#rpc === rpc && rpc.open) rpc.close();
    }
  }

  async #closed(event, opened) {
    this.#rpc = null;
    if (this.#ended) return;
    if (event.code >= 4500) {
      this.end(FINAL.get(event.code) ?? event.reason ?? "The server closed the connection.");
      return;
    }
    // A refused handshake tells a browser nothing, so the sign-in is asked for over HTTP.
    if (!opened || event.code === 4003) await this.#checkSignIn();
    if (this.#ended) return;
    const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** this.#attempt++);
    const delay = longest * (0.5 + Math.random() / 2);
    this.#hooks.state("waiting", { until: Date.now() + delay, attempt: this.#attempt });
    this.#timer = setTimeout(() => this.start(), delay);
  }

  async #checkSignIn() {
    const answer = await fetch("/fragments/sessions").catch(() => null);
    if (answer?.status === 401) {
      this.end("You are signed out.");
      location.assign("/login");
    }
  }

  /** Gives up for good. */
  end(reason) {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#hooks.state("down", { reason });
  }

  /** After a sleep a socket can say that it is open and be dead. */
  async #wake() {
    if (this.#timer) {
      this.retry();
      return;
    }
    const rpc = this.#rpc;
    if (!rpc?.open) return;
    const late = new Promise((resolve) => setTimeout(() => resolve("late"), PROBE_WITHIN));
    const answer = await Promise.race([this.#hooks.probe(rpc).then(() => "alive", () => "alive"), late]);
    if (answer === "late" && this.#rpc === rpc) rpc.close();
  }
}

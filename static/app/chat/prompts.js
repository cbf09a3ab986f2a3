// Messages on their way. Each has a key of its own, so that sending it again after a lost connection attaches to the turn
// it began instead of paying for a second one.

import { Closed, RpcError } from "./rpc.js";
import { Composer } from "./composer.js";
import { notice } from "./say.js";
import { toEnd } from "./scroll.js";
import * as timeline from "./timeline.js";
import * as turns from "./turns.js";

const USAGE = "tidemark/usage";

export class Prompts {
  #open = null;

  /** deps: rpc() or null, session(rpc) resolving to the id, restore(text) */
  constructor(deps) {
    this.deps = deps;
  }

  /** Whether a message of this page has no answer yet. */
  get active() {
    return this.#open !== null;
  }

  send(text) {
    const prompt = { text, key: crypto.randomUUID(), command: Composer.isCommand(text) };
    timeline.sending(text, prompt.command);
    toEnd();
    if (!prompt.command) this.#open = prompt;
    this.#run(prompt);
  }

  /** The connection is back: whatever has no answer is asked for again. */
  again() {
    if (this.#open) this.#run(this.#open);
  }

  async #run(prompt) {
    const rpc = this.deps.rpc();
    if (!rpc) {
      if (prompt.command) this.#refused(prompt, "There is no connection at the moment.");
      return; // again() comes with the connection
    }
    try {
      const sessionId = await this.deps.session(rpc);
      const answer = await rpc.request("session/prompt", {
        sessionId,
        prompt: [{ type: "text", text: prompt.text }],
        _meta: { "tidemark/idempotencyKey": prompt.key },
      });
      this.#done(prompt);
      if (!prompt.command) turns.ended(answer.stopReason, answer._meta?.[USAGE]);
    } catch (error) {
      this.#failed(prompt, error);
    }
  }

  #done(prompt) {
    if (this.#open === prompt) this.#open = null;
    timeline.settled();
  }

  #failed(prompt, error) {
    if (error instanceof Closed) {
      if (prompt.command) notice("The connection was lost; the command may not have run.");
      return;
    }
    this.#done(prompt);
    // With usage the turn ran and failed: its message is kept and stays in the conversation.
    if (error instanceof RpcError && error.data[USAGE]) turns.failed(error.message, error.data[USAGE]);
    else this.#refused(prompt, refusal(error));
  }

  #refused(prompt, why) {
    timeline.settled();
    if (!prompt.command) this.deps.restore(prompt.text);
    notice(why);
  }
}

/** Why a message was not taken, and what to do. */
function refusal(error) {
  switch (error.name) {
    case "session_busy":
      return "A turn is running in this session. Your message was not sent; it stands below again.";
    case "rate_limited":
      return "Too many messages at once. Wait a moment and send it again.";
    case "nothing_to_undo":
      return "There is no compaction to undo.";
    default:
      return `Not sent: ${error.message}.`;
  }
}

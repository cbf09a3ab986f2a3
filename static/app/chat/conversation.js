// One session as this page follows it: attaching, the numbers of its rows, what each row changes.

import { $ } from "./dom.js";
import * as gauge from "./gauge.js";
import * as say from "./say.js";
import * as timeline from "./timeline.js";
import { toEnd } from "./scroll.js";

const EXT = "tidemark/";

export class Conversation {
  running = false;
  #last = 0; // newest row seen
  #epoch = "";
  #loaded = false;
  #loading = false;
  #rpc = null;

  /** hooks: turn(state, mark), loaded(), commands(list), changed(), undo() */
  constructor(id, hooks) {
    this.id = id;
    this.hooks = hooks;
  }

  /** A new session begins: its rows follow from the first on. */
  begin(id) {
    this.id = id;
    this.#loaded = true;
  }

  /** Attaches on a new connection: from the last row on, or with the whole history. */
  async attach(rpc) {
    this.#rpc = rpc;
    if (!this.id) return;
    if (this.#loaded && (await this.#resume(rpc))) return;
    await this.#load(rpc);
  }

  #place() {
    return { sessionId: this.id, cwd: "/", mcpServers: [] };
  }

  async #resume(rpc) {
    const before = this.#last;
    const meta = { [`${EXT}after`]: this.#last, ...(this.#epoch ? { [`${EXT}epoch`]: this.#epoch } : {}) };
    const answer = await rpc.request("session/resume", { ...this.#place(), _meta: meta });
    const resume = answer._meta?.[`${EXT}resume`];
    if (!resume?.recovered) {
      say.resynced();
      return false;
    }
    say.caughtUp(this.#last - before);
    this.#stands(resume);
    return true;
  }

  async #load(rpc) {
    this.#loading = true;
    try {
      const answer = await rpc.request("session/load", this.#place());
      const resume = answer._meta?.[`${EXT}resume`] ?? {};
      this.#last = resume.head ?? 0;
      this.#epoch = resume.epoch ?? "";
      this.#loaded = true;
      this.#stands(resume);
    } finally {
      this.#loading = false;
    }
    toEnd();
    this.hooks.loaded();
  }

  /** How the session stands after it was attached: a turn may have ended, or begun, meanwhile. */
  #stands(resume) {
    if (!resume.turn) this.#settle();
    this.#setRunning(Boolean(resume.turn));
  }

  #setRunning(yes) {
    this.running = yes;
    const chip = $("state");
    chip.textContent = yes ? "running" : "idle";
    chip.className = `chip${yes ? " chip-sea" : ""}`;
    timeline.markUndo(!yes && $("chat").dataset.drive === "yes");
    this.hooks.turn(yes);
  }

  #settle() {
    timeline.endTools();
    timeline.finish();
  }

  /** Hears a notification of the server. */
  notification(method, params) {
    if (params.sessionId !== this.id) return;
    switch (method) {
      case "_tidemark/history":
        if (params.mark === "begin") timeline.reset();
        else timeline.finish();
        return;
      case "_tidemark/keepalive":
        if (params.seq) this.#counts(params.seq);
        return;
      case "_tidemark/turn":
        if (this.#isNew(params._meta)) this.#turn(params);
        return;
      case "session/update":
        if (this.#isNew(params._meta)) this.#update(params.update, params._meta ?? {});
    }
  }

  /** Whether a row is the next one. Updates without a number are part of a history, or a passing gauge. */
  #isNew(meta) {
    const seq = meta?.[`${EXT}seq`];
    if (seq === undefined) return true;
    if (this.#loading) return false; // the history that comes holds it
    this.#epoch = meta[`${EXT}epoch`] ?? this.#epoch;
    return this.#counts(seq);
  }

  /** A hole means that something was lost on the way: ask again from where we are. */
  #counts(seq) {
    if (seq <= this.#last) return false;
    if (seq > this.#last + 1) {
      this.#rpc?.close();
      return false;
    }
    this.#last = seq;
    return true;
  }

  #turn(mark) {
    if (mark.state === "started") {
      say.status("The agent is working");
      this.#setRunning(true);
    } else {
      this.#settle();
      this.#setRunning(false);
      say.status(mark.stopReason === "cancelled" ? "Stopped" : "The agent has finished");
    }
    this.hooks.changed(mark.state, mark._meta?.[`${EXT}turn`]);
  }

  #update(u, meta) {
    switch (u.sessionUpdate) {
      case "user_message_chunk":
        return timeline.userChunk(u.messageId, u.content);
      case "agent_message_chunk":
        // An answer of the server's own, to a command, belongs to no turn.
        return timeline.agentChunk(u.messageId, u.content, meta[`${EXT}seq`] !== undefined && !meta[`${EXT}turn`]);
      case "agent_thought_chunk":
        return timeline.thoughtChunk(u.messageId, u.content);
      case "tool_call":
      case "tool_call_update":
        return timeline.toolUpdate(u);
      case "compaction_update":
        return this.#compaction(u, meta);
      case "compaction_summary_chunk":
        return timeline.compactionChunk(u.compactionId, u.content);
      case "usage_update":
        return gauge.usage(u);
      case "available_commands_update":
        return this.hooks.commands(u.availableCommands ?? []);
      case "session_info_update":
        return this.#title(u.title);
      case "config_option_update":
        return this.#options(u.configOptions ?? []);
    }
  }

  #compaction(u, meta) {
    const marker = timeline.compactionUpdate(u, u._meta?.[`${EXT}compaction`], () => this.hooks.undo());
    if (meta[`${EXT}seq`] !== undefined && marker.spoken) say.status(marker.spoken);
    if (u.status === "completed" && meta[`${EXT}seq`] !== undefined) this.hooks.changed("compacted");
  }

  #title(title) {
    if (!title) return;
    $("title").textContent = title;
    document.title = `${title} · Tidemark`;
  }

  #options(list) {
    const model = list.find((o) => o.id === "model")?.currentValue;
    if (model) showModel(model);
  }
}

/** Shows which model answers. */
export function showModel(name) {
  const chip = $("model");
  chip.textContent = name;
  chip.hidden = false;
}

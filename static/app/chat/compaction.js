// The marker of a compaction at its place in the conversation: what was covered, before and after, what it cost.

import { $, blocksText, piece } from "./dom.js";
import { number, plural, usd, words } from "./format.js";

const TRIGGERS = {
  manual: "as asked",
  hard_cap: "forced by the hard cap",
  window: "the window was nearly full",
  overflow: "the provider refused the request as too long",
  precompact: "prepared ahead",
  repair: "a damaged summary was made again",
};

/** What took the place of the messages, in words. */
function what(r) {
  if (r.kind === "truncation") return `${plural(r.truncated_message_count, "old message", "old messages")} left out without a summary`;
  if (r.kind === "elision") return `${plural(r.elided_seqs?.length ?? 0, "old tool result", "old tool results")} replaced by notes`;
  const n = plural(r.span_message_count, "message", "messages");
  if (r.trigger === "fold") return `Earlier summaries of ${n} folded into one`;
  return `${n} summarised`;
}

function source(r) {
  if (r.cache_hit) return "from the summary cache";
  if (r.kind === "semantic") return "written by a model";
  if (r.kind === "mechanical") return "extracted without a model";
  return "";
}

function after(r) {
  return r.tokens_after_measured === null || r.tokens_after_measured === undefined
    ? `about ${number(r.tokens_after_estimate)}`
    : number(r.tokens_after_measured);
}

function kept(gate) {
  if (!gate) return "";
  const classes = Object.values(gate.classes ?? {});
  const sum = (key) => classes.reduce((n, c) => n + c[key], 0);
  return `${sum("kept")} of ${sum("total")} facts kept`;
}

function sentence(r) {
  const parts = [`${what(r)}: ${number(r.tokens_before)} → ${after(r)} tokens`, source(r), usd(r.cost_usd), kept(r.gate), TRIGGERS[r.trigger]];
  return parts.filter(Boolean).join(" · ");
}

export class CompactionMarker {
  #record = null;
  #summary = "";

  constructor(undo) {
    this.element = piece("tpl-compaction");
    this.#part("compaction-undo").addEventListener("click", undo);
  }

  #part(name) {
    return this.element.querySelector(`.${name}`);
  }

  /** Whether the model is sent the summary now. */
  get inForce() {
    return this.status === "completed" && this.#record?.outcome !== "undone" && !this.#record?.folded_into;
  }

  update(u, record) {
    this.status = u.status;
    if (record) this.#record = record;
    if (u.summary !== undefined) this.#summary = blocksText(u.summary ?? []);
    this.#draw(u.error);
  }

  /** Summary text while a model writes it. */
  chunk(text) {
    this.#summary += text;
    this.#part("compaction-summary").textContent = this.#summary;
    this.#part("compaction-more").hidden = false;
  }

  /** What to announce, "" for a change that nobody waits for. */
  get spoken() {
    if (this.status === "in_progress") return "Compacting the history";
    if (this.status === "failed") return "Compaction failed, the history is unchanged";
    if (this.status === "completed" && this.#record) return `Compacted, ${what(this.#record)}`;
    return "";
  }

  #draw(error) {
    const r = this.#record;
    const undone = r?.outcome === "undone";
    const [state, tone] = undone ? ["undone", "outline"] : CompactionMarker.#STATES[this.status] ?? [this.status, "violet"];
    const chip = this.#part("compaction-state");
    chip.textContent = state;
    chip.className = `chip compaction-state chip-${tone}`;
    this.element.dataset.state = state;
    this.#part("compaction-text").textContent = this.#text(r, error);
    const more = this.#part("compaction-more");
    more.hidden = this.#summary === "";
    this.#part("compaction-summary").textContent = this.#summary;
    if (r) this.#link(r);
  }

  static #STATES = {
    in_progress: ["compacting", "violet"],
    completed: ["compacted", "violet"],
    failed: ["not compacted", "coral"],
    cancelled: ["cancelled", "sand"],
  };

  #text(r, error) {
    if (!r) return error ?? "";
    switch (this.status) {
      case "in_progress":
        return `Compacting ${plural(r.span_message_count, "message", "messages")}, ${number(r.span_token_count_in)} tokens…`;
      case "failed":
        return `${error ? words(error) : "It failed"}. ${r.truncated_message_count > 0 ? "Old messages were left out." : "The history is unchanged."}`;
      case "cancelled":
        return "Stopped; the history is unchanged.";
      default:
        return sentence(r);
    }
  }

  #link(r) {
    const box = this.#part("compaction-record");
    if (box.firstElementChild || $("chat").dataset.ops !== "yes") return;
    const link = document.createElement("a");
    link.href = `/ops/s/${r.session_id}#pass-${r.id}`;
    link.textContent = "Whole record and what it covers";
    box.append(link);
  }

  showUndo(yes) {
    this.#part("compaction-undo").hidden = !yes;
  }
}

// The conversation as entries in order. It is rebuilt from messages, calls and compactions by their ids, so that a piece
// that comes twice is shown once.

import { $, blockText, clamp, piece } from "./dom.js";
import { copy, render } from "./markdown.js";
import { grew } from "./scroll.js";
import { ToolCard } from "./tools.js";
import { CompactionMarker } from "./compaction.js";

const entries = $("entries");
const messages = new Map();
const tools = new Map();
const compactions = new Map();
let pending = null;

/** Forgets everything: what follows is the whole conversation. */
export function reset() {
  entries.replaceChildren();
  for (const map of [messages, tools, compactions]) map.clear();
  pending = null;
}

/** Appends an entry; the message that waits for its acceptance stays last. */
function append(element) {
  $("welcome").hidden = true;
  if (pending && element !== pending) entries.insertBefore(element, pending);
  else entries.append(element);
  grew();
  return element;
}

function userEntry(text) {
  const element = piece("tpl-user");
  const part = element.querySelector(".text");
  part.textContent = text;
  append(element);
  clamp(part, element.querySelector(".more"));
  return element;
}

/** Shows a message that was sent and not accepted yet. A command stays as it is: the server keeps no row of it. */
export function sending(text, command) {
  const element = userEntry(text);
  if (command) return element;
  element.classList.add("pending");
  pending = element;
  return element;
}

/** Takes it away: it was accepted and comes as a row, or it was refused. */
export function settled() {
  pending?.remove();
  pending = null;
}

export function userChunk(id, content) {
  settled();
  const known = messages.get(id);
  if (known) {
    if (known.replayed) return;
    known.text += `\n${blockText(content)}`;
    known.element.querySelector(".text").textContent = known.text;
    return;
  }
  const text = blockText(content);
  messages.set(id, { element: userEntry(text), text, kind: "user" });
}

function agentMessage(id, note) {
  let message = messages.get(id);
  if (message) return message;
  const element = piece("tpl-agent");
  message = { element, body: element.querySelector(".body"), text: "", thought: "", kind: note ? "note" : "agent", drawn: "" };
  if (note) element.classList.add("note");
  messages.set(id, message);
  append(element);
  const button = element.querySelector(".copy");
  button.addEventListener("click", () => copy(button, message.text));
  return message;
}

/** Adds to an answer. While it grows it is text; finish draws it. */
export function agentChunk(id, content, note) {
  const message = agentMessage(id, note);
  message.text += blockText(content);
  // One text node that grows: no layout of the whole answer for each word.
  if (message.node?.isConnected) message.node.appendData(blockText(content));
  else {
    message.node = document.createTextNode(message.text);
    message.body.replaceChildren(message.node);
    message.body.classList.add("text");
  }
  message.element.querySelector(".entry-tools").hidden = false;
  grew();
}

export function thoughtChunk(id, content) {
  const message = agentMessage(id, false);
  const box = message.element.querySelector(".thought");
  message.thought += blockText(content);
  box.hidden = false;
  box.querySelector(".text").textContent = message.thought;
  grew();
}

/** Announces a call, or changes what is known of it. */
export function toolUpdate(update) {
  let card = tools.get(update.toolCallId);
  if (!card) {
    card = new ToolCard();
    tools.set(update.toolCallId, card);
    append(card.element);
  }
  card.update(update);
  grew();
}

/** Shows a compaction at its place, or patches it there. undo is called when the reader wants it back. */
export function compactionUpdate(update, meta, undo) {
  let marker = compactions.get(update.compactionId);
  if (!marker) {
    marker = new CompactionMarker(undo);
    compactions.set(update.compactionId, marker);
    append(marker.element);
  }
  marker.update(update, meta);
  markUndo();
  grew();
  return marker;
}

export function compactionChunk(id, content) {
  compactions.get(id)?.chunk(blockText(content));
}

let mayUndo = false;

/** Undo stands on the newest compaction in force, while no turn runs. */
export function markUndo(allowed = mayUndo) {
  mayUndo = allowed;
  const inForce = [...compactions.values()].filter((m) => m.inForce);
  for (const marker of compactions.values()) marker.showUndo(allowed && marker === inForce.at(-1));
}

/** Draws the answers that are complete. */
export function finish() {
  for (const message of messages.values()) {
    if (message.kind !== "agent" || message.text === message.drawn) continue;
    message.drawn = message.text;
    render(message.body, message.text);
  }
}

/** Calls that nobody will answer any more: the turn ended without them. */
export function endTools() {
  for (const card of tools.values()) card.ended();
}

/** Places an element at the end of the conversation. */
export function place(element) {
  return append(element);
}

/** Places the line of a turn below its last entry: n counts turns, that is user messages, from 0. */
export function placeTurnEnd(n, element) {
  const openers = [...messages.values()].filter((m) => m.kind === "user");
  if (n >= openers.length) return;
  const next = openers[n + 1];
  if (next) next.element.before(element);
  else append(element);
}

/** Moves the focus from message to message. */
export function step(by) {
  const all = [...entries.querySelectorAll(":scope > [tabindex]")];
  if (all.length === 0) return;
  const at = all.findIndex((e) => e.contains(document.activeElement));
  const next = at < 0 ? (by < 0 ? all.length - 1 : 0) : Math.min(all.length - 1, Math.max(0, at + by));
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
}

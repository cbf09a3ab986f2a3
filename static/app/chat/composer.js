// The message box: sending, stopping, the draft, the commands.

import { $ } from "./dom.js";
import * as drafts from "./drafts.js";
import { notice } from "./say.js";

const COMMAND = /^\/(cost|context|compact|undo)(\s|$)/;
const ANY_TIME = /^\/(cost|context)\s*$/;
const FRAME_OVERHEAD = 2048; // bytes of a frame beside the text

const box = $("prompt");
const encoder = new TextEncoder();

export class Composer {
  #session;
  #running = false;
  #commands = [];

  /** hooks: send(text), stop(). session is the id whose draft is kept, "" for a new one. */
  constructor(session, hooks) {
    this.#session = session;
    this.hooks = hooks;
    if (!box) return;
    box.value = drafts.load(session);
    $("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    box.addEventListener("input", () => {
      drafts.save(this.#session, box.value);
      this.#suggest();
      this.#draw();
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.#submit();
      }
    });
    $("stop")?.addEventListener("click", () => this.stop());
    this.#draw();
  }

  static isCommand(text) {
    return COMMAND.test(text);
  }

  /** The new session has an id now. */
  moved(session) {
    drafts.save(this.#session, "");
    this.#session = session;
    drafts.save(session, box?.value ?? "");
  }

  running(yes) {
    this.#running = yes;
    this.#draw();
  }

  /** The commands that the server announced. */
  commands(list) {
    this.#commands = list;
    this.#suggest();
  }

  /** Puts a refused text back; what was typed meanwhile stays below it. */
  restore(text) {
    box.value = box.value ? `${text}\n\n${box.value}` : text;
    drafts.save(this.#session, box.value);
    this.#draw();
    box.focus();
  }

  stop() {
    if (!this.#running || !$("stop")) return;
    $("stop").disabled = true;
    $("stop").textContent = "Stopping…";
    this.hooks.stop();
  }

  focus() {
    box?.focus();
  }

  #draw() {
    const stop = $("stop");
    if (!stop) return;
    stop.disabled = !this.#running;
    stop.textContent = "Stop";
    $("send").disabled = box.value.trim() === "" || (this.#running && !ANY_TIME.test(box.value));
  }

  #submit() {
    const text = box.value.trim();
    if (text === "") return;
    if (this.#running && !ANY_TIME.test(text)) {
      notice("A turn is running. Wait for it, or stop it with Esc.");
      return;
    }
    const limit = Number($("chat").dataset.maxMessage) - FRAME_OVERHEAD;
    const bytes = encoder.encode(JSON.stringify(text)).length;
    if (limit > 0 && bytes > limit) {
      notice(`This message is too long: ${bytes.toLocaleString("en-US")} of at most ${limit.toLocaleString("en-US")} bytes.`);
      return;
    }
    notice("");
    box.value = "";
    drafts.save(this.#session, "");
    this.#suggest();
    this.#draw();
    this.hooks.send(text);
  }

  /** Lists the commands that begin like the text. */
  #suggest() {
    const list = $("commands");
    const typed = box?.value.match(/^\/(\w*)$/);
    const fitting = typed ? this.#commands.filter((c) => c.name.startsWith(typed[1])) : [];
    list.hidden = fitting.length === 0;
    list.replaceChildren(...fitting.map((c) => this.#option(c)));
  }

  #option(command) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    const name = document.createElement("code");
    name.textContent = `/${command.name}`;
    button.append(name, ` ${command.description}`);
    button.addEventListener("click", () => {
      box.value = `/${command.name}${command.input ? " " : ""}`;
      closeList();
      this.#draw();
      box.focus();
    });
    item.append(button);
    return item;
  }
}

function closeList() {
  $("commands").hidden = true;
}

// The card of a tool call. Arguments and results are text, whatever they hold.

import { blockText, piece } from "./dom.js";

const STATES = {
  pending: ["waiting", ""],
  in_progress: ["running", "sea"],
  completed: ["done", "leaf"],
  failed: ["failed", "coral"],
  cancelled: ["cancelled", "sand"],
};
const SHOWN = 20000; // characters of a result until the reader asks for all

function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The arguments in one line, for the closed card. */
function hint(input) {
  if (input === null || typeof input !== "object") return "";
  const parts = Object.entries(input).map(([k, v]) => (typeof v === "object" ? k : `${k}=${v}`));
  const line = parts.join(" ").replaceAll(/\s+/g, " ");
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

export class ToolCard {
  #state = "pending";
  #began = 0;

  constructor() {
    this.element = piece("tpl-tool");
    this.#show("pending");
  }

  #part(name) {
    return this.element.querySelector(`.${name}`);
  }

  #show(state) {
    this.#state = state;
    const [text, tone] = STATES[state] ?? [state, ""];
    const chip = this.#part("tool-state");
    chip.textContent = text;
    chip.className = `chip tool-state${tone ? ` chip-${tone}` : ""}`;
  }

  update(u) {
    if (u.title || u.name) this.#part("tool-name").textContent = u.title || u.name;
    if (u.rawInput !== undefined) {
      this.#part("tool-hint").textContent = hint(u.rawInput);
      this.#part("tool-args").textContent = pretty(u.rawInput);
    }
    if (u.content) this.#result(u.content.map((c) => blockText(c.content)).join("\n"));
    if (u.status) this.#status(u.status, u._meta?.["tidemark/cancelled"]);
  }

  #status(status, cancelled) {
    if (status === "in_progress" && !this.#began) this.#began = performance.now();
    this.#show(cancelled ? "cancelled" : status);
    if ((status === "completed" || status === "failed") && this.#began) {
      const seconds = (performance.now() - this.#began) / 1000;
      this.#part("tool-state").textContent += ` · ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
    }
  }

  #result(text) {
    const box = this.#part("tool-result");
    const button = this.#part("more");
    box.textContent = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    button.hidden = text.length <= SHOWN;
    if (text.length > SHOWN) {
      button.onclick = () => {
        box.textContent = text;
        button.hidden = true;
      };
    }
  }

  /** The turn is over; a call without an end will get none. */
  ended() {
    if (this.#state === "pending" || this.#state === "in_progress") this.#show("cancelled");
  }
}

/** Asks the reader whether a call may run; resolves to the answer of session/request_permission. */
export function askPermission(place, params, signal) {
  const element = piece("tpl-permission");
  const name = params.toolCall?.title || params.toolCall?.name || "a tool";
  element.querySelector(".permission-ask").textContent = `The agent wants to run ${name}.`;
  element.querySelector(".permission-args").textContent = pretty(params.toolCall?.rawInput ?? {});
  const buttons = element.querySelector(".buttons");
  return new Promise((resolve) => {
    const answer = (outcome) => {
      element.remove();
      resolve({ outcome });
    };
    for (const option of params.options ?? []) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = option.name;
      button.dataset.testid = `permission-${option.kind}`;
      if (option.kind === "allow_once") button.className = "primary";
      button.addEventListener("click", () => answer({ outcome: "selected", optionId: option.optionId }));
      buttons.append(button);
    }
    signal.addEventListener("abort", () => answer({ outcome: "cancelled" }));
    place(element);
  });
}

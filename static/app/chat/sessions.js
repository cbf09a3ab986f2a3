// The list beside the chat. The server draws it; on a narrow window it folds away.

import { $ } from "./dom.js";
import { localize } from "../times.js";

const PAUSE = 400; // several changes in a row are one request

let timer = 0;

/** Draws the list again, soon. A change that comes while one waits rides along; it never pushes the drawing back. */
export function refresh(current) {
  if (timer) return;
  timer = setTimeout(() => {
    timer = 0;
    draw(current);
  }, PAUSE);
}

async function draw(current) {
  const answer = await fetch(`/fragments/sessions?current=${encodeURIComponent(current)}`).catch(() => null);
  if (!answer?.ok) return;
  const focused = document.activeElement?.dataset?.id;
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  localize(template.content);
  $("session-list").replaceWith(template.content);
  if (focused) document.querySelector(`#session-list [data-id="${CSS.escape(focused)}"]`)?.focus();
}

export function setUp() {
  const toggle = $("side-toggle");
  const side = $("side");
  const set = (open) => {
    side.classList.toggle("open", open);
    toggle.setAttribute("aria-expanded", String(open));
  };
  toggle.addEventListener("click", () => set(!side.classList.contains("open")));
  side.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      set(false);
      toggle.focus();
      event.stopPropagation();
    }
  });
  $("main").addEventListener("click", (event) => {
    if (!toggle.contains(event.target)) set(false);
  });
}

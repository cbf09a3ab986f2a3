// The keyboard. Single keys can be switched off, because voice input and screen readers send them by accident.

import { $ } from "./dom.js";
import * as timeline from "./timeline.js";

const OFF = "tidemark.keys.single";

function singleKeys() {
  return $("keys-single").checked;
}

function remember() {
  try {
    localStorage.setItem(OFF, singleKeys() ? "on" : "off");
  } catch {
    // the choice then lasts as long as the page
  }
}

function recall() {
  try {
    $("keys-single").checked = localStorage.getItem(OFF) !== "off";
  } catch {
    $("keys-single").checked = true;
  }
}

function typing(target) {
  return target.closest?.("input, textarea, select, [contenteditable]") !== null;
}

/** Listens to the whole page. */
export function listen(composer) {
  recall();
  $("keys-single").addEventListener("change", remember);
  $("open-keys").addEventListener("click", () => $("keys").showModal());
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return; // Esc closes it, nothing else is ours
    if (event.key === "Escape" && !event.isComposing) composer.stop();
    else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      timeline.step(event.key === "ArrowUp" ? -1 : 1);
    } else single(event, composer);
  });
}

function single(event, composer) {
  if (!singleKeys() || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    composer.focus();
  } else if (event.key === "?") {
    event.preventDefault();
    $("keys").showModal();
  }
}

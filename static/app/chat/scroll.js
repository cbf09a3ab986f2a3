// The list scrolls, never the page. It follows new text only while the reader is at its end.

import { $ } from "./dom.js";

const NEAR = 60; // pixels from the end that still count as being there

const log = $("log");
const jump = $("jump");
let following = true;

function atEnd() {
  return log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
}

log.addEventListener("scroll", () => {
  following = atEnd();
  if (following) jump.hidden = true;
}, { passive: true });

jump.addEventListener("click", () => {
  toEnd();
  log.focus({ preventScroll: true });
});

/** Goes to the newest entry and follows from there. */
export function toEnd() {
  following = true;
  jump.hidden = true;
  log.scrollTop = log.scrollHeight;
}

/** Call after the list grew. */
export function grew() {
  if (following) log.scrollTop = log.scrollHeight;
  else jump.hidden = false;
}

// A part that unfolds or an answer that gets its markup changes the height without a word of ours.
new ResizeObserver(() => {
  if (following) log.scrollTop = log.scrollHeight;
}).observe($("entries"));

// Everything the chat says beside the conversation: the banner of the connection, one polite status line, errors.

import { $ } from "./dom.js";

const GONE_AFTER = 4000;

let countdown = 0;
let hiding = 0;

/** Announces a boundary to screen readers: a turn began or ended, a compaction. Never each word. */
export function status(text) {
  $("status").textContent = text;
}

/** Shows an error, or clears it. */
export function notice(text) {
  $("notice").textContent = text;
}

function banner(state, text, retry = false) {
  clearInterval(countdown);
  clearTimeout(hiding);
  const box = $("banner");
  box.dataset.state = state;
  box.hidden = text === "";
  $("banner-text").textContent = text;
  $("banner-retry").hidden = !retry;
}

let wasLive = false;
let replayed = 0;

/** Counts rows that were missed and came after a reconnect. */
export function caughtUp(n) {
  replayed = n;
}

/** Tells how the connection stands. Announced once per change, not once per second. */
export function connection(state, info) {
  switch (state) {
    case "connecting":
      banner("connecting", wasLive || info.attempt > 0 ? "Reconnecting…" : "Connecting…");
      break;
    case "waiting":
      waiting(info.until);
      status("Connection lost, reconnecting");
      break;
    case "down":
      banner("down", info.reason);
      status(info.reason);
      break;
    case "live":
      live();
  }
}

function live() {
  if (!wasLive) {
    wasLive = true;
    banner("live", "");
    return;
  }
  banner("live", replayed > 0 ? `Live again, ${replayed} missed updates shown` : "Live again");
  status("Connected again");
  hiding = setTimeout(() => banner("live", ""), GONE_AFTER);
}

function waiting(until) {
  const draw = () => {
    const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    $("banner-text").textContent = `Connection lost. Reconnecting in ${seconds} s`;
  };
  banner("waiting", "Connection lost", true);
  draw();
  countdown = setInterval(draw, 1000);
}

/** Says that what is shown was loaded afresh, because the log no longer reached back to it. */
export function resynced() {
  banner("waiting", "Too much was missed: loading the conversation again…");
}

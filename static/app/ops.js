// The operators' pages: live panels, the feed's controls, the sample session.

import { follow } from "./live.js";
import { keepTime } from "./times.js";

const KEPT = 300; // lines of the feed; older ones are in the log

const feed = document.getElementById("feed-items");
const pause = document.getElementById("feed-pause");
const held = document.getElementById("feed-held");
const show = document.getElementById("feed-show");

function paused() {
  return pause?.getAttribute("aria-pressed") === "true";
}

/** A line that comes while the feed is paused waits unseen. */
function arrive(item) {
  if (paused()) {
    item.hidden = true;
    item.dataset.waiting = "yes";
  }
  while (feed.children.length > KEPT) feed.lastElementChild.remove();
  tellWaiting();
}

function tellWaiting() {
  const n = feed.querySelectorAll("[data-waiting]").length;
  held.hidden = n === 0;
  held.textContent = n === 0 ? "" : `${n} new ${n === 1 ? "event waits" : "events wait"}`;
}

function togglePause() {
  const on = !paused();
  pause.setAttribute("aria-pressed", String(on));
  pause.textContent = on ? "Resume" : "Pause";
  if (on) return;
  for (const item of feed.querySelectorAll("[data-waiting]")) {
    item.hidden = false;
    delete item.dataset.waiting;
  }
  tellWaiting();
}

if (feed) {
  pause.addEventListener("click", togglePause);
  const apply = () => {
    feed.dataset.show = show.value;
  };
  show.addEventListener("change", apply);
  apply(); // browsers keep the choice over a reload
  feed.addEventListener("tidemark:new", (event) => arrive(event.detail));
}

/** The first session fills an empty page: what explains it goes, and so does the line of an empty table. */
function settle() {
  if (document.querySelector("#session-rows > tr")) {
    document.getElementById("sessions-none")?.remove();
  }
}

const sample = document.getElementById("sample-form");
sample?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = sample.querySelector("button");
  button.disabled = true;
  button.textContent = "Playing…";
  const answer = await fetch(sample.action, { method: "POST", headers: { Accept: "application/json" } }).catch(() => null);
  if (answer?.ok) return;
  const problem = answer ? await answer.json().catch(() => ({})) : {};
  document.getElementById("sample-error").textContent = problem.detail || "The server cannot be reached.";
  button.disabled = false;
  button.textContent = "Play a sample session";
});

/** A link to one compaction opens its receipt. */
function openReceipt() {
  if (!location.hash.startsWith("#pass-")) return;
  const details = document.getElementById(`${location.hash.slice(1)}-details`);
  if (!details) return;
  details.open = true;
  details.closest("li").scrollIntoView();
}

keepTime();
follow(settle);
addEventListener("hashchange", openReceipt);
addEventListener("DOMContentLoaded", openReceipt);

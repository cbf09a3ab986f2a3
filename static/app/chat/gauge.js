// The context gauge below the message box: tokens used of the window, a tick where a compaction comes, and the same in
// words. Right after a compaction the figure is an estimate and says so.

import { $ } from "./dom.js";
import { kilo, number, usd } from "./format.js";

let used = 0;
let size = 0;
let estimated = false;
let tick = 0;

/** Takes a usage_update. */
export function usage(update) {
  const meta = update._meta ?? {};
  if (update.used > 0 && update.size > 0) {
    used = update.used;
    size = update.size;
    estimated = meta["tidemark/estimated"] === true;
  }
  const cost = meta["tidemark/costUsd"];
  if (cost !== undefined) $("session-cost").textContent = `session ${usd(cost)}`;
  draw();
}

/** Takes a posture record: it knows where the next compaction comes. */
export function posture(record) {
  const on = record.threshold_tokens > 0 && record.state !== "disabled";
  tick = on ? record.prefix_tokens + record.summary_tokens + record.tail_tokens + record.threshold_tokens : 0;
  if (size === 0 && record.window_tokens > 0) {
    used = record.used_tokens;
    size = record.window_tokens;
    estimated = record.estimated;
  }
  draw();
}

function tone() {
  if (used >= 0.9 * size) return "coral";
  return tick > 0 && used >= tick ? "sand" : "";
}

function draw() {
  if (!(size > 0) || !(used > 0)) return;
  $("gauge").hidden = false;
  $("gauge-svg").setAttribute("class", `gauge${tone() ? ` gauge-${tone()}` : ""}`);
  $("gauge-fill").setAttribute("width", `${Math.min(100, (100 * used) / size).toFixed(2)}%`);
  const mark = $("gauge-tick");
  const shown = tick > 0 && tick <= size;
  mark.setAttribute("visibility", shown ? "visible" : "hidden");
  if (shown) mark.setAttribute("x", `${((100 * tick) / size).toFixed(2)}%`);
  const now = `${estimated ? "≈ " : ""}${number(used)} of ${kilo(size)} tokens`;
  $("gauge-text").textContent = [now, estimated && "measuring", tick > 0 && `compacts at ~${kilo(tick)}`].filter(Boolean).join(" · ");
}

// What each turn used and cost, in one line below it.

import { $, piece } from "./dom.js";
import { kilo, percent, plural, usd, words } from "./format.js";
import * as timeline from "./timeline.js";

function line(text, failed) {
  const element = piece("tpl-turn");
  element.textContent = text;
  if (failed) element.classList.add("failed");
  return element;
}

function ending(reason) {
  return reason && reason !== "end_turn" ? words(reason) : "";
}

/** Usage of a prompt's answer in words. */
function used(u) {
  const input = u.input + u.cacheRead + u.cacheWrite5m + u.cacheWrite1h;
  const parts = [plural(u.steps, "step", "steps"), `${kilo(input)} in (${percent(u.cacheRead, input)} cached)`, `${kilo(u.output)} out`, usd(u.costUsd)];
  if (u.compactionCostUsd && u.compactionCostUsd !== "0") parts.push(`of it compaction ${usd(u.compactionCostUsd)}`);
  return parts.join(" · ");
}

/** Shows the end of a turn of ours. */
export function ended(stopReason, usage) {
  if (!usage) return;
  timeline.place(line([ending(stopReason), used(usage)].filter(Boolean).join(" · ")));
  $("turn-cost").textContent = `turn ${usd(usage.costUsd)} ·`;
}

/** Shows how a turn failed; what it used is billed all the same. */
export function failed(message, usage) {
  const text = usage ? `${message} · ${used(usage)}` : message;
  timeline.place(line(`Turn failed: ${text}`, true));
}

function ofRow(t) {
  const u = t.usage;
  const usage = {
    steps: t.steps, input: u.input, cacheRead: u.cache_read, cacheWrite5m: u.cache_write_5m, cacheWrite1h: u.cache_write_1h,
    output: u.output, costUsd: t.cost_usd, compactionCostUsd: t.compaction_cost_usd,
  };
  const bad = t.state === "failed" || t.state === "interrupted";
  const how = bad ? `Turn ${t.state}${t.error_class ? ` (${words(t.error_class)})` : ""}` : ending(t.stop_reason);
  return line([how, used(usage)].filter(Boolean).join(" · "), bad);
}

async function rows(session) {
  const all = [];
  for (let cursor = ""; cursor !== null;) {
    const query = new URLSearchParams({ limit: "1000" });
    if (cursor) query.set("cursor", cursor);
    const answer = await fetch(`/api/v1/sessions/${session}/turns?${query}`, { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok) return all;
    const page = await answer.json();
    all.push(...page.items);
    cursor = page.next_cursor ?? null;
  }
  return all;
}

/** After a load: the line of each turn that has ended. */
export async function annotate(session, stillShown) {
  const all = await rows(session);
  if (!stillShown()) return;
  all.forEach((t, n) => {
    if (t.state !== "running") timeline.placeTurnEnd(n, ofRow(t));
  });
  const last = all.filter((t) => t.state !== "running").at(-1);
  if (last) $("turn-cost").textContent = `turn ${usd(last.cost_usd)} ·`;
}

/** A turn that another client started has ended. */
export async function annotateOther(session, turn) {
  const t = (await rows(session)).find((row) => row.id === turn);
  if (t) timeline.place(ofRow(t));
}

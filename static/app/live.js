// The event stream of a page: htmx connects and swaps; this says how fresh the page is, and adds what htmx lacks.

import { localize } from "./times.js";

const STALE_AFTER = 45000; // three heartbeats of the server

/** Puts rows where rows of the same id stand already, and new ones first. Details that a reader opened stay open. */
function registerUpsert() {
  let api;
  htmx.registerExtension("tidemark", {
    init: (internal) => {
      api = internal;
    },
    handle_swap: (style, target, fragment) => {
      if (style !== "upsert") return false;
      for (const item of [...fragment.children]) upsert(api, target, item);
      return true;
    },
    htmx_before_morph_attr: (element, detail) => keeps(element, detail.attrName),
  });
}

/** What a reader changed is not changed back: false stops htmx. */
function keeps(element, name) {
  if (name === "open" && element.tagName === "DETAILS") return false;
  if (name === "data-local" || (name === "title" && element.tagName === "TIME")) return false;
  if (name === "data-show" || (name === "data-state" && element.id === "live-state")) return false;
  return true;
}

function upsert(api, target, item) {
  const standing = document.getElementById(item.id);
  if (standing) {
    const fragment = document.createDocumentFragment();
    fragment.append(item);
    api.morph(standing, fragment, false);
    return;
  }
  item.classList.add("fresh");
  target.prepend(item);
  target.dispatchEvent(new CustomEvent("tidemark:new", { bubbles: true, detail: item }));
}

/** Tells the state of the stream in words. */
class Freshness {
  constructor() {
    this.box = document.getElementById("live-state");
    this.text = document.getElementById("live-text");
    this.heard = Date.now();
  }

  say(state, text) {
    if (!this.box) return;
    this.box.dataset.state = state;
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  hear() {
    this.heard = Date.now();
    this.say("live", "live");
  }

  check() {
    if (this.box?.dataset.state === "live" && Date.now() - this.heard > STALE_AFTER) this.say("waiting", "quiet");
  }
}

/** Starts following the stream of the page. onChange is called after each change of the page. */
export function follow(onChange = () => {}) {
  registerUpsert();
  const freshness = new Freshness();
  const on = (name, handler) => document.body.addEventListener(name, handler);
  on("htmx:sse:after:connection", () => freshness.hear());
  on("htmx:sse:before:connection", (event) => {
    const attempt = event.detail.connection?.attempt ?? 0;
    freshness.say("waiting", attempt > 0 ? "reconnecting" : "connecting");
  });
  on("htmx:sse:error", (event) => {
    if (event.detail.status === 401) location.assign("/login");
    freshness.say("waiting", "reconnecting");
  });
  on("htmx:sse:close", () => freshness.say("down", "not live: reload the page"));
  on("htmx:sse:before:message", () => freshness.hear());
  // What was missed is no longer kept, or the session is gone: the server draws the page afresh.
  on("gap", () => location.reload());
  on("htmx:after:swap", () => {
    localize();
    onChange();
  });
  setInterval(() => freshness.check(), 5000);
}

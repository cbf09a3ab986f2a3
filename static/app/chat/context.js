// The context dialog: what the model is sent now, and what can be done about it. The server draws it.

import { $ } from "./dom.js";
import { status } from "./say.js";
import { localize } from "../times.js";

/** session() is the id now; call(method, params) sends a request of ours. */
export function setUp(session, call) {
  const dialog = $("context");
  const open = () => {
    if (!session()) return;
    dialog.showModal();
    draw(session(), call);
  };
  $("open-context").addEventListener("click", open);
  $("gauge").addEventListener("click", open);
}

async function draw(session, call) {
  const body = $("context-body");
  const answer = await fetch(`/fragments/s/${session}/context`).catch(() => null);
  if (!answer?.ok) {
    body.textContent = "The server cannot be reached.";
    return;
  }
  body.innerHTML = await answer.text(); // drawn by the server, with text escaped
  localize(body);
  const form = $("context-compact");
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const focus = form.elements.focus.value.trim();
    act(session, call, "_tidemark/compact", focus ? { focus } : {}, "Compacted");
  });
  $("context-undo")?.addEventListener("click", () => act(session, call, "_tidemark/undo_compaction", {}, "Compaction undone"));
}

async function act(session, call, method, params, done) {
  const error = $("context-error");
  error.textContent = "";
  try {
    await call(method, { sessionId: session, ...params });
    status(done);
    await draw(session, call);
  } catch (refused) {
    error.textContent = refused.message;
  }
}

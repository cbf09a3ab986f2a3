// The buttons of a session page. Each asks in a dialog first, then posts to the API; what happened shows by the stream.

const DONE = {
  compact: "Compacted.",
  undo: "The last compaction was undone.",
  cancel: "The turn is being stopped.",
  close: "The session is closed.",
};

const status = document.getElementById("action-status");
const error = document.getElementById("action-error");

async function post(address, body) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  }).catch(() => null);
  if (!answer) return "The server cannot be reached.";
  if (answer.ok) return "";
  const problem = await answer.json().catch(() => ({}));
  return problem.detail ? `${problem.title}: ${problem.detail}` : `The server answered ${answer.status}.`;
}

async function act(dialog) {
  const form = dialog.querySelector("form");
  const verb = dialog.id.replace("dialog-", "");
  const focus = form.elements.focus?.value.trim();
  error.textContent = "";
  status.textContent = "Working…";
  const refused = await post(form.dataset.action, focus ? { focus } : {});
  status.textContent = refused ? "" : DONE[verb];
  error.textContent = refused;
}

for (const dialog of document.querySelectorAll("dialog[id^=dialog-]")) {
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes") act(dialog);
    dialog.returnValue = "";
  });
}

// The bar is drawn again by the stream, so the click is heard above it.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-dialog]");
  if (button && !button.disabled) document.getElementById(`dialog-${button.dataset.dialog}`).showModal();
});

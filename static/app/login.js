// Sign-in. A sign-in link carries its one-use ticket in the fragment, which browsers never send: this script posts it and
// takes it out of the address at once, so that it does not stay in the history.

const form = document.getElementById("login-form");
const error = document.getElementById("login-error");
const status = document.getElementById("login-status");

/** Posts a credential; returns what to say when it is refused, or "" when the browser is signed in. */
async function signIn(body) {
  let answer;
  try {
    answer = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    return "The server cannot be reached. Is it running?";
  }
  if (answer.ok) return "";
  const problem = await answer.json().catch(() => ({}));
  if (problem.code === "auth_required" && body.ticket) {
    return "This sign-in link was used already or is too old. A new one: tidemark signin";
  }
  if (problem.code === "auth_required") return "That key is not valid here: it may be mistyped, revoked or expired.";
  return problem.detail || `The server answered ${answer.status}.`;
}

async function submit(body, saying) {
  error.textContent = "";
  status.textContent = saying;
  const button = form.querySelector("button");
  button.disabled = true;
  const refused = await signIn(body);
  if (refused === "") {
    // The cookie is Lax and HttpOnly; a plain navigation shows the page it opens.
    location.replace("/");
    return;
  }
  button.disabled = false;
  status.textContent = "";
  error.textContent = refused;
  form.elements.key.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  submit({ key: form.elements.key.value }, "Checking the key…");
});

/** Signs in with the ticket of the address, if it has one; a link opened in an open tab only changes the fragment. */
function useTicket() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (!ticket) return;
  history.replaceState(null, "", location.pathname);
  submit({ ticket }, "Signing in with the link…");
}

addEventListener("hashchange", useTicket);
useTicket();

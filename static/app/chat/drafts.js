// What was typed and not sent survives a reload, a crash and a refusal. It stays in this browser.

const PREFIX = "tidemark.draft.";

function name(session) {
  return PREFIX + (session || "new");
}

export function load(session) {
  try {
    return localStorage.getItem(name(session)) ?? "";
  } catch {
    return ""; // storage can be switched off
  }
}

export function save(session, text) {
  try {
    if (text) localStorage.setItem(name(session), text);
    else localStorage.removeItem(name(session));
  } catch {
    // without storage the draft lives as long as the page
  }
}

// Finished answers get their markup from the server, which sanitises it; until then they are text. Many are asked for at
// once, because a loaded conversation has many.

const AT_ONCE = 40;
const CHARS = 500000;

let waiting = [];
let scheduled = false;

/** Draws the text of an element as markup when it comes; on failure the text stays. */
export function render(element, text) {
  if (text.trim() === "") return;
  waiting.push({ element, text });
  if (!scheduled) {
    scheduled = true;
    queueMicrotask(drain);
  }
}

function take() {
  const batch = [];
  let chars = 0;
  while (waiting.length > 0 && batch.length < AT_ONCE && chars < CHARS) {
    batch.push(waiting.pop()); // the newest first: that is what the reader sees
    chars += batch.at(-1).text.length;
  }
  return batch;
}

async function drain() {
  while (waiting.length > 0) {
    const batch = take();
    const answer = await fetch("/fragments/markdown", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ texts: batch.map((b) => b.text) }),
    }).catch(() => null);
    if (!answer?.ok) continue;
    const { html } = await answer.json();
    batch.forEach((b, i) => draw(b.element, html[i]));
  }
  scheduled = false;
}

function draw(element, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const pre of template.content.querySelectorAll("pre")) pre.before(copyButton(pre));
  for (const table of template.content.querySelectorAll("table")) scrollable(table);
  element.replaceChildren(template.content);
  element.classList.remove("text");
  element.classList.add("prose");
}

function copyButton(pre) {
  pre.tabIndex = 0; // wide code scrolls, so the keyboard must get there
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet copy-code";
  button.textContent = "Copy code";
  button.addEventListener("click", () => copy(button, pre.textContent));
  return button;
}

function scrollable(table) {
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  box.role = "region";
  box.ariaLabel = "Table";
  table.replaceWith(box);
  box.append(table);
}

/** Copies text and says so on the button. */
export async function copy(button, text) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed by the browser";
  }
  setTimeout(() => {
    button.textContent = said;
  }, 1600);
}

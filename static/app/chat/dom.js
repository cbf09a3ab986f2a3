// Small helpers. Text goes into the page as text, never as markup.

export const $ = (id) => document.getElementById(id);

/** Copies the piece with that id from the page's templates. */
export function piece(id) {
  return $(id).content.firstElementChild.cloneNode(true);
}

/** Content blocks as text; what is no text is named. */
export function blocksText(blocks) {
  return blocks.map(blockText).join("\n");
}

export function blockText(block) {
  switch (block?.type) {
    case "text":
      return block.text;
    case "image":
      return `[image ${block.mimeType}]`;
    case "resource_link":
      return `[${block.name}] ${block.uri}`;
    case "resource":
      return block.resource?.text ?? `[${block.resource?.uri}]`;
    default:
      return block ? `[${block.type}]` : "";
  }
}

/** Makes "Show all" appear below a part that is cut off by its style. */
export function clamp(part, button) {
  requestAnimationFrame(() => {
    button.hidden = part.scrollHeight <= part.clientHeight + 4;
  });
  button.addEventListener("click", () => {
    part.classList.remove("clamp");
    button.hidden = true;
  });
}

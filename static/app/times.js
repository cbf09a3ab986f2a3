// Times in the reader's own zone. The server writes UTC; ages are counted on from there.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const date = new Intl.DateTimeFormat("sv-SE", { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/** The reader's zone, such as Europe/Lisbon. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** How long ago: now, 8 s, 4 min, 1 h, 3 d. */
export function age(then, now = Date.now()) {
  const seconds = Math.max(0, Math.floor((now - then) / 1000));
  if (seconds < 1) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

function draw(element, now) {
  const at = new Date(element.dateTime);
  if (Number.isNaN(at.getTime())) return;
  const form = element.dataset.form;
  const text = form === "age" ? age(at.getTime(), now) : form === "date" ? date.format(at) : clock.format(at);
  if (element.textContent !== text) element.textContent = text;
  if (!element.dataset.local) {
    element.dataset.local = "yes";
    element.title = full.format(at);
  }
}

/** Redraws every time below root. */
export function localize(root = document) {
  const now = Date.now();
  for (const element of root.querySelectorAll("time[datetime]")) draw(element, now);
  for (const element of root.querySelectorAll("[data-zone]")) element.textContent = zone;
}

/** Keeps the ages going. A hidden page draws nothing. */
export function keepTime() {
  localize();
  setInterval(() => {
    if (document.hidden) return;
    const now = Date.now();
    for (const element of document.querySelectorAll('time[data-form="age"]')) draw(element, now);
  }, 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) localize();
  });
}

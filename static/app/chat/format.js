// How figures read. The server formats what it draws; this says the same for what arrives over the socket.

const grouped = new Intl.NumberFormat("en-US");

/** 58,214 */
export function number(n) {
  return grouped.format(n);
}

/** 950, 9.5k, 58k, 1.2M */
export function kilo(n) {
  const trim = (x) => x.replace(/\.0$/, "");
  if (n >= 999500) return `${trim((n / 1e6).toFixed(1))}M`;
  if (n >= 9950) return `${(n / 1e3).toFixed(0)}k`;
  if (n >= 1000) return `${trim((n / 1e3).toFixed(1))}k`;
  return String(n);
}

export function percent(part, whole) {
  if (!(whole > 0)) return "–";
  return `${((100 * part) / whole).toFixed(1).replace(/\.0$/, "")} %`;
}

const PICO = 12;

/** A decimal string as a whole number of 10^-12 dollars; more digits than that do not occur. */
function pico(decimal) {
  const [whole, fraction = ""] = decimal.replace("-", "").split(".");
  return BigInt(whole + fraction.padEnd(PICO, "0").slice(0, PICO));
}

function fixed(value, digits) {
  const step = 10n ** BigInt(PICO - digits);
  const rounded = (value + step / 2n) / step;
  const text = rounded.toString().padStart(digits + 1, "0");
  return `${grouped.format(BigInt(text.slice(0, -digits)))}.${text.slice(-digits)}`;
}

function digitsOf(value) {
  if (value === 0n || value >= pico("0.99995")) return 2;
  if (value >= pico("0.0001")) return 4;
  let digits = 6;
  for (let edge = pico("0.00001"); value < edge && digits < PICO; edge /= 10n) digits++;
  return digits;
}

/** An exact amount for a person, as the server shows it: two digits from one dollar up, four below. */
export function usd(decimal) {
  if (decimal === null || decimal === undefined) return "unpriced";
  if (!/^-?\d+(\.\d+)?$/.test(decimal)) return "unknown";
  const value = pico(decimal);
  return `${decimal.startsWith("-") && value > 0n ? "-" : ""}$${fixed(value, digitsOf(value))}`;
}

export function words(code) {
  return (code ?? "").replaceAll("_", " ");
}

export function plural(n, one, many) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

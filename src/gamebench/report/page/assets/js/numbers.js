/* Numbers as text for people. */

const MINUS = "\u2212";
const SUPERSCRIPTS = {
  "-": "\u207b",
  0: "\u2070",
  1: "\u00b9",
  2: "\u00b2",
  3: "\u00b3",
  4: "\u2074",
  5: "\u2075",
  6: "\u2076",
  7: "\u2077",
  8: "\u2078",
  9: "\u2079",
};

function superscript(exponent) {
  return [...String(exponent)].map((letter) => SUPERSCRIPTS[letter]).join("");
}

/** A power of ten; 1 and 10 are written out. */
export function power(exponent) {
  if (exponent === 0) return "1";
  if (exponent === 1) return "10";
  return `10${superscript(exponent)}`;
}

/** The power of ten nearest to a number. */
export function nearestPower(value) {
  return power(Math.round(Math.log10(value)));
}

/** A number with `precision` significant digits and no trailing zeros; very small and very large ones get a power of
    ten. */
export function digits(value, precision) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : `${MINUS}\u221e`;
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e6 ? scientific(value, precision) : positional(value, precision);
  return text.replace("-", MINUS);
}

function scientific(value, precision) {
  const [mantissa, exponent] = value.toExponential(precision - 1).split("e");
  return `${withoutTrailingZeros(mantissa)}\u00d710${superscript(Number(exponent))}`;
}

function positional(value, precision) {
  const text = withoutTrailingZeros(value.toPrecision(precision));
  return text.includes("e") ? String(Math.round(value)) : text;
}

function withoutTrailingZeros(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number as tables and tips show it. */
export function short(value) {
  return digits(value, 4);
}

/** The least and the greatest of several numbers. */
function range(low, high) {
  return `${short(low)} \u2026 ${short(high)}`;
}

/** The least and the greatest value over seeds; if they are the same, all seeds agree. */
export function spread(low, high) {
  return low === high ? "seeds agree" : range(low, high);
}

/** The same with the number of seeds. */
export function spreadOf(low, high, seeds) {
  return low === high ? `${seeds} seeds agree` : `${range(low, high)}, ${seeds} seeds`;
}

/** A whole number with thin spaces between thousands; others with five digits. */
export function count(value) {
  if (value === null || value === undefined) return "";
  if (!Number.isInteger(value)) return digits(value, 5);
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

export function seconds(value) {
  if (value === null || value === undefined) return "";
  return value >= 100 ? count(Math.round(value)) : digits(value, 3);
}

/** A number of seconds in a suitable unit. */
export function duration(value) {
  if (value < 120) return `${digits(value, 3)} s`;
  if (value < 7200) return `${digits(value / 60, 3)} min`;
  return `${digits(value / 3600, 3)} h`;
}

export function date(text) {
  return text ? text.replace("T", " ").replace("Z", " UTC") : "unknown";
}

/** A number of things: "1 game", "2 games". */
export function plural(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

export function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** Round to hundredths of a pixel, which is exact enough for a path, and short. */
export function round(value) {
  return Math.round(value * 100) / 100;
}

/* Numbers as people read them. */

const MINUS = "\u2212";
const RAISED = {
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

function raised(exponent) {
  return [...String(exponent)].map((letter) => RAISED[letter]).join("");
}

/** 10 to a whole power, or 1 and 10 as they are. */
function power(exponent) {
  if (exponent === 0) return "1";
  if (exponent === 1) return "10";
  return `10${raised(exponent)}`;
}

/** So many significant digits, without zeros at the end; very small and very large ones with a power of ten. */
function digits(value, count) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : `${MINUS}\u221e`;
  let text;
  if (size < 1e-3 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(count - 1).split("e");
    text = `${trimmed(mantissa)}\u00d710${raised(Number(exponent))}`;
  } else {
    text = trimmed(value.toPrecision(count));
    if (text.includes("e")) text = String(Math.round(value));
  }
  return text.replace("-", MINUS);
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function short(value) {
  return digits(value, 4);
}

/** Whole numbers with thin spaces between thousands. */
function count(value) {
  if (value === null || value === undefined) return "";
  if (!Number.isInteger(value)) return digits(value, 5);
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

function seconds(value) {
  if (value === null || value === undefined) return "";
  return value >= 100 ? count(Math.round(value)) : digits(value, 3);
}

/** A time span in words. */
function span(value) {
  if (value < 120) return `${digits(value, 3)} s`;
  if (value < 7200) return `${digits(value / 60, 3)} min`;
  return `${digits(value / 3600, 3)} h`;
}

function date(text) {
  return text ? text.replace("T", " ").replace("Z", " UTC") : "unknown";
}

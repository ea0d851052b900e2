/* Scales: from numbers to pixels along an axis and back, and the ticks. */

import { digits, power } from "./numbers.js";

const TINY = 1e-12;

/** A scale that maps low..high evenly to begin..end. */
export function linearScale(low, high, begin, end) {
  // Numbers that differ only by rounding count as equal: there is no round number between them.
  if (high - low <= TINY * Math.max(Math.abs(low), Math.abs(high)))
    [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const scale = (value) => begin + ((value - low) / (high - low)) * (end - begin);
  scale.invert = (pixel) => low + ((pixel - begin) / (end - begin)) * (high - low);
  scale.ticks = (most) => roundTicks(low, high, most);
  return scale;
}

function roundTicks(low, high, most) {
  return roundNumbers(low, high, most).map((value) => ({ value, text: digits(value, 6) }));
}

function roundNumbers(low, high, most) {
  const rough = (high - low) / most;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough * 0.999);
  const numbers = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    numbers.push(Number((k * step).toPrecision(12)));
  return numbers;
}

/** A logarithmic scale. With `hasZero`, numbers below `low` are mapped evenly to a gap before it, down to 0. If there
    is no room for every power of ten, the first one keeps its tick (with `fromBelow`) or the last. If fewer than two
    powers are in the range, the ticks are at round numbers. */
export function logScale(low, high, begin, end, { hasZero, fromBelow } = {}) {
  if (high <= low) high = low * 10;
  const gap = hasZero ? Math.max(0.35, 0.06 * Math.log10(high / low)) : 0;
  const length = Math.log10(high / low) + gap;
  const scale = (value) => {
    const magnitude =
      value >= low || !gap ? gap + Math.log10(Math.max(value / low, TINY)) : gap * Math.max(0, value / low);
    return begin + (magnitude / length) * (end - begin);
  };
  scale.invert = (pixel) => {
    const magnitude = ((pixel - begin) / (end - begin)) * length;
    return magnitude >= gap ? low * 10 ** (magnitude - gap) : (low * magnitude) / gap;
  };
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  scale.ticks = (most) => {
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    const zero = hasZero ? [{ value: 0, text: "0" }] : [];
    if (last <= first && !hasZero) return roundTicks(low, high, most);
    const ticks = [];
    for (let exponent = first; exponent <= last; exponent++) {
      if ((exponent - (fromBelow ? first : last)) % step === 0)
        ticks.push({ value: 10 ** exponent, text: power(exponent) });
    }
    return [...zero, ...ticks];
  };
  return scale;
}

/** The least and the greatest number in several arrays. */
export function extent(arrays) {
  let low = Infinity;
  let high = -Infinity;
  for (const values of arrays) {
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}

export function leastPositive(arrays) {
  let least = Infinity;
  for (const values of arrays) for (const value of values) if (value > 0 && value < least) least = value;
  return least;
}

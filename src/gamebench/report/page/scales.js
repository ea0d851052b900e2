/* From numbers to places on an axis, and which numbers to write beside it. */

/** Evenly, from low..high to begin..end. */
function linearScale(low, high, begin, end) {
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const scale = (value) => begin + ((value - low) / (high - low)) * (end - begin);
  scale.ticks = (most) => niceTicks(low, high, most).map((value) => ({ value, text: digits(value, 6) }));
  return scale;
}

function niceTicks(low, high, most) {
  const rough = (high - low) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** By orders of magnitude; what is below `low` lies in a gap before it, evenly down to 0. Where not every power has
    room, the first has (`fromBelow`), or else the last. */
function logScale(low, high, begin, end, { hasZero, fromBelow }) {
  if (high <= low) high = low * 10;
  const gap = hasZero ? Math.max(0.35, 0.06 * Math.log10(high / low)) : 0;
  const length = Math.log10(high / low) + gap;
  const scale = (value) => {
    const place = value >= low ? gap + Math.log10(value / low) : gap * Math.max(0, value / low);
    return begin + (place / length) * (end - begin);
  };
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  scale.ticks = (most) => {
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    const found = hasZero ? [{ value: 0, text: "0" }] : [];
    for (let exponent = first; exponent <= last; exponent++) {
      if ((exponent - (fromBelow ? first : last)) % step === 0)
        found.push({ value: 10 ** exponent, text: power(exponent) });
    }
    return found;
  };
  return scale;
}

/** Least and greatest of all numbers in several arrays. */
function extent(arrays) {
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

function leastPositive(arrays) {
  let least = Infinity;
  for (const values of arrays) for (const value of values) if (value > 0 && value < least) least = value;
  return least;
}

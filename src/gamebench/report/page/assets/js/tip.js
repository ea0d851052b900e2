/* The box beside the pointer. */

const PHONE_WIDTH = 560;
const DISTANCE = 14;
const WINDOW_MARGIN = 6;

/** Place the tip beside the point `across` a chart with this box, or on a phone below the chart, inside the window. */
export function placeTip(tip, box, across) {
  const x = box.left + across;
  const right = x + DISTANCE;
  const fits = right + tip.offsetWidth <= document.documentElement.clientWidth - WINDOW_MARGIN;
  const left = fits ? right : Math.max(WINDOW_MARGIN, x - DISTANCE - tip.offsetWidth);
  const wanted = window.innerWidth < PHONE_WIDTH ? box.bottom - 4 : box.top + 6;
  const lowest = window.innerHeight - tip.offsetHeight - WINDOW_MARGIN;
  tip.style.setProperty("left", `${left}px`);
  tip.style.setProperty("top", `${Math.max(WINDOW_MARGIN, Math.min(wanted, lowest))}px`);
}

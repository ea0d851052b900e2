/* Drawings whose items can be picked with the pointer or the arrow keys; a tip describes the picked item. */

import { announce, make } from "./dom.js";
import { placeTip } from "./tip.js";

const NONE = -1;

/** Put a drawing into `host`. An item has its `element`, its place `x`, a `title` and `texts`; `next` returns the index
    to which a key leads from an item, or undefined. */
export function pickable(host, { label, svg, items, next }) {
  const tip = make("div", { class: "tip", hidden: true });
  const indices = new Map(items.map(({ element }, index) => [element, index]));
  let picked = NONE;

  function pick(index) {
    items[picked]?.element.classList.remove("picked");
    picked = index;
    tip.hidden = index === NONE;
    if (index === NONE) return;
    const { element, x, title, texts } = items[index];
    element.classList.add("picked");
    tip.replaceChildren(make("p", { class: "tip-x" }, title), ...texts.map((text) => make("p", {}, text)));
    placeTip(tip, plot.getBoundingClientRect(), x);
  }

  function press(event) {
    const index = picked === NONE && event.key.startsWith("Arrow") ? 0 : next(picked, event.key);
    if (index === undefined || !items[index]) return;
    event.preventDefault();
    pick(index);
    announce([items[index].title, ...items[index].texts].join(", "));
  }

  const plot = make(
    "div",
    {
      class: "plot",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${label} Arrow keys go from one configuration to the next.`,
      onpointermove: (event) => pick(indices.get(event.target.closest(".item")) ?? NONE),
      onpointerleave: () => pick(NONE),
      onblur: () => pick(NONE),
      onkeydown: press,
    },
    svg,
  );
  host.append(plot, tip);
}

/* Elements of HTML and SVG. Text stays text: nothing here parses HTML. */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element; strings among the children become text. */
export function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** An empty SVG drawing of a size in pixels. */
export function drawing(width, height, attributes, ...children) {
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...attributes }, ...children);
}

/** Attributes of a decorative drawing, whose content is also there as text. */
export const DECORATIVE = { "aria-hidden": "true", focusable: "false" };

/** Give an element the colour of a method; the style sheet adapts it to light and dark. */
export function coloured(element, colour) {
  element.classList.add("coloured");
  element.style.setProperty("--c", colour);
  return element;
}

/** A section of the page with its heading and its link in the navigation. */
export function section(id, title, about) {
  const body = make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    about ? make("p", { class: "about" }, about) : null,
  );
  document.getElementById("content").append(body);
  document.getElementById("sections").append(make("li", {}, make("a", { href: `#${id}` }, title)));
  return body;
}

/** A heading inside a section, and a paragraph about what follows. */
export function subsection(title, about) {
  return [make("h3", {}, title), make("p", { class: "about" }, about)];
}

export function note(text) {
  return make("p", { class: "note" }, text);
}

/** A list of terms, each with its description. */
export function descriptions(attributes, pairs) {
  return make(
    "dl",
    attributes,
    pairs.map(([term, description]) => [make("dt", {}, term), make("dd", {}, description)]),
  );
}

/** A box that scrolls when its content is too wide or too long, so that the page does not. */
export function scrolling(label, ...children) {
  return make("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, ...children);
}

/** Announce a text to screen readers. */
export function announce(text) {
  document.getElementById("live").textContent = text;
}

/** Call `changed` when the width of an element changes, but not when only its height does. */
export function watchWidth(element, changed) {
  let width = null;
  new ResizeObserver((entries) => {
    const next = entries[0].target.clientWidth;
    if (width !== null && next !== width) changed(next);
    width = next;
  }).observe(element);
}

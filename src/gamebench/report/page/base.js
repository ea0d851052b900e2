/* The data, and small helpers to build the page from it. Text is always text: nothing here parses HTML. */

const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const decoded = new Map();

/** The numbers of a packed array: 64-bit floats, bit for bit those of Python. */
function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

/** An array of the pool, unpacked when first asked for. */
function array(place) {
  if (!decoded.has(place)) decoded.set(place, unpack(DATA.arrays[place]));
  return decoded.get(place);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** An element of HTML; strings among the children become text. */
function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Give an element the colour of a method; the style sheet suits it to light and dark. */
function coloured(element, colour) {
  element.classList.add("coloured");
  element.style.setProperty("--c", colour);
  return element;
}

/** A section of the page with its heading and its link in the navigation. */
function section(id, title, about) {
  const heading = make("h2", { id: `${id}-title` }, title);
  const body = make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    heading,
    about ? make("p", { class: "about" }, about) : null,
  );
  document.getElementById("content").append(body);
  document.getElementById("sections").append(make("li", {}, make("a", { href: `#${id}` }, title)));
  return body;
}

/** A choice with its label; `options` are pairs of value and text. */
function choice(label, options, value, changed, attributes) {
  const select = make("select", { ...attributes, onchange: () => changed(select.value) });
  setOptions(select, options, value);
  return make("label", { class: "choice" }, make("span", {}, label), select);
}

function setOptions(select, options, value) {
  select.replaceChildren(...options.map(([key, text]) => make("option", { value: key }, text)));
  if (value !== undefined) select.value = value;
}

/** Buttons of which one is pressed. */
function segments(label, options, value, changed) {
  const buttons = options.map(([key, text]) =>
    make(
      "button",
      { type: "button", "data-value": key, "aria-pressed": String(key === value), onclick: () => press(key) },
      text,
    ),
  );
  function press(key) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === key));
    changed(key);
  }
  return make(
    "div",
    { class: "choice" },
    make("span", {}, label),
    make("div", { class: "segments", role: "group", "aria-label": label }, buttons),
  );
}

/** Say something to those who listen instead of looking. */
function say(text) {
  document.getElementById("live").textContent = text;
}

function unique(values) {
  return [...new Set(values)];
}

function plural(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

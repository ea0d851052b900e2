/* The controls that all charts share: methods on and off, the axes, the measure. */

function controls(body) {
  const chips = new Map();
  const panel = make("div", { class: "panel controls" });
  const summary = make("span", { class: "chosen", "aria-live": "polite" });
  const head = make(
    "div",
    { class: "chips-head" },
    make("h3", { id: "methods" }, "Methods"),
    summary,
    make(
      "button",
      {
        type: "button",
        class: "plain",
        "data-all": "all",
        onclick: () => setMethods(DATA.methods.map((_, place) => place)),
      },
      "all",
    ),
    make("button", { type: "button", class: "plain", "data-all": "none", onclick: () => setMethods([]) }, "none"),
    hasVariants()
      ? make(
          "button",
          { type: "button", class: "plain", "data-all": "plain", onclick: () => setMethods(plainMethods()) },
          "plain ones",
        )
      : null,
  );
  panel.append(head, groups(chips));
  panel.append(
    make(
      "div",
      { class: "row" },
      segments(
        "x axis",
        SHORT_AXES,
        state.x,
        (x) => setAxes({ x }),
      ),
      choice(
        "measure",
        [[MAIN, "each game\u2019s main one"], ...Object.keys(DATA.measures).map((name) => [name, name])],
        state.measure,
        (measure) => setAxes({ measure }),
        { id: "measure" },
      ),
      segments(
        "y axis",
        [
          ["log", "logarithmic"],
          ["linear", "linear"],
        ],
        "log",
        (value) => setAxes({ log: value === "log" }),
      ),
    ),
  );
  body.append(panel);
  function update() {
    for (const [method, chip] of chips) chip.setAttribute("aria-pressed", String(isOn(method)));
    summary.textContent = `${state.on.size} of ${DATA.methods.length} shown`;
  }
  listen((what) => what === "methods" && update());
  update();
}

function plainMethods() {
  return DATA.methods.map((_, place) => place).filter((place) => DATA.methods[place].plain);
}

function hasVariants() {
  return DATA.methods.some((method) => !method.plain) && plainMethods().length > 0;
}

/** Chips in one row; of many methods the plain ones, and behind them the variants of each algorithm. */
function groups(chips) {
  const all = DATA.methods.map((_, place) => place);
  const plain = plainMethods();
  if (all.length <= FEW || !plain.length) return chipRow("Methods", all, chips);
  const variants = all.filter((place) => !DATA.methods[place].plain);
  const algorithms = unique(variants.map((place) => DATA.methods[place].algorithm));
  return make(
    "div",
    { class: "groups" },
    chipRow("Methods", plain, chips),
    algorithms.map((name) =>
      variantGroup(
        name,
        variants.filter((place) => DATA.methods[place].algorithm === name),
        chips,
      ),
    ),
  );
}

function variantGroup(name, places, chips) {
  const shown = make("span", { class: "muted" });
  const update = () => (shown.textContent = ` ${places.filter(isOn).length} of ${places.length} shown`);
  const others = () => [...state.on].filter((place) => !places.includes(place));
  listen((what) => what === "methods" && update());
  update();
  return make(
    "details",
    { class: "group" },
    make("summary", {}, `${name}, variants`, shown),
    make(
      "div",
      { class: "chips-head" },
      make("button", { type: "button", class: "plain", onclick: () => setMethods([...others(), ...places]) }, "all"),
      make("button", { type: "button", class: "plain", onclick: () => setMethods(others()) }, "none"),
    ),
    chipRow(`Methods: ${name}`, places, chips),
  );
}

function chipRow(label, places, chips) {
  const row = make("div", {
    class: "chips",
    role: "group",
    "aria-label": label,
  });
  for (const place of places) {
    const chip = make(
      "button",
      { type: "button", class: "chip", "data-method": place, onclick: () => toggle(place) },
      swatch(DATA.methods[place]),
      make("span", {}, DATA.methods[place].name),
    );
    chips.set(place, chip);
    row.append(chip);
  }
  return row;
}

function toggle(place) {
  const next = new Set(state.on);
  if (!next.delete(place)) next.add(place);
  setMethods([...next]);
}

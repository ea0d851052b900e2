/* A policy, decision point by decision point. */

const PAGE = 20;
const MANY = 10;
const LONG = 16;
const UNLIKELY = 1e-6;

function explorer() {
  const { policies, games, leftOut, impossible } = DATA.explorer;
  const missing = Object.entries(leftOut);
  const broken = Object.entries(impossible);
  if (!policies.length && !missing.length && !broken.length) return;
  const body = section(
    "policies",
    "Policies",
    "The final policy of a run at every decision point. The reach is the probability that chance and the " +
      "other players play their part of the way there. The gain is what a best response of that player would " +
      "add from there on, weighted by the reach; at the points before which a player has done nothing, the " +
      "gains add up to all that it could gain.",
  );
  for (const [game, why] of broken)
    body.append(make("p", { class: "note" }, `Policies of ${game} cannot be shown: ${why}`));
  if (missing.length) body.append(leftOutNote(missing));
  if (!policies.length) return;
  const view = { search: "", sort: "gain", page: 0 };
  const list = make("ol", { class: "points", id: "points" });
  const about = make("p", { class: "about", id: "policy-about" });
  const pager = make("div", { class: "pager" });
  let seen = null;
  const chooser = runChooser(policies, "policy", (policy) => {
    seen = opened(policy, games[policy.of]);
    view.page = 0;
    show();
  });
  const search = make("input", {
    type: "search",
    id: "policy-search",
    placeholder: "text, action or player",
    oninput: () => {
      view.search = search.value;
      view.page = 0;
      show();
    },
  });
  const sorts = [
    ["gain", "gain, greatest first"],
    ["order", "order in the game"],
    ["reach", "reach, greatest first"],
    ["least", "least certain first"],
  ];
  chooser.row.append(
    choice(
      "sort by",
      sorts,
      view.sort,
      (sort) => {
        view.sort = sort;
        view.page = 0;
        show();
      },
      { id: "policy-sort" },
    ),
    make("label", { class: "choice grow" }, make("span", {}, "search"), search),
  );
  body.append(chooser.row, about, list, pager);

  function show() {
    const wanted = view.search.trim().toLowerCase();
    const found = sortedPoints(
      seen.points.filter((point) => point.text.includes(wanted)),
      view.sort,
    );
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    view.page = Math.max(0, Math.min(view.page, pages - 1));
    const first = view.page * PAGE;
    about.textContent = aboutPolicy(seen, found.length);
    list.start = first + 1;
    list.replaceChildren(...found.slice(first, first + PAGE).map(pointItem));
    fillPager(pager, view.page, pages, (page) => {
      view.page = page;
      show();
    });
  }
  chooser.start();
}

function leftOutNote(missing) {
  const total = missing.reduce((sum, [, runs]) => sum + runs, 0);
  return make(
    "details",
    { class: "note" },
    make(
      "summary",
      {},
      `For want of room the policies of ${plural(total, "run")} are left out; ` +
        "plain methods and lowest seeds come first.",
    ),
    make("p", {}, missing.map(([game, runs]) => `${game}: ${plural(runs, "run")}`).join("; ")),
  );
}

/** The numbers of a policy beside the text of its game. */
function opened(policy, game) {
  const numbers = unpack(policy.numbers);
  const size = game.states.length;
  const sequences = numbers.length - 2 * size;
  const points = game.states.map((stateText, place) => {
    const actions = game.actions[game.kinds[place]];
    const first = game.first[place];
    return {
      place,
      player: game.players[place],
      state: stateText,
      actions,
      probabilities: numbers.subarray(first, first + actions.length),
      reach: numbers[sequences + place],
      gain: numbers[sequences + size + place],
      text: `${stateText} player ${game.players[place]} ${actions.join(" ")}`.toLowerCase(),
    };
  });
  return { points, game };
}

function aboutPolicy({ points, game }, found) {
  const words =
    found === points.length
      ? plural(found, "decision point")
      : `${found} of ${plural(points.length, "decision point")}`;
  const team = game.hasTeams
    ? ` Players form teams (${game.teams.map((team) => team.join(" and ")).join(" against ")}): ` +
      "a gain is one player\u2019s alone, while its teammates stay as they are."
    : "";
  return `${words}.${team}`;
}

function sortedPoints(points, sort) {
  const by = {
    gain: (one, other) => other.gain - one.gain,
    reach: (one, other) => other.reach - one.reach,
    least: (one, other) => Math.max(...one.probabilities) - Math.max(...other.probabilities),
    order: () => 0,
  }[sort];
  return [...points].sort((one, other) => by(one, other) || one.place - other.place);
}

function pointItem(point) {
  return make(
    "li",
    { class: "point", "data-point": point.place },
    make(
      "div",
      { class: "point-head" },
      make("span", { class: "player" }, `player ${point.player}`),
      fact("gain", point.gain),
      fact("reach", point.reach),
    ),
    make("code", { class: "state" }, point.state || "(no text)"),
    actionList(point),
  );
}

function fact(name, value) {
  return make(
    "span",
    { class: `fact ${name}`, title: String(value), "data-value": value },
    make("span", { class: "muted" }, name),
    " ",
    digits(value, 4),
  );
}

/** All actions; of very many the likeliest, and the others on demand. */
function actionList(point) {
  const order = [...point.actions.keys()];
  const isLong = point.actions.some((name) => name.length > LONG);
  const list = make("ul", { class: isLong ? "actions long" : "actions" });
  const add = (places) => list.append(...places.map((k) => actionItem(point.actions[k], point.probabilities[k])));
  if (order.length <= MANY) {
    add(order);
    return list;
  }
  order.sort((one, other) => point.probabilities[other] - point.probabilities[one] || one - other);
  const likely = order.filter((k) => point.probabilities[k] > UNLIKELY).length;
  const first = Math.max(3, Math.min(likely, MANY - 2));
  add(order.slice(0, first));
  const rest = order.slice(first);
  const more = make(
    "li",
    {},
    make(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () => {
          more.remove();
          add(rest);
        },
      },
      `${rest.length} more actions, none likelier than ${digits(point.probabilities[rest[0]], 3)}`,
    ),
  );
  list.append(more);
  return list;
}

function actionItem(name, probability) {
  const bar = make("span", { class: "probability-bar", "aria-hidden": "true" });
  bar.style.setProperty("width", `${Math.max(0, Math.min(1, probability)) * 100}%`);
  return make(
    "li",
    { class: "action", title: String(probability), "data-probability": probability },
    make("span", { class: "action-name" }, name),
    make("span", { class: "track" }, bar),
    make("span", { class: "probability" }, digits(probability, 6)),
  );
}

function fillPager(pager, page, pages, go) {
  if (pages < 2) {
    pager.replaceChildren();
    return;
  }
  const at = pager.contains(document.activeElement) ? document.activeElement.dataset.go : null;
  const button = (text, to, isOff) =>
    make("button", { type: "button", "data-go": text, disabled: isOff, onclick: () => go(to) }, text);
  pager.replaceChildren(
    button("First", 0, page === 0),
    button("Previous", page - 1, page === 0),
    make("span", {}, `page ${page + 1} of ${pages}`),
    button("Next", page + 1, page === pages - 1),
    button("Last", pages - 1, page === pages - 1),
  );
  const again = at && pager.querySelector(`[data-go="${at}"]:not(:disabled)`);
  if (again) again.focus();
}

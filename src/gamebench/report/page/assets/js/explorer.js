/* A policy, decision point by decision point. */

import { DATA, unpack } from "./data.js";
import { make, note, section } from "./dom.js";
import { choice, plainButton, runChooser, searchField } from "./inputs.js";
import { clamp, digits, plural } from "./numbers.js";

const POINTS_PER_PAGE = 20;
const MANY_ACTIONS = 10;
const LONG_NAME = 16;
const UNLIKELY = 1e-6;

const ORDERS = {
  gain: ["gain, greatest first", (one, other) => other.gain - one.gain],
  order: ["order in the game", () => 0],
  reach: ["reach, greatest first", (one, other) => other.reach - one.reach],
  least: ["least certain first", (one, other) => certainty(one) - certainty(other)],
};

export function explorer() {
  const { policies, games, leftOut, impossible } = DATA.explorer;
  const notes = [
    ...Object.entries(impossible).map(([game, reason]) => note(`Policies of ${game} cannot be shown: ${reason}`)),
    ...leftOutNotes(Object.entries(leftOut)),
  ];
  if (!policies.length && !notes.length) return;
  const body = section(
    "policies",
    "Policies",
    "The final policy of a run at every decision point. The reach is the probability that chance and the other players " +
      "reach the point. The gain is what a best response of the player would add from there on, weighted by the " +
      "reach; the gains at a player\u2019s first decision points add up to its total possible gain.",
  );
  body.append(...notes);
  if (!policies.length) return;
  const view = { policy: null, search: "", order: "gain", page: 0 };
  const parts = {
    list: make("ol", { class: "points", id: "points" }),
    about: make("p", { class: "about", id: "policy-about" }),
    pager: make("div", { class: "pager" }),
  };
  const change = (values) => {
    Object.assign(view, { page: 0, ...values });
    show(view, parts, (page) => change({ page }));
  };
  const chooser = runChooser(policies, "policy", (run) => change({ policy: opened(run, games[run.of]) }));
  const orders = Object.entries(ORDERS).map(([key, [text]]) => [key, text]);
  chooser.row.append(
    choice("sort by", orders, view.order, (order) => change({ order }), { id: "policy-sort" }),
    searchField("search", "text, action or player", (search) => change({ search }), { id: "policy-search" }),
  );
  body.append(chooser.row, parts.about, parts.list, parts.pager);
  chooser.start();
}

function show(view, { list, about, pager }, turnTo) {
  const { points, game } = view.policy;
  const wanted = view.search.trim().toLowerCase();
  const found = sortedPoints(
    points.filter((point) => point.text.includes(wanted)),
    view.order,
  );
  const pages = Math.max(1, Math.ceil(found.length / POINTS_PER_PAGE));
  const first = view.page * POINTS_PER_PAGE;
  about.textContent = aboutPoints(found.length, points.length) + aboutTeams(game);
  list.start = first + 1;
  list.replaceChildren(...found.slice(first, first + POINTS_PER_PAGE).map(pointItem));
  fillPager(pager, view.page, pages, turnTo);
}

function leftOutNotes(games) {
  if (!games.length) return [];
  const total = games.reduce((sum, [, runs]) => sum + runs, 0);
  const text =
    `To keep the page small, the policies of ${plural(total, "run")} are left out; ` +
    "default settings and lowest seeds come first.";
  const list = games.map(([game, runs]) => `${game}: ${plural(runs, "run")}`).join("; ");
  return [make("details", { class: "note" }, make("summary", {}, text), make("p", {}, list))];
}

/** The numbers of a policy beside the text of its game. Packed are the probabilities of all sequences, then the reach
    and then the gain of each decision point. */
function opened(policy, game) {
  const numbers = unpack(policy.numbers);
  const size = game.states.length;
  const sequences = numbers.length - 2 * size;
  const points = game.states.map((information, index) => {
    const actions = game.actions[game.kinds[index]];
    const first = game.first[index];
    const player = `${game.coordinated ? "team" : "player"} ${game.players[index]}`;
    return {
      index,
      player,
      information,
      actions,
      probabilities: numbers.subarray(first, first + actions.length),
      reach: numbers[sequences + index],
      gain: numbers[sequences + size + index],
      text: `${information} ${player} ${actions.join(" ")}`.toLowerCase(),
    };
  });
  return { points, game };
}

function aboutPoints(found, total) {
  const points = plural(total, "decision point");
  return found === total ? `${points}.` : `${found} of ${points}.`;
}

function aboutTeams({ coordinated, hasTeams, teams }) {
  if (!coordinated && !hasTeams) return "";
  const sides = teams.map((team) => team.join(" and ")).join(" against ");
  if (coordinated) return ` Coordinators tell members of their teams (${sides}) what to do: a gain is a team\u2019s.`;
  return ` Players form teams (${sides}): a gain is that of one player whose teammates keep their policies.`;
}

function sortedPoints(points, order) {
  const [, compare] = ORDERS[order];
  return [...points].sort((one, other) => compare(one, other) || one.index - other.index);
}

function certainty(point) {
  return Math.max(...point.probabilities);
}

function pointItem(point) {
  return make(
    "li",
    { class: "point", "data-point": point.index },
    make(
      "div",
      { class: "point-head" },
      make("span", { class: "player" }, point.player),
      fact("gain", point.gain),
      fact("reach", point.reach),
    ),
    make("code", { class: "state" }, point.information || "(no text)"),
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

/** All actions; if there are many, only the likeliest at first. */
function actionList({ actions, probabilities }) {
  const isLong = actions.some((name) => name.length > LONG_NAME);
  const list = make("ul", { class: isLong ? "actions long" : "actions" });
  const add = (indices) => list.append(...indices.map((index) => actionItem(actions[index], probabilities[index])));
  const order = [...actions.keys()];
  if (order.length <= MANY_ACTIONS) {
    add(order);
    return list;
  }
  order.sort((one, other) => probabilities[other] - probabilities[one] || one - other);
  const likely = probabilities.filter((probability) => probability > UNLIKELY).length;
  const first = clamp(likely, 3, MANY_ACTIONS - 2);
  const rest = order.slice(first);
  const text = `${rest.length} more actions, none likelier than ${digits(probabilities[rest[0]], 3)}`;
  const showRest = () => {
    more.remove();
    add(rest);
  };
  const more = make("li", {}, plainButton(text, showRest));
  add(order.slice(0, first));
  list.append(more);
  return list;
}

function actionItem(name, probability) {
  const bar = make("span", { class: "probability-bar", "aria-hidden": "true" });
  bar.style.setProperty("width", `${clamp(probability, 0, 1) * 100}%`);
  return make(
    "li",
    { class: "action", title: String(probability), "data-probability": probability },
    make("span", { class: "action-name" }, name),
    make("span", { class: "track" }, bar),
    make("span", { class: "probability" }, digits(probability, 6)),
  );
}

/** Buttons to other pages. The button with the focus keeps it, so that the keyboard can turn further pages. */
function fillPager(pager, page, pages, turnTo) {
  if (pages < 2) {
    pager.replaceChildren();
    return;
  }
  const focused = pager.contains(document.activeElement) ? document.activeElement.dataset.go : null;
  const button = (text, target, disabled) =>
    make("button", { type: "button", "data-go": text, disabled, onclick: () => turnTo(target) }, text);
  pager.replaceChildren(
    button("First", 0, page === 0),
    button("Previous", page - 1, page === 0),
    make("span", {}, `page ${page + 1} of ${pages}`),
    button("Next", page + 1, page === pages - 1),
    button("Last", pages - 1, page === pages - 1),
  );
  if (focused) pager.querySelector(`[data-go="${focused}"]:not(:disabled)`)?.focus();
}

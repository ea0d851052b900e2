/* Where the numbers come from. */

import { DATA } from "./data.js";
import { descriptions, make, section } from "./dom.js";
import { date, duration, plural } from "./numbers.js";

export function provenance() {
  const { background } = DATA;
  const body = section("provenance", "Provenance");
  body.append(descriptions({ class: "facts" }, factsOf(background)));
  if (background.failures.length) body.append(failureList(background.failures));
  document.getElementById("source").textContent = overview(background);
  document.getElementById("colophon").textContent =
    `Made ${date(background.made)} by GameBench ${background.madeWith} from ${folderText(background.folders)}.`;
}

function factsOf(background) {
  const { folders, counts, shown, started, ended, versions, machines, made, madeWith, command } = background;
  return [
    [folders.length > 1 ? "Folders" : "Folder", folders.join(", ")],
    [folders.length > 1 ? "Runs in them" : "Runs in it", runCounts(counts)],
    ["Runs shown", String(shown)],
    ["Dates", started ? `from ${date(started)} to ${date(ended)}` : "no runs yet"],
    [
      "Time",
      `${duration(background.seconds)} in the algorithms, ` +
        `${duration(background.wallSeconds)} with measuring and saving`,
    ],
    ...background.requests.map(({ name, texts }) => [name, texts.map(withRuns)]),
    ["Versions", versions.map(withRuns)],
    ["Machine", machines.map(withRuns)],
    ["This page", `made ${date(made)} by GameBench ${madeWith}`],
    ["Make it again", [make("code", {}, command)]],
  ];
}

function folderText(folders) {
  return folders.length > 1 ? `the folders ${folders.join(" and ")}` : `the folder ${folders[0]}`;
}

function runCounts({ finished, failed, damaged, ...unfinished }) {
  const kinds = Object.entries(unfinished).filter(([, runs]) => runs);
  const total = kinds.reduce((sum, [, runs]) => sum + runs, 0);
  const listed = kinds.map(([kind, runs]) => `${runs} ${kind}`).join(", ");
  return [
    `${finished} finished`,
    `${failed} failed`,
    ...(damaged ? [`${damaged} damaged`] : []),
    listed ? `${total} unfinished (${listed})` : `${total} unfinished`,
  ].join(", ");
}

function withRuns({ text, runs }, _, all) {
  return make("p", {}, all.length > 1 ? `${text} (${plural(runs, "run")})` : text);
}

function failureList(failures) {
  return make(
    "details",
    { class: "note" },
    make("summary", {}, `Why ${plural(failures.length, "run")} failed`),
    make(
      "ul",
      {},
      failures.map(({ run, message }) => make("li", {}, make("strong", {}, run), " ", message)),
    ),
  );
}

/** The line below the title. */
function overview({ shown, ended, madeWith }) {
  const seeds = Math.max(0, ...DATA.scores.rows.map((row) => row.seeds));
  const parts = [
    plural(shown, "run"),
    plural(DATA.games.length, "game"),
    plural(DATA.methods.length, "method"),
    seeds > 1 ? `up to ${seeds} seeds` : null,
    ended ? `finished ${date(ended)}` : null,
    `GameBench ${madeWith}`,
  ];
  return parts.filter(Boolean).join(" \u00b7 ");
}

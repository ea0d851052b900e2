/* Where the numbers come from. */

function provenance() {
  const from = DATA.background;
  const body = section("provenance", "Provenance");
  const { finished, failed, damaged, ...others } = from.counts;
  const unfinished = Object.entries(others)
    .filter(([, runs]) => runs)
    .map(([name, runs]) => `${runs} ${name}`);
  const standing = [
    `${finished} finished`,
    `${failed} failed`,
    ...(damaged ? [`${damaged} damaged`] : []),
    `${Object.values(others).reduce((a, b) => a + b, 0)} unfinished` +
      (unfinished.length ? ` (${unfinished.join(", ")})` : ""),
  ];
  const facts = [
    ["Folder", from.folder],
    ["Runs in it", standing.join(", ")],
    ["Runs shown", String(from.shown)],
    ["Done", from.started ? `from ${date(from.started)} to ${date(from.ended)}` : "nothing yet"],
    ["Time", `${span(from.seconds)} in the algorithms, ${span(from.wallSeconds)} with measuring and saving`],
    ["Versions", from.versions.map(withRuns)],
    ["Machine", from.machines.map(withRuns)],
    ["This page", `made ${date(from.made)} by GameBench ${from.madeWith}`],
    ["Make it again", [make("code", {}, from.command)]],
  ];
  body.append(
    make(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
    ),
  );
  if (from.failures.length) {
    body.append(
      make(
        "details",
        { class: "note" },
        make("summary", {}, `Why ${plural(from.failures.length, "run")} failed`),
        make(
          "ul",
          {},
          from.failures.map(({ run, message }) => make("li", {}, make("strong", {}, run), " ", message)),
        ),
      ),
    );
  }
  const seeds = unique(DATA.scores.rows.map((row) => row.seeds)).length
    ? Math.max(...DATA.scores.rows.map((row) => row.seeds))
    : 0;
  document.getElementById("source").textContent = [
    plural(from.shown, "run"),
    plural(DATA.games.length, "game"),
    plural(DATA.methods.length, "method"),
    seeds > 1 ? `up to ${seeds} seeds` : null,
    from.ended ? `finished ${date(from.ended)}` : null,
    `GameBench ${from.madeWith}`,
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
  document.getElementById("colophon").textContent =
    `Made ${date(from.made)} by GameBench ${from.madeWith} from the folder ${from.folder}.`;
}

function withRuns({ text, runs }, _, all) {
  return make("p", {}, all.length > 1 ? `${text} (${plural(runs, "run")})` : text);
}

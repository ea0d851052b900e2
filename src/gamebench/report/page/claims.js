/* What was claimed, how it was tested, and what came out. */

const VERDICTS = { holds: "\u2713", fails: "\u2717", undecided: "?" };

function claims() {
  const all = DATA.claims;
  if (!all.length) return;
  const body = section("claims", "Claims", "Each claim with its test and what was measured.");
  const list = make("div", { class: "claims", id: "claim-list" });
  const verdicts = unique([...Object.keys(VERDICTS), ...all.map((claim) => claim.verdict)]);
  const number = (verdict) => all.filter((claim) => claim.verdict === verdict).length;
  const show = (verdict) =>
    list.replaceChildren(...all.filter((claim) => !verdict || claim.verdict === verdict).map(claimItem));
  body.append(
    make(
      "div",
      { class: "row" },
      segments(
        "verdict",
        [["", `all ${all.length}`], ...verdicts.map((verdict) => [verdict, `${verdict} ${number(verdict)}`])],
        "",
        show,
      ),
    ),
    list,
  );
  show("");
}

function claimItem(claim) {
  const badge = make(
    "span",
    { class: `verdict ${claim.verdict in VERDICTS ? claim.verdict : ""}` },
    `${VERDICTS[claim.verdict] || ""} ${claim.verdict}`.trim(),
  );
  const parts = [
    ["test", claim.test],
    ["measured", claim.measured],
    ["remark", claim.remark],
    ["where", claim.where],
  ].filter(([, text]) => text);
  return make(
    "details",
    { class: "claim", "data-verdict": claim.verdict },
    make(
      "summary",
      {},
      badge,
      make("span", { class: "claim-text" }, make("strong", {}, claim.name), " ", claim.statement),
    ),
    make(
      "dl",
      {},
      parts.map(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]),
    ),
  );
}

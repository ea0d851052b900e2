/* Claims, how they were tested, and what was measured. */

import { DATA, distinct } from "./data.js";
import { descriptions, make, section } from "./dom.js";
import { segments } from "./inputs.js";

const VERDICTS = { holds: "\u2713", fails: "\u2717", undecided: "?" };

export function claims() {
  if (!DATA.claims.length) return;
  const body = section("claims", "Claims", "Each claim with its test and what was measured.");
  const list = make("div", { class: "claims", id: "claim-list" });
  const verdicts = distinct([...Object.keys(VERDICTS), ...DATA.claims.map((claim) => claim.verdict)]);
  const having = (verdict) => DATA.claims.filter((claim) => !verdict || claim.verdict === verdict);
  const options = [
    ["", `all ${DATA.claims.length}`],
    ...verdicts.map((verdict) => [verdict, `${verdict} ${having(verdict).length}`]),
  ];
  const show = (verdict) => list.replaceChildren(...having(verdict).map(claimItem));
  body.append(make("div", { class: "row" }, segments("verdict", options, "", show)), list);
  show("");
}

function claimItem({ name, statement, verdict, test, measured, remark, where }) {
  const isKnown = verdict in VERDICTS;
  const badge = isKnown ? `${VERDICTS[verdict]} ${verdict}` : verdict;
  const details = Object.entries({ test, measured, remark, where }).filter(([, text]) => text);
  return make(
    "details",
    { class: "claim", "data-verdict": verdict },
    make(
      "summary",
      {},
      make("span", { class: isKnown ? `verdict ${verdict}` : "verdict" }, badge),
      make("span", { class: "claim-text" }, make("strong", {}, name), " ", statement),
    ),
    descriptions({}, details),
  );
}

/* The page, section by section. */

import { aggregates } from "./aggregates.js";
import { alphas } from "./alpha.js";
import { claims } from "./claims.js";
import { controls } from "./controls.js";
import { DATA } from "./data.js";
import { make } from "./dom.js";
import { explorer } from "./explorer.js";
import { leaderboard } from "./leaderboard.js";
import { methods } from "./methods.js";
import { profiles } from "./profiles.js";
import { provenance } from "./provenance.js";
import { scores } from "./scores.js";
import { summary } from "./summary.js";
import { tuning } from "./tuning.js";
import { followView, restoreView } from "./view.js";

const THEMES = ["auto", "light", "dark"];

function themes() {
  const buttons = THEMES.map((name) =>
    make("button", { type: "button", "data-theme": name, onclick: () => setTheme(name) }, name),
  );
  function setTheme(name) {
    if (name === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", name);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.theme === name));
  }
  document.getElementById("themes").append(...buttons);
  setTheme("auto");
}

function notes() {
  if (!DATA.notes.length) return;
  const paragraphs = DATA.notes.map((text) => make("p", {}, text));
  document.getElementById("content").append(make("aside", { class: "note", "aria-label": "Notes" }, paragraphs));
}

/** A click beside the enlarged chart closes it: only there is the dialog itself the target. */
function closeOnBackdrop() {
  const dialog = document.getElementById("large");
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

for (const part of [
  restoreView,
  themes,
  notes,
  controls,
  summary,
  tuning,
  leaderboard,
  scores,
  profiles,
  aggregates,
  alphas,
  explorer,
  methods,
  claims,
  provenance,
  closeOnBackdrop,
  followView,
])
  part();
document.documentElement.dataset.ready = String(Math.round(performance.now()));

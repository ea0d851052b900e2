/* Everything in its order. */

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

themes();
if (DATA.notes.length)
  document.getElementById("content").append(
    make(
      "aside",
      { class: "note", "aria-label": "Notes" },
      DATA.notes.map((note) => make("p", {}, note)),
    ),
  );
for (const part of [summary, scores, profiles, aggregates, alphas, explorer, claims, provenance]) part();
document
  .getElementById("large")
  .addEventListener("click", (event) => event.target === event.currentTarget && event.currentTarget.close());
document.documentElement.dataset.ready = String(Math.round(performance.now()));

/* A click on a figure, or Enter when it has the focus, shows it in full size; another click, or Escape, closes it. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.setAttribute("aria-label", "Figure in full size");
  dialog.addEventListener("click", () => dialog.close());
  document.body.append(dialog);

  for (const figure of document.querySelectorAll("article img")) {
    if (figure.closest("a")) continue; // it leads somewhere already
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    button.title = "Show in full size";
    figure.replaceWith(button);
    button.append(figure);
    button.addEventListener("click", () => {
      const copy = new Image(); // without the width that the page gives to the figure
      copy.alt = figure.alt;
      copy.src = figure.src;
      dialog.replaceChildren(copy);
      dialog.showModal();
    });
  }
});

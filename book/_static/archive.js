// The book in one file: light or dark colours, which the theme's own script chooses on ordinary pages.
"use strict";

(function () {
  const root = document.documentElement;
  const button = document.querySelector("button.benchbook-archive-theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = "";

  function apply() {
    root.dataset.theme = chosen || (dark.matches ? "dark" : "light");
    button.textContent = root.dataset.theme === "dark" ? "Light colours" : "Dark colours";
  }

  button.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
})();

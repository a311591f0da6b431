// What every page needs beyond its theme: boxes that scroll can be reached by the keyboard, and paper is light.
"use strict";

(function () {
  const SCROLLING = "pre, .cell_output > .output, .pst-scrollable-table-container";
  const root = document.documentElement;

  // The theme gives tab stops to what scrolls when the page is loaded; a box in a closed fold has no size then.
  function giveTabStops(part) {
    part.querySelectorAll(SCROLLING).forEach((box) => {
      const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      box.tabIndex = scrolls ? 0 : -1;
      if (!box.querySelector("table")) return;
      if (scrolls) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", "Table that scrolls");
      } else {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    });
  }

  function nameCopyButtons() {
    document.querySelectorAll("button.copybtn:not([aria-label])").forEach((button) => {
      button.type = "button";
      button.setAttribute("aria-label", "Copy");
    });
  }

  document.addEventListener("toggle", (event) => giveTabStops(event.target), true);
  window.addEventListener("load", () => {
    giveTabStops(document);
    nameCopyButtons();
  });
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => giveTabStops(document), 350);
  });

  // A page in dark colours would print light grey on white.
  let theme = "";
  window.addEventListener("beforeprint", () => {
    theme = theme || root.dataset.theme || "light";
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => {
    if (theme) root.dataset.theme = theme;
    theme = "";
  });
})();

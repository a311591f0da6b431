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
      tellOfMore(box);
      if (scrolls) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", "Table that scrolls");
      } else {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    });
  }

  // A table that goes on to the right fades at that edge until it is scrolled to its end.
  function tellOfMore(box) {
    box.toggleAttribute("data-goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  }

  function nameCopyButtons() {
    document.querySelectorAll("button.copybtn:not([aria-label])").forEach((button) => {
      button.type = "button";
      button.setAttribute("aria-label", "Copy");
    });
  }

  // What the address names on this page. One with a "%" that encodes nothing is taken as it is written.
  window.benchbookTarget = () => {
    const name = location.hash.slice(1);
    try {
      return document.getElementById(decodeURIComponent(name));
    } catch (error) {
      return document.getElementById(name);
    }
  };

  // Whoever follows a link into a fold finds it open.
  function unfoldTarget() {
    const target = window.benchbookTarget();
    const closed = [];
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      if (!fold.open) closed.push(fold);
    }
    if (!closed.length) return;
    closed.forEach((fold) => { fold.open = true; });
    target.scrollIntoView();
  }

  document.addEventListener(
    "scroll",
    (event) => event.target instanceof Element && event.target.matches(SCROLLING) && tellOfMore(event.target),
    { capture: true, passive: true },
  );
  document.addEventListener("toggle", (event) => giveTabStops(event.target), true);
  window.addEventListener("load", () => {
    giveTabStops(document);
    nameCopyButtons();
    unfoldTarget();
  });
  window.addEventListener("hashchange", unfoldTarget);
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

// The opening page stays small: what draws its figures (several MB) is loaded last, on a phone when a reader comes to one.
"use strict";

(function () {
  const folder = document.currentScript.src;
  const FILES = ["plotly.min.js", "benchbook.js"];

  function load(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(name, folder);
      script.onload = resolve;
      script.onerror = reject;
      document.head.appendChild(script);
    });
  }

  let begun = false;
  function begin() {
    if (begun) return;
    begun = true;
    watcher.disconnect();
    FILES.reduce((before, name) => before.then(() => load(name)), Promise.resolve());
  }

  const watcher = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && begin());
  document.querySelectorAll(".benchbook-drawing").forEach((box) => watcher.observe(box));

  // A printer does not wait: where one is likely, the figures are drawn while the reader reads.
  const paper = matchMedia("(min-width: 60rem)").matches && !(navigator.connection || {}).saveData;
  const idle = window.requestIdleCallback || window.setTimeout;
  if (paper) window.addEventListener("load", () => idle(begin));
})();

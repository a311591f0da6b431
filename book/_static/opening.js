// The opening page stays small: what draws its figure (several MB) is loaded when a reader comes to it.
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

  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watcher.disconnect();
    FILES.reduce((before, name) => before.then(() => load(name)), Promise.resolve());
  });
  document.querySelectorAll(".benchbook-drawing").forEach((box) => watcher.observe(box));
})();

// Draws a small picture of each figure that comes near, in the colours of the page's theme.
"use strict";

(function () {
  const WIDTH_PX = 800;
  const HEIGHT_PX = 420; // of a drawing that does not say its own
  const NEAR = "400px 0px";
  const wanted = new Set();
  let last = Promise.resolve();

  function load(box) {
    const plots = (window.benchbookPlots ??= {});
    const figure = box.dataset.figure;
    if (plots[figure]) return Promise.resolve(plots[figure]);
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = box.dataset.plot;
      script.onload = () => resolve(plots[figure]);
      script.onerror = () => reject(new Error(script.src));
      document.head.appendChild(script);
    });
  }

  async function draw(box) {
    const plot = structuredClone(await load(box));
    const theme = document.documentElement.dataset.theme;
    const layout = window.benchbookColoured(plot.layout || {});
    const template = (layout.template && layout.template.layout) || {};
    const height = layout.height || template.height || HEIGHT_PX;
    layout.showlegend = false; // too small to be read
    const size = { format: "svg", width: WIDTH_PX, height };
    const address = await Plotly.toImage({ data: plot.data, layout }, size);
    const image = box.querySelector("img") || box.appendChild(document.createElement("img"));
    image.alt = ""; // the box has a name
    image.className = "dark-light"; // or the theme would put it on white in the dark
    image.src = address;
    box.dataset.drawn = theme;
  }

  // One after the other, because each keeps the page busy; one that fails leaves no empty frame.
  function ask(box) {
    wanted.add(box);
    last = last.then(() => draw(box)).catch(() => { box.hidden = true; });
  }

  const watcher = new IntersectionObserver((entries) => {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      watcher.unobserve(entry.target);
      ask(entry.target);
    });
  }, { rootMargin: NEAR });
  document.querySelectorAll(".benchbook-thumbnail").forEach((box) => watcher.observe(box));

  const watched = { attributes: true, attributeFilter: ["data-theme"] };
  new MutationObserver(() => wanted.forEach(ask)).observe(document.documentElement, watched);
})();

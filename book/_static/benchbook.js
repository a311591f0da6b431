// Draws every figure of the page from the JSON beside it, in the colours of the page's theme.
"use strict";

(function () {
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    displayModeBar: "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  };
  const LIGHT = { text: "#1f2328", muted: "#57606a", grid: "#d8dee4", surface: "#ffffff" };

  function variable(name, fallback) {
    const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return value || fallback;
  }

  function pageColours() {
    return {
      text: variable("--pst-color-text-base", LIGHT.text),
      muted: variable("--pst-color-text-muted", LIGHT.muted),
      grid: variable("--pst-color-border", LIGHT.grid),
      surface: variable("--pst-color-background", LIGHT.surface),
    };
  }

  // One relayout: text, grid and hover boxes take the page's colours, marks keep their own.
  function layoutColours(layout, colours) {
    const update = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      "font.color": colours.text,
      "legend.font.color": colours.text,
      "hoverlabel.bgcolor": colours.surface,
      "hoverlabel.bordercolor": colours.muted,
      "hoverlabel.font.color": colours.text,
      "modebar.bgcolor": "rgba(0,0,0,0)",
      "modebar.color": colours.muted,
      "modebar.activecolor": colours.text,
    };
    const axes = new Set(["xaxis", "yaxis"]);
    Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name)).forEach((name) => axes.add(name));
    axes.forEach((axis) => {
      update[axis + ".gridcolor"] = colours.grid;
      update[axis + ".linecolor"] = colours.muted;
      update[axis + ".tickcolor"] = colours.muted;
    });
    return update;
  }

  // "a.b.c": value into the nested layout, for the first drawing.
  function withColours(layout, colours) {
    for (const [path, value] of Object.entries(layoutColours(layout, colours))) {
      const names = path.split(".");
      const last = names.pop();
      let place = layout;
      for (const name of names) {
        place[name] = place[name] || {};
        place = place[name];
      }
      place[last] = value;
    }
    return layout;
  }

  // On a phone the text is smaller, and a title longer than its axis goes on in the next line.
  function fitted(layout, width) {
    if (width > 560) return layout;
    layout.font = Object.assign({}, layout.font, { size: 12 });
    const characters = Math.max(16, Math.floor((width - 120) / 7));
    Object.keys(layout).filter((name) => /^xaxis\d*$/.test(name)).forEach((axis) => {
      const title = layout[axis].title;
      if (title && title.text) title.text = wrapped(title.text, characters);
    });
    return layout;
  }

  function wrapped(text, characters) {
    const lines = [""];
    text.split(" ").forEach((word) => {
      const line = lines[lines.length - 1];
      if (line && line.length + word.length + 1 > characters) lines.push(word);
      else lines[lines.length - 1] = line ? line + " " + word : word;
    });
    return lines.join("<br>");
  }

  const drawings = Array.from(document.querySelectorAll(".benchbook-drawing"));

  function draw(box) {
    const plot = JSON.parse(box.querySelector("script").textContent);
    const target = document.createElement("div");
    target.className = "benchbook-plot";
    box.appendChild(target);
    const layout = fitted(withColours(plot.layout || {}, pageColours()), box.clientWidth);
    return Plotly.newPlot(target, plot.data, layout, CONFIG).then(() => {
      box.dataset.drawn = "yes";
    });
  }

  function recolour(colours) {
    drawings.forEach((box) => {
      const plot = box.querySelector(".benchbook-plot");
      if (plot && plot.layout) Plotly.relayout(plot, layoutColours(plot.layout, colours));
    });
  }

  drawings.forEach(draw);
  new MutationObserver(() => recolour(pageColours())).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme"],
  });
  window.addEventListener("beforeprint", () => recolour(LIGHT));
  window.addEventListener("afterprint", () => recolour(pageColours()));
})();

// Draws every figure of the page from the JSON beside it, in the colours of the page's theme.
"use strict";

(function () {
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    showSendToCloud: false, // by default a button offers to upload the figure to a server elsewhere
    displayModeBar: "hover",
    // Drag zooms, a double click goes back. What is left works by the keyboard too; files have buttons of their own.
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage", "zoom2d", "pan2d"],
  };
  const NARROW_PX = 560;
  const HEIGHT_PX = 420; // of a figure that sets none
  const AROUND_PX = 120; // of that, what is not panels
  const BETWEEN_PX = 120; // ticks, a title and the heading of the panel below
  const LINE_PX = 13; // of a category's name, set in 10 px
  const GAP_LINES = 1; // between the names of two rows
  const PAPER_PX = 620; // fits the column of a printed page, A4 or letter
  const FILE = { width: 800, scale: { svg: 1, png: 2 } };
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

  // On a phone text is smaller, and names in the legend go on in the next line.
  function fitToPhone(plot, layout, width) {
    layout.font = Object.assign({}, layout.font, { size: 12 });
    layout.margin = Object.assign({}, layout.margin, { l: 8, r: 8 });
    foldColumns(layout);
    plot.data.concat(layout.shapes || []).forEach((each) => {
      if (each.name) each.name = wrapped(each.name, Math.floor((width - 80) / 6.5));
    });
  }

  // More than two panels side by side are too narrow on a phone: the others go on below the first two.
  function foldColumns(layout) {
    const named = (letter) => Object.keys(layout).filter((name) => new RegExp("^" + letter + "axis\\d*$").test(name));
    const xs = named("x").filter((name) => layout[name].domain);
    const starts = Array.from(new Set(xs.map((name) => layout[name].domain[0]))).sort((one, other) => one - other);
    const groups = Math.ceil(starts.length / 2);
    if (groups < 2 || xs.some((name) => !layout[name].anchor)) return;
    const columnAt = (x) => starts.filter((start) => start <= x).length - 1;
    const height = layout.height || HEIGHT_PX;
    const between = BETWEEN_PX / (groups * (height - AROUND_PX) + (groups - 1) * BETWEEN_PX);
    const share = (1 - (groups - 1) * between) / groups;
    const across = (column, part) => (column % 2 ? 0.54 : 0) + 0.46 * part;
    const down = (column, y) => 1 - Math.floor(column / 2) * (share + between) - share * (1 - y);
    const columns = {};
    const widths = {};
    const titles = xs.map((name) => layout[name].title).filter((title) => title && title.text);
    xs.forEach((name) => {
      const [left, right] = layout[name].domain;
      const column = columnAt(left);
      columns[name.replace("axis", "")] = column;
      widths[column] = right - left;
      layout[name].domain = [across(column, 0), across(column, 1)];
      if (starts.length === xs.length) layout[name].title = titles[0]; // one line of panels, which one title names
    });
    const rows = named("y").map((name) => ({ name, column: columns[layout[name].anchor], domain: layout[name].domain }));
    rows.forEach(({ name, column, domain }) => {
      const axis = layout[name];
      axis.domain = domain.map((y) => down(column, y));
      if (column === 0 || column % 2) return;
      const first = rows.find((other) => other.column === 0 && other.domain.join() === domain.join());
      delete axis.showticklabels; // it begins a line of its own
      if (first) axis.title = layout[first.name].title;
    });
    (layout.annotations || []).filter((each) => each.xref === "paper" && each.yref === "paper").forEach((each) => {
      const column = Math.max(0, columnAt(each.x));
      each.x = across(column, (each.x - starts[column]) / widths[column]);
      each.y = down(column, each.y);
    });
    layout.height = groups * height - (groups - 1) * (AROUND_PX - BETWEEN_PX);
  }

  // Names of categories beside the plot leave it too little room on a phone: they are broken into two or three lines.
  function wrapCategories(plot) {
    const update = {};
    axesOf(plot, "y").forEach(([name, axis]) => {
      if (axis.type !== "category" || axis.tickmode === "array") return;
      update[name + ".tickmode"] = "array";
      update[name + ".tickvals"] = axis._categories.slice();
      update[name + ".ticktext"] = axis._categories.map((category) => halved(String(category)));
      update[name + ".tickfont.size"] = 10;
    });
    return Object.keys(update).length ? Plotly.relayout(plot, update).then(() => heighten(plot, 3)) : plot;
  }

  // Rows too low for their names make the plot higher. The legend below takes its share of that, so it is asked again.
  function heighten(plot, attempts) {
    let missing = 0;
    axesOf(plot, "y").forEach(([, axis]) => {
      if (axis.type !== "category" || !axis.ticktext) return;
      const lines = Math.max(...axis.ticktext.map((text) => text.split("<br>").length));
      const needed = (lines + GAP_LINES) * LINE_PX * axis.ticktext.length;
      missing = Math.max(missing, (needed - axis._length) / (axis.domain[1] - axis.domain[0]));
    });
    if (missing < 1 || attempts === 0) return plot;
    const height = plot._fullLayout.height + missing;
    return Plotly.relayout(plot, { height: height }).then(() => heighten(plot, attempts - 1));
  }

  function halved(text) {
    return text.split("<br>")
      .map((line) => (line.length > 18 ? wrapped(line, Math.ceil(line.length / 2) + 3) : line)).join("<br>");
  }

  function axesOf(plot, letter) {
    return Object.entries(plot._fullLayout).filter(([name]) => new RegExp("^" + letter + "axis\\d*$").test(name));
  }

  // Numbers that Plotly turns because they are too close: every second of them, and every second of those, lie flat.
  function flattenTicks(plot, attempts) {
    const update = {};
    axesOf(plot, "x").forEach(([name, axis]) => {
      const turned = Array.from(plot.querySelectorAll("." + axis._id + "tick text")).some(
        (text) => /rotate\((?!0[,)])/.test(text.getAttribute("transform") || ""));
      if (!turned || axis.type === "category" || axis.tickmode !== "array" || !axis.ticktext) return;
      const [low, high] = axis.range.map((end) => (axis.type === "log" ? Math.pow(10, end) : end));
      const seen = axis.tickvals.map((value, place) => [value, axis.ticktext[place]])
        .filter(([value]) => value >= Math.min(low, high) && value <= Math.max(low, high));
      if (seen.length < 4) return;
      const kept = seen.filter((each, place) => place % 2 === (seen.length % 2 ? 0 : 1));
      update[name + ".tickvals"] = kept.map(([value]) => value);
      update[name + ".ticktext"] = kept.map(([, text]) => text);
    });
    if (!Object.keys(update).length || attempts === 0) return plot;
    return Plotly.relayout(plot, update).then(() => flattenTicks(plot, attempts - 1));
  }

  // A title longer than its axis goes on in the next line; the axis' length is known once it is drawn.
  function wrapTitles(plot) {
    const update = {};
    axesOf(plot, "x").forEach(([name, axis]) => {
      const text = axis.title && axis.title.text;
      // An axis without a title has Plotly's invitation to enter one, which is not to be set as its title.
      if (!text || text === plot._fullLayout._dfltTitle.x || text.includes("<br>")) return;
      const characters = Math.floor(axis._length / (0.55 * axis.title.font.size));
      if (text.length > characters) update[name + ".title.text"] = wrapped(text, Math.max(12, characters));
    });
    return Object.keys(update).length ? Plotly.relayout(plot, update) : plot;
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

  let onPaper = false;
  let unfolded = []; // for paper
  const drawings = Array.from(document.querySelectorAll(".benchbook-drawing"));
  const begun = new Map();

  // Each drawing once; the promise is kept for whoever has to wait for it.
  function draw(box) {
    if (!begun.has(box)) begun.set(box, drawNow(box));
    return begun.get(box);
  }

  function source(box) {
    return JSON.parse(box.querySelector("script").textContent);
  }

  function drawNow(box) {
    const plot = source(box);
    const target = document.createElement("div");
    target.className = "benchbook-plot";
    box.appendChild(target);
    const layout = withColours(plot.layout || {}, pageColours());
    const narrow = box.clientWidth <= NARROW_PX;
    if (narrow) fitToPhone(plot, layout, box.clientWidth);
    const drawn = Plotly.newPlot(target, plot.data, layout, CONFIG);
    return (narrow ? drawn.then(wrapCategories).then((made) => flattenTicks(made, 2)) : drawn).then(wrapTitles).then(() => {
      // What was made higher for a phone needs a higher place, or its legend is cut off.
      if (target._fullLayout.height > target.clientHeight) box.style.height = target._fullLayout.height + "px";
      describe(box);
      box.dataset.drawn = "yes";
      widths.observe(box);
    });
  }

  // The column changes its width without the window's when the contents are folded, or styles come late.
  const widths = new ResizeObserver((seen) => seen.forEach((each) => {
    const plot = each.target.querySelector(".benchbook-plot");
    if (onPaper || !plot.clientWidth || Math.abs(plot._fullLayout.width - plot.clientWidth) < 2) return;
    Plotly.Plots.resize(plot).then(() => wrapTitles(plot));
  }));

  // An image may hold no buttons, and a drawing has some: the box keeps the words, the lines themselves are silent.
  function describe(box) {
    box.setAttribute("role", "group");
    box.querySelectorAll("svg.main-svg").forEach((layer) => layer.setAttribute("aria-hidden", "true"));
  }

  function recolour(colours, more) {
    drawings.forEach((box) => {
      const plot = box.querySelector(".benchbook-plot");
      if (plot && plot.layout) Plotly.relayout(plot, Object.assign(layoutColours(plot.layout, colours), more)).then(wrapTitles);
    });
  }

  // As the reader's own browser draws it, on white paper.
  function save(button) {
    const row = button.closest(".benchbook-take");
    const status = row.querySelector("[role=status]");
    const box = row.parentElement.querySelector(".benchbook-drawing");
    const suffix = button.dataset.suffix;
    const plot = source(box);
    const layout = Object.assign(withColours(plot.layout || {}, LIGHT), { paper_bgcolor: LIGHT.surface });
    const options = {
      format: suffix,
      filename: row.dataset.figure,
      width: FILE.width,
      height: box.clientHeight,
      scale: FILE.scale[suffix],
    };
    return Plotly.downloadImage({ data: plot.data, layout }, options).then(
      (name) => { status.textContent = name + " is saved."; },
      (error) => { status.textContent = "This browser could not draw it: " + error.message; },
    );
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".benchbook-take button");
    if (button) save(button);
  });

  // What the page folds has no width while it is closed, so that it is drawn when it is opened.
  const FOLD = "details.benchbook-evidence";
  const isOpen = (box) => !box.closest(FOLD + ":not([open])");
  document.addEventListener("toggle", (event) => {
    if (event.target.matches(FOLD + "[open]")) drawings.filter((box) => event.target.contains(box) && isOpen(box)).forEach(draw);
  }, true);

  // Paper cannot be folded open; the folds that were opened for it.
  function unfoldAll() {
    const closed = Array.from(document.querySelectorAll(FOLD + ":not([open])"));
    closed.forEach((fold) => { fold.open = true; });
    return closed;
  }

  // A file with all pages draws what comes near; an ordinary page draws everything that is open at once.
  if (document.documentElement.dataset.draw === "near") {
    const watcher = new IntersectionObserver((entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
        watcher.unobserve(entry.target);
        draw(entry.target);
      });
    }, { rootMargin: "1500px 0px" });
    drawings.forEach((box) => watcher.observe(box));
  } else {
    drawings.filter(isOpen).forEach(draw);
  }

  // For drawings that become pictures: a layout in the page's colours.
  window.benchbookColoured = (layout) => withColours(layout, pageColours());
  // For whoever prints without a reader: all drawings, those far away too.
  window.benchbookDrawAll = () => {
    unfoldAll();
    return Promise.all(drawings.map(draw));
  };

  const watched = { attributes: true, attributeFilter: ["data-theme"] };
  new MutationObserver(() => onPaper || recolour(pageColours())).observe(document.documentElement, watched);
  window.addEventListener("beforeprint", () => {
    onPaper = true;
    unfolded = unfolded.concat(unfoldAll());
    drawings.forEach(draw);
    recolour(LIGHT, { autosize: false, width: PAPER_PX });
  });
  window.addEventListener("afterprint", () => {
    onPaper = false;
    recolour(pageColours(), { autosize: true, width: null });
    unfolded.forEach((fold) => { fold.open = false; });
    unfolded = [];
  });
})();

// Compares two runs of the catalogue: what differs in their parameters, and their estimates laid over each other.
"use strict";

(function () {
  const form = document.querySelector("form.benchbook-comparison");
  const source = document.getElementById("benchbook-runs");
  if (!form || !source) return;
  const runs = JSON.parse(source.textContent);
  const [first, second] = form.querySelectorAll("select");
  const status = form.querySelector("[role=status]");
  const result = document.querySelector(".benchbook-compared");
  const COLOURS = ["#2179b5", "#d55e00"];
  const FEWEST = 3; // blocks: fewer show points without intervals
  const SYMBOLS = ["circle", "diamond"];

  [first, second].forEach((select, place) => {
    runs.forEach((run) => {
      const option = document.createElement("option");
      option.value = run.id;
      option.textContent = run.title + ", " + run.facts.profile + ", " + run.started.slice(0, 16).replace("T", " ") + ", " + run.id;
      select.appendChild(option);
    });
    select.selectedIndex = Math.min(place, runs.length - 1);
    select.addEventListener("change", compare);
  });

  function element(name, text, parent) {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }

  function facts(run) {
    const all = new Map(run.facts.settings.map((setting) => [setting.name, setting.value]));
    ["blocks", "trials", "engine", "host", "commit", "measured", "minutes"].forEach((name) => {
      if (!all.has(name)) all.set(name, String(run.facts[name]));
    });
    return all;
  }

  function differences(one, other) {
    const left = facts(one);
    const right = facts(other);
    const names = Array.from(new Set([...left.keys(), ...right.keys()]));
    return names.map((name) => [name, left.get(name) || "", right.get(name) || ""]).filter((row) => row[1] !== row[2]);
  }

  function table(rows, columns, caption) {
    const box = element("div");
    box.className = "pst-scrollable-table-container";
    const made = element("table", "", box);
    made.className = "table";
    element("caption", caption, made);
    const head = element("tr", "", element("thead", "", made));
    columns.forEach((column) => (element("th", column, head).scope = "col"));
    const body = element("tbody", "", made);
    rows.forEach((row) => {
      const line = element("tr", "", body);
      row.forEach((cell) => element("td", cell, line));
    });
    return box;
  }

  // Plotly takes tags in a text as such, and a name is no tag.
  function plain(text) {
    return text.replace(/</g, "&lt;");
  }

  function trace(run, estimates, place) {
    return {
      type: "scatter",
      mode: "markers",
      name: plain(run.id),
      x: estimates.map((each) => each.point),
      y: estimates.map((each) => plain(each.configuration)),
      error_x: {
        type: "data",
        visible: run.facts.blocks >= FEWEST,
        symmetric: false,
        array: estimates.map((each) => each.high - each.point),
        arrayminus: estimates.map((each) => each.point - each.low),
      },
      marker: { color: COLOURS[place], symbol: SYMBOLS[place], size: 9 },
    };
  }

  function overlay(metric, one, other) {
    const configurations = new Set([...one.estimates[metric], ...other.estimates[metric]].map((each) => each.configuration));
    const box = element("div");
    box.className = "benchbook-drawing";
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", metric + " of the two runs by configuration, with 95 % intervals; the table below has the numbers");
    box.style.height = 160 + 26 * configurations.size + "px";
    const plot = {
      data: [trace(one, one.estimates[metric], 0), trace(other, other.estimates[metric], 1)],
      layout: {
        xaxis: { type: "log", title: { text: plain(metric) }, automargin: true },
        yaxis: { automargin: true, autorange: "reversed" },
        legend: { orientation: "h", yref: "container", y: 0, yanchor: "bottom" },
        margin: { l: 40, r: 16, t: 16, b: 48 },
      },
    };
    const script = element("script", "", box);
    script.type = "application/json";
    script.textContent = JSON.stringify(plot);
    return box;
  }

  function number(value) {
    return Number(value.toPrecision(4)).toString();
  }

  function written(run, metric, configuration) {
    const found = run.estimates[metric].find((each) => each.configuration === configuration);
    const ends = found && run.facts.blocks >= FEWEST ? " [" + number(found.low) + ", " + number(found.high) + "]" : "";
    return found ? number(found.point) + ends : "";
  }

  function compare() {
    const one = runs.find((run) => run.id === first.value);
    const other = runs.find((run) => run.id === second.value);
    result.replaceChildren();
    result.hidden = false;
    if (one.id === other.id) {
      status.textContent = "Choose two different runs.";
      return;
    }
    const rows = differences(one, other);
    result.appendChild(table(rows, ["", one.id, other.id], "What differs"));
    const shared = Object.keys(one.estimates).filter((metric) => other.estimates[metric]);
    status.textContent = rows.length + " differences, " + shared.length + " shared metrics";
    shared.forEach((metric) => {
      element("h3", metric, result);
      const box = overlay(metric, one, other);
      result.appendChild(box);
      window.benchbookDraw(box);
      const names = Array.from(new Set([...one.estimates[metric], ...other.estimates[metric]].map((each) => each.configuration)));
      const cells = names.map((name) => [name, written(one, metric, name), written(other, metric, name)]);
      result.appendChild(table(cells, ["configuration", one.id, other.id], metric + ", geometric mean and 95 % interval"));
    });
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  status.textContent = runs.length < 2 ? "There is only one run." : "Choose two runs to compare.";
})();

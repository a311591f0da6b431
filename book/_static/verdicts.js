// Filters the tables of the verdict page; without this script they are complete, and the form stays hidden.
"use strict";

(function () {
  const form = document.querySelector("form.benchbook-filters");
  if (!form) return;
  const fields = Array.from(form.querySelectorAll("select"));
  const status = form.querySelector("[role=status]");
  const notes = Array.from(document.querySelectorAll("section.benchbook-note")).map((section) => {
    const details = section.querySelector(".benchbook-data");
    const summary = details.querySelector("summary");
    return { section, details, summary, text: summary.textContent, rows: Array.from(section.querySelectorAll("tbody > tr")) };
  });
  const total = notes.reduce((sum, note) => sum + note.rows.length, 0);

  function apply() {
    const wanted = fields.map((field) => field.value).filter(Boolean);
    let all = 0;
    notes.forEach(({ section, details, summary, text, rows }) => {
      let shown = 0;
      rows.forEach((row) => {
        row.hidden = !wanted.every((token) => row.classList.contains(token));
        if (!row.hidden) shown += 1;
      });
      section.hidden = shown === 0;
      details.open = wanted.length > 0 && shown > 0;
      summary.textContent = wanted.length ? text.replace("The ", shown + " of the ") : text;
      all += shown;
    });
    status.textContent = wanted.length ? all + " of " + total + " claims" : total + " claims";
    remember();
  }

  // The address keeps the choice, so that it can be passed on.
  function remember() {
    const query = new URLSearchParams();
    fields.forEach((field) => field.value && query.set(field.name, field.value));
    const text = query.toString();
    try {
      history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
    } catch (error) {
      // A page opened from a folder may not change its address everywhere.
    }
  }

  function choose(values) {
    fields.forEach((field) => {
      const value = values[field.name] || "";
      field.value = Array.from(field.options).some((option) => option.value === value) ? value : "";
    });
  }

  // A number under a strip becomes a button that shows its claims.
  document.querySelectorAll(".benchbook-legend > li").forEach((item) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...item.childNodes);
    button.addEventListener("click", () => {
      const { note, main } = item.parentElement.dataset;
      choose({ note, main, outcome: item.dataset.outcome, basis: item.dataset.basis });
      apply();
      const first = notes.find((note) => !note.section.hidden);
      if (first) first.section.scrollIntoView();
    });
    item.append(button);
  });

  // A link to one claim opens the table that holds it.
  function openTarget() {
    const target = window.benchbookTarget();
    const details = target && target.closest(".benchbook-note > .benchbook-data");
    if (!details) return;
    if (target.hidden || target.closest("[hidden]")) {
      choose({});
      apply();
    }
    details.open = true;
    target.scrollIntoView();
  }

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  window.addEventListener("hashchange", openTarget);
  let openedForPrint = [];
  window.addEventListener("beforeprint", () => {
    openedForPrint = notes.filter((note) => !note.details.open);
    openedForPrint.forEach((note) => { note.details.open = true; });
  });
  window.addEventListener("afterprint", () => openedForPrint.forEach((note) => { note.details.open = false; }));
  choose(Object.fromEntries(new URLSearchParams(location.search)));
  form.hidden = false;
  apply();
  openTarget();
})();

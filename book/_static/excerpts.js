// The search fetches each page that it found for an excerpt. Browsers refuse that to a page that was opened from a
// folder, so there the page's words come from a script that lies beside the book's other files. And among pages that
// have the words as often, those that answer a question stand before those that list or explain.
"use strict";

const answering = [[/^book\/advice$/, 12], [/^book\/(questions|trials)\//, 6], [/^book\/(index$|chapters\/)/, 3]];
// Sphinx's own numbers; only the first line is ours.
var Scorer = {
  score: ([page, , , , score]) => score + (answering.find(([pages]) => pages.test(page)) ?? [null, 0])[1],
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};

(function () {
  if (location.protocol !== "file:") return;
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);

  function load(page) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(`_static/texts/${page}.js`, root);
      script.onload = resolve;
      script.onerror = () => reject(new Error(`the words of ${page} are not beside the book`));
      document.head.append(script);
    });
  }

  // As the search reads a page: its sections, each under its id, in what it takes for the main part.
  function written(sections) {
    return sections.map(([id, words, below]) => {
      const section = document.createElement("section");
      section.id = id;
      section.append(`${words} `, ...written(below));
      return section;
    });
  }

  window.fetch = async (address) => {
    const page = new URL(address, location.href).href.slice(root.href.length).replace(/\.html$/, "");
    await load(page);
    const main = document.createElement("main");
    main.setAttribute("role", "main");
    main.append(...written(window.benchbookTexts[decodeURIComponent(page)] || []));
    return { text: () => Promise.resolve(main.outerHTML) };
  };
})();

// Says what pasted counters mean, by the rules that benchbook diagnose reads too; nothing leaves the page.
"use strict";

(function () {
  const form = document.querySelector("form.benchbook-diagnose");
  if (!form) return;
  const rules = JSON.parse(form.querySelector("script").textContent);
  const [box, list] = [form.querySelector("textarea"), form.querySelector("ul")];

  function digits(value) {
    if (value === 0) return "0";
    return value.toLocaleString("en-US", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
  }

  function counters(text) {
    const [first, last] = [new Map(), new Map()];
    for (const [, name, number] of text.matchAll(new RegExp(rules.pair, "g"))) {
      (first.has(name) ? last : first).set(name, Number(number.replaceAll(",", "")));
    }
    return new Map([...first].map(([name, value]) => [name, last.has(name) ? last.get(name) - value : value]));
  }

  function names(expression) {
    if (Array.isArray(expression)) return expression.slice(1).flatMap(names);
    return typeof expression === "string" ? [expression] : [];
  }

  const operations = {
    "+": (...each) => each.reduce((sum, one) => sum + one),
    "*": (...each) => each.reduce((product, one) => product * one),
    "/": (above, below) => (below ? above / below : NaN),
    power: (base, exponent) => base ** exponent,
    ">": (left, right) => left > right,
    "<": (left, right) => left < right,
    and: (...each) => each.every(Boolean),
  };

  function value(expression, found) {
    if (typeof expression === "string") return found.get(expression);
    if (!Array.isArray(expression)) return expression;
    const [operation, ...parts] = expression;
    return operations[operation](...parts.map((part) => value(part, found)));
  }

  function says(found) {
    return rules.kinds.filter((kind) => kind.signs.some((sign) => found.has(sign))).flatMap((kind) =>
      kind.rules.filter((rule) => {
        const asked = [...names(rule.when), ...Object.values(rule.values || {}).flatMap(names)];
        return asked.every((name) => found.has(name)) && !found.has(rule.without) && value(rule.when, found);
      }).map((rule) => {
        const text = rule.say.replace(/{(\w+)}/g, (_, name) => digits(value(rule.values[name], found)));
        return rule.forbids ? text + " It cannot be: " + rule.forbids + "." : text;
      }));
  }

  function show() {
    const found = says(counters(box.value));
    const said = found.length || !box.value.trim() ? found : ["No counter in it is known."];
    list.replaceChildren(...said.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }

  box.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
})();

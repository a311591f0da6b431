// Computes throughput for the money with the prices that a reader types; what it starts from stands in the next table.
"use strict";

(function () {
  const form = document.querySelector("form.benchbook-prices");
  const table = form && [...document.querySelectorAll("article table")]
    .find((each) => form.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
  if (!table) return;
  const status = form.querySelector("[role=status]");
  const number = (text) => Number(text.replace(/[^\d.]/g, ""));
  const offers = [...table.querySelectorAll("tbody tr")]
    .map((row) => [...row.cells].map((cell) => cell.textContent.trim()))
    .map(([name, usd, cold, warm]) => ({ name, usd: number(usd), cold: number(cold), warm: number(warm) }));
  if (offers.length !== 2 || offers.some((each) => !(each.usd > 0 && each.cold > 0 && each.warm > 0))) return;

  const boxes = offers.map((offer, place) => {
    const label = document.createElement("label");
    const words = document.createElement("span");
    const box = document.createElement("input");
    words.textContent = offer.name + ", USD a month";
    Object.assign(box, { type: "number", name: "price" + place, min: "0.01", step: "any", value: String(offer.usd) });
    box.setAttribute("inputmode", "decimal");
    label.append(words, box);
    form.insertBefore(label, status);
    box.addEventListener("input", compute);
    return box;
  });

  function range(low, high) {
    const [first, last] = [low, high].map((value) => value.toFixed(2));
    return first === last ? first : first + " to " + last;
  }

  function compute() {
    const prices = boxes.map((box) => box.valueAsNumber);
    boxes.forEach((box, place) => box.setAttribute("aria-invalid", String(!(prices[place] > 0))));
    if (!prices.every((price) => price > 0 && Number.isFinite(price))) {
      status.textContent = "Type a price above 0 in both boxes.";
      return;
    }
    const [large, small] = offers.map((offer, place) => ({
      name: offer.name, cold: offer.cold / prices[place], warm: offer.warm / prices[place],
    }));
    status.textContent = [large, small]
      .map((each) => each.name + ": " + range(each.cold, each.warm) + " TPS per USD a month. ").join("") +
      small.name + " gives " + range(small.cold / large.warm, small.warm / large.warm) +
      " times the throughput of " + large.name + " for the money.";
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  compute();
  form.hidden = false;
})();

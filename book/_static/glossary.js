// A word of the glossary shows its meaning under the pointer, with the keyboard's focus and at the first touch; a second
// touch follows the link. The meaning stays while the pointer is on it, and the Escape key puts it away.
"use strict";

(function () {
  const words = document.querySelectorAll("a.benchbook-term");
  if (!words.length) return;
  const box = document.createElement("div");
  box.id = "benchbook-meaning";
  box.setAttribute("role", "tooltip");
  box.hidden = true;
  document.body.append(box);
  let shown = null;
  let leaving = 0;
  let touched = false;

  function show(word) {
    clearTimeout(leaving);
    if (shown === word) return;
    hide();
    shown = word;
    box.textContent = word.dataset.meaning;
    box.hidden = false;
    word.setAttribute("aria-describedby", box.id);
    const line = word.getClientRects()[0];
    const size = box.getBoundingClientRect();
    const left = Math.min(line.left, document.documentElement.clientWidth - size.width - 8);
    const above = line.top - size.height - 4;
    box.style.left = `${Math.max(8, left) + scrollX}px`;
    box.style.top = `${(above < 0 ? line.bottom + 4 : above) + scrollY}px`;
  }

  function hide() {
    clearTimeout(leaving);
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }

  // Long enough to bring the pointer from the word to its meaning.
  function leave() {
    leaving = setTimeout(hide, 250);
  }

  words.forEach((word) => {
    word.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show(word));
    word.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
    word.addEventListener("pointerdown", (event) => { touched = event.pointerType !== "mouse" && shown !== word; });
    word.addEventListener("focus", () => show(word));
    word.addEventListener("blur", hide);
    word.addEventListener("click", (event) => {
      if (!touched) return;
      touched = false;
      event.preventDefault();
      show(word);
    });
  });
  box.addEventListener("pointerenter", () => clearTimeout(leaving));
  box.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("pointerdown", (event) => {
    if (shown && event.target !== shown && !box.contains(event.target)) hide();
  });
})();

// Elements that look like two before them and stand in others that do, with all in them, are hidden where they are.
// One letter alone is a look of its own, since axe-core does not judge it; so is an element without words.
() => {
  const styles = ["color", "backgroundColor", "backgroundImage", "borderBottomColor", "borderBottomWidth", "display",
    "filter", "fontSize", "fontWeight", "mixBlendMode", "opacity", "position", "textDecorationLine", "textShadow",
    "visibility"];
  const numbers = new Map(), looks = new Map(), met = [], alike = new Set();
  for (const each of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(each);
    const letters = [...each.childNodes].map(child => child.nodeType === 3 ? child.data.trim() : "").join("").length;
    const look = [looks.get(each.parentElement), each.localName, each.getAttribute("role"), Math.min(letters, 2),
      each.matches(":disabled"), ...styles.map(name => style[name])].join("|");
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    const number = numbers.get(look);
    looks.set(each, number);
    met[number] = (met[number] ?? 0) + 1;
    if (met[number] > 2) alike.add(each);
  }
  const hide = each => {
    if (alike.has(each) && [...each.querySelectorAll("*")].every(child => alike.has(child))) each.dataset.alike = "";
    else [...each.children].forEach(hide);
  };
  [...document.body.children].forEach(hide);
  const style = document.createElement("style");
  style.textContent = "[data-alike], [data-alike] * { visibility: hidden !important; }";
  document.head.append(style);
}

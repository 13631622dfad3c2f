// Small helpers to build a page. Whatever is written goes in as text, never as markup.

/** Make an element: properties that are functions listen, `data-…`, `aria-…` and others are attributes. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const percent = (x, places = 0) => `${(100 * x).toFixed(places)} %`;

/** Write a number with three figures, as a person would. */
export function figures(x) {
  if (x === null || Number.isNaN(x)) return "undefined";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size < 1e-3 || size >= 1e4 ? x.toExponential(1).replace("-", "−") : x.toPrecision(3).replace("-", "−");
}

const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

/** The colour of a cell between paper (0) and full (1), and a colour of letters that can be read on it. */
export function heat(strength, dark = isDark()) {
  const [from, to] = dark ? [[24, 28, 38], [142, 162, 255]] : [[255, 255, 255], [43, 63, 180]];
  const s = Math.min(1, Math.max(0, strength || 0));
  const rgb = from.map((value, i) => Math.round(value + s * (to[i] - value)));
  const light = rgb.map((value) => {
    const x = value / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  return { background: `rgb(${rgb.join(", ")})`, color: luminance > 0.179 ? "#000" : "#fff" };
}

/** Call once the page has had nothing to do for a moment. */
export function settled(call, wait = 150) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), wait);
  };
}

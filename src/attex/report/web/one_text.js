// One text: its words, a row of cells for each measure, and a row of weights that can be dragged.

import { h, heat, percent } from "./elements.js";

const WINDOW = 120;
const LETTERS = 14;

/** Shows one text in a place, and tells what is done to it: `select(token)`, `weigh(token, weight)`. */
export class OneText {
  constructor(place, { select, weigh } = {}) {
    this.place = place;
    this._select = select ?? (() => {});
    this._weigh = weigh ?? (() => {});
    this.selected = null;
    this._open = new Map();
  }

  /** Draw a text with rows as `heat_rows.js` makes them; weights are those of the hand, if there is one. */
  show(text, rows, weights = null, own = null) {
    const another = this.text?.name !== text.name;
    Object.assign(this, { text, rows, weights, own });
    if (another) {
      this._open = new Map();
      this.selected = null;
    }
    this._words = [];
    this._bars = [];
    this.place.replaceChildren(...this._windows());
    this._mark();
  }

  /** Show other weights without drawing anything anew. */
  reweigh(weights) {
    this.weights = weights;
    const highest = Math.max(...weights, ...this.own) || 1;
    this._bars.forEach((bar, t) => bar && drawBar(bar, weights[t], this.own[t], highest));
  }

  select(token) {
    this.selected = token;
    this._mark();
  }

  focus(token) {
    this._words[token]?.focus();
  }

  _windows() {
    const length = this.text.tokens.length;
    if (length <= WINDOW * 1.5) return this._lines(0, length);
    const heaviest = this._heaviest();
    const windows = [];
    for (let start = 0; start < length; start += WINDOW) {
      const end = Math.min(length, start + WINDOW);
      const number = start / WINDOW;
      const inside = h("div");
      const open = this._open.get(number) ?? (number === 0 || number === heaviest);
      const fill = () => inside.childElementCount || inside.append(...this._lines(start, end));
      const fold = h(
        "details",
        {
          class: "window",
          open,
          toggle: () => {
            this._open.set(number, fold.open);
            if (fold.open) fill();
            if (this.weights) this.reweigh(this.weights);
            this._mark();
          },
        },
        h("summary", {}, `Words ${start + 1} to ${end} of ${length}${this._share(start, end)}`),
        inside,
      );
      if (open) fill();
      windows.push(fold);
    }
    return windows;
  }

  _heaviest() {
    const row = this.rows.find((one) => one.kind === "measure");
    if (!row) return 0;
    return Math.floor(row.strength.indexOf(Math.max(...row.strength)) / WINDOW);
  }

  _share(start, end) {
    const row = this.rows.find((one) => one.kind === "measure");
    if (!row) return "";
    const total = row.strength.reduce((a, b) => a + b, 0) || 1;
    const part = row.strength.slice(start, end).reduce((a, b) => a + b, 0);
    return `: ${percent(part / total)} of ${row.name}`;
  }

  /** Break words into lines as wide as there is room, each a small table. */
  _lines(start, end) {
    const room = Math.max(180, (this.place.clientWidth || 640) - labelWidth(this.place) - 12);
    const lines = [];
    let first = start;
    let used = 0;
    for (let t = start; t < end; t++) {
      const width = columnWidth(this.text.tokens[t], this.rows);
      if (t > first && used + width > room) {
        lines.push(this._line(first, t));
        first = t;
        used = 0;
      }
      used += width;
    }
    if (first < end) lines.push(this._line(first, end));
    return lines;
  }

  _line(start, end) {
    const places = Array.from({ length: end - start }, (_, i) => start + i);
    const head = h("tr", {}, h("td"), places.map((t) => h("th", { scope: "col" }, this._word(t))));
    const body = this.rows.map((row) =>
      h(
        "tr",
        { class: row.kind },
        h("th", { scope: "row", title: row.name }, row.name),
        places.map((t) => h("td", { title: row.told[t], style: heat(row.strength[t]) }, row.says[t])),
      ),
    );
    if (this.weights) {
      const cells = places.map((t) => h("td", {}, this._bar(t)));
      body.push(h("tr", { class: "hand" }, h("th", { scope: "row" }, "weights tried"), cells));
    }
    return h("table", { class: "line" }, h("thead", {}, head), h("tbody", {}, body));
  }

  _word(t) {
    const { tokens, known, truth } = this.text;
    const said = [
      tokens[t],
      known[t] ? "" : "not in the vocabulary: the model sees <unk>",
      truth?.[t] ? "known to decide the label" : "",
    ].filter(Boolean);
    const word = tokens[t].length > LETTERS + 2 ? `${tokens[t].slice(0, LETTERS)}…` : tokens[t];
    const kinds = ["word", known[t] ? "" : "unknown", truth?.[t] ? "truth" : ""].filter(Boolean).join(" ");
    const button = h(
      "button",
      {
        type: "button",
        class: kinds,
        title: said.join("; "),
        "aria-label": said.join("; "),
        "aria-pressed": "false",
        tabindex: "-1",
        dir: "auto",
        click: () => this._select(t),
        keydown: (event) => this._key(event, t),
      },
      word,
    );
    this._words[t] = button;
    return button;
  }

  _key(event, t) {
    const there = this._words.map((word, i) => (word?.isConnected ? i : -1)).filter((i) => i >= 0);
    const place = there.indexOf(t);
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    const weights = { ArrowUp: 0.01, ArrowDown: -0.01, PageUp: 0.1, PageDown: -0.1 };
    if (event.key in steps) this._go(there[place + steps[event.key]]);
    else if (event.key === "Home") this._go(there[0]);
    else if (event.key === "End") this._go(there.at(-1));
    else if (this.weights && event.key in weights) {
      const weight = Math.min(1, Math.max(0, this.weights[t] + weights[event.key]));
      this._weigh(t, weight);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  _go(token) {
    if (token === undefined) return;
    for (const word of this._words) if (word) word.tabIndex = -1;
    this._words[token].tabIndex = 0;
    this._words[token].focus();
  }

  /** Words are one stop for the tabulator; arrows go from one to the next. */
  _mark() {
    const there = this._words.map((word, i) => (word?.isConnected ? i : -1)).filter((i) => i >= 0);
    const stop = there.includes(this.selected) ? this.selected : there[0];
    for (const t of there) {
      this._words[t].tabIndex = t === stop ? 0 : -1;
      this._words[t].setAttribute("aria-pressed", String(t === this.selected));
    }
  }

  _bar(t) {
    const bar = h("div", { class: "bar", title: "drag up or down" }, h("i", { class: "own" }), h("i", { class: "now" }), h("span"));
    this._bars[t] = bar;
    drawBar(bar, this.weights[t], this.own[t], Math.max(...this.weights, ...this.own) || 1);
    bar.addEventListener("pointerdown", (event) => this._drag(event, t, bar));
    return bar;
  }

  _drag(event, t, bar) {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const [from, before] = [event.clientY, this.weights[t]];
    // A full weight is this many pixels away, however large the bar is.
    const pixels = 160;
    const move = (moved) => this._weigh(t, Math.min(1, Math.max(0, before + (from - moved.clientY) / pixels)));
    const end = () => {
      bar.removeEventListener("pointermove", move);
      bar.removeEventListener("pointerup", end);
      bar.removeEventListener("pointercancel", end);
      // Only now: what is chosen is drawn anew, and this bar with it.
      this._select(t);
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", end);
    bar.addEventListener("pointercancel", end);
  }
}

const labelWidth = (place) => (place.clientWidth < 480 ? 84 : 132);

function columnWidth(word, rows) {
  const letters = Math.min(LETTERS + 1, Array.from(word).reduce((n, c) => n + (c > "⺀" ? 2 : 1), 0));
  const least = rows.some((row) => row.kind === "spread") ? 46 : 34;
  return Math.max(least, 7.7 * letters + 12);
}

/** Bars are scaled, not laid out anew, and what they say is written only where it changes. */
function drawBar(bar, weight, own, highest) {
  const [before, now, says] = bar.children;
  before.style.transform = `translateY(${-100 * (own / highest)}%)`;
  now.style.transform = `scaleY(${weight / highest})`;
  const words = String(Math.round(100 * weight));
  if (says.textContent !== words) says.textContent = words;
}

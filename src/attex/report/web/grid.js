// A table that can be sorted by any column; of many rows it shows some, and more when asked.

import { h } from "./elements.js";

const AT_ONCE = 200;

/** Compare two cells: numbers before words, and what is undefined last. */
function order(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b, undefined, { numeric: true });
}

/** One table; columns are { title, value(row), cell(row) or nothing, kind: "n", "words" or nothing }. */
export class Grid {
  constructor(place, label) {
    this.place = place;
    this.label = label;
    this.sorted = null;
    this.down = false;
  }

  /** Show rows, in their own order until a column is chosen; the choice stays. */
  show(columns, rows) {
    this.columns = columns;
    this.rows = rows;
    this.most = AT_ONCE;
    this._draw();
  }

  _draw() {
    const by = this.columns.find((column) => column.title === this.sorted);
    let rows = this.rows;
    if (by) {
      const sign = this.down ? -1 : 1;
      const known = (row) => by.value(row) !== null && by.value(row) !== undefined;
      rows = [...rows].sort((a, b) => (known(a) && known(b) ? sign : 1) * order(by.value(a), by.value(b)));
    }
    const body = h("tbody", {}, rows.slice(0, this.most).map((row) => this._row(row)));
    const head = h("thead", {}, h("tr", {}, this.columns.map((column) => this._heading(column))));
    const table = h("div", { class: "grid", tabindex: "0", role: "region", "aria-label": this.label }, h("table", {}, head, body));
    const left = rows.length - this.most;
    const more = h("button", { type: "button", click: () => this._more() }, `Show ${Math.min(left, AT_ONCE)} more of ${left}`);
    this.place.replaceChildren(table, ...(left > 0 ? [h("p", {}, more)] : []));
  }

  _heading(column) {
    const here = column.title === this.sorted;
    const sort = here ? (this.down ? "descending" : "ascending") : null;
    const button = h("button", { type: "button", click: () => this._sort(column.title) }, column.title);
    return h("th", { scope: "col", class: column.kind === "n" ? "n" : null, "aria-sort": sort }, column.value ? button : column.title);
  }

  _row(row) {
    return h("tr", {}, this.columns.map((column) => {
      const shown = column.cell ? column.cell(row) : column.value(row);
      return h("td", { class: column.kind ?? null, dir: "auto" }, shown ?? "–");
    }));
  }

  _sort(title) {
    this.down = this.sorted === title && !this.down;
    this.sorted = title;
    this._draw();
    [...this.place.querySelectorAll("th button")].find((button) => button.textContent === title)?.focus();
  }

  _more() {
    this.most += AT_ONCE;
    this._draw();
  }
}

/** Whether a text has every word that somebody looks for. */
export function has(text, wanted) {
  const low = text.toLowerCase();
  return wanted.toLowerCase().split(/\s+/).every((word) => low.includes(word));
}

/** Write a number with three decimals, and with its size where these would call it nothing. */
export function decimals(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const shown = x !== 0 && Math.abs(x) < 0.0005 ? x.toExponential(1) : x.toFixed(3);
  return shown.replace("-", "−");
}

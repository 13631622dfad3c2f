// The explorer: a list of texts to search, filter and sort, one text with hands on it, and one pinned beside it.

import { readAddress, startState, writeAddress } from "./address.js";
import { h, settled } from "./elements.js";
import { found, SORTS } from "./finding.js";
import { SCALES } from "./heat_rows.js";
import { fillList, PAGE } from "./list.js";
import { Pane } from "./pane.js";
import { Texts } from "./texts.js";

/** Runs the explorer inside the section that the template has laid out. */
export class Explorer {
  constructor(section, index, folder) {
    this.section = section;
    this.texts = new Texts(index, folder);
    this.start = startState(index);
    this.state = { ...this.start, typed: [] };
    this.page = 0;
    this.turn = 0;
  }

  $(name) {
    return this.section.querySelector(`[data-x="${name}"]`);
  }

  async open() {
    await this.texts.open();
    this._choices();
    this.pane = new Pane(this.section, this.texts, settled(() => this._remember()));
    this._listen();
    this._fromAddress();
    await this._refresh();
    this.section.dataset.ready = "";
  }

  /** A text that did not come with the page, as one that was typed in. */
  showText(text) {
    this.pane.given = text;
    return this._show();
  }

  _choices() {
    const { classes, seeds, measures } = this.texts;
    const fill = (name, options) =>
      this.$(name).append(...options.map(([value, words]) => h("option", { value }, words)));
    for (const name of ["label", "predicted"]) fill(name, [["", "any"], ...classes.map((c, i) => [i, c])]);
    fill("right", [["", "right or wrong"], ["right", "right"], ["wrong", "wrong"]]);
    fill("seed", seeds.map((seed) => [seed, `seed ${seed}`]));
    const sorts = Object.entries(SORTS).filter(([name]) => name !== "disagreement" || measures.length > 1);
    fill("sort", sorts);
    fill("first", measures.map((m) => [m, m]));
    fill("second", measures.map((m) => [m, m]));
    fill("scale", Object.entries(SCALES));
    fill("spread", [["", "not shown"], ...measures.map((m) => [m, m])]);
    this.$("spread").closest("label").hidden = seeds.length < 2;
    this.$("seed").closest("label").hidden = seeds.length < 2;
  }

  _listen() {
    for (const name of ["label", "predicted", "right", "seed", "sort", "first", "second", "least", "most"]) {
      this.$(name).addEventListener("change", () => this._filter(name));
    }
    this.$("search").addEventListener("input", settled(() => this._filter("search"), 60));
    for (const name of ["scale", "spread"]) {
      this.$(name).addEventListener("change", () => {
        this.state[name] = this.$(name).value;
        this._show();
      });
    }
    const press = { down: () => this._turnAround(), clear: () => this._clear(), copy: () => this.pane.copy() };
    Object.assign(press, { pin: () => this._pin(this.state.text), unpin: () => this._pin(null) });
    Object.assign(press, { "earlier-page": () => this._turnPage(-1), "later-page": () => this._turnPage(1) });
    Object.assign(press, { before: () => this._step(-1), after: () => this._step(1) });
    for (const [name, act] of Object.entries(press)) this.$(name).addEventListener("click", act);
    this.$("list").addEventListener("keydown", (event) => this._listKey(event));
    this.section.addEventListener("keydown", (event) => this._sectionKey(event));
    addEventListener("hashchange", () => this._fromAddress() && this._refresh());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this._show());
    let width = innerWidth;
    addEventListener("resize", settled(() => {
      if (innerWidth !== width) this._show();
      width = innerWidth;
    }));
  }

  _filter(name) {
    const value = this.$(name).value;
    this.state[name] = name === "seed" ? Number(value) : value;
    // Each order is shown from the end that one looks for: the least sure, the most at odds.
    if (name === "sort") this.state.down = ["disagreement", "entropy", "reach", "length"].includes(value);
    this.page = 0;
    this._refresh();
  }

  _clear() {
    const { text, pin, seed, scale, spread } = this.state;
    this.state = { ...this.start, text, pin, seed, scale, spread, typed: this.state.typed };
    this.page = 0;
    this._refresh();
  }

  _turnAround() {
    this.state.down = !this.state.down;
    this.page = 0;
    this._refresh();
  }

  /** Find the texts anew, list them, and show one. */
  async _refresh() {
    const turn = ++this.turn;
    this._fillControls();
    if (!(await this.texts.scored(this.state.seed))) this._withoutSeed();
    const { kept, values } = await found(this.texts, this.state);
    if (turn !== this.turn) return;
    Object.assign(this, { kept, values });
    if (this.state.text === null || this.state.text >= this.texts.count) this.state.text = kept[0] ?? 0;
    await this._list();
    // Another list alone changes nothing about the text that is open.
    if (!this.pane.shows(this.state)) await this._show();
  }

  _show() {
    return this.pane.show(this.state);
  }

  _pin(text) {
    this.state.pin = text;
    this._show();
  }

  /** The first seed takes the place of one whose file is not there. */
  _withoutSeed() {
    this.state.seed = this.start.seed;
    this._fillControls();
    this.pane.tellMissing();
  }

  _fillControls() {
    for (const name of Object.keys(this.state)) {
      const control = this.$(name);
      if (control && "value" in control && control.value !== String(this.state[name] ?? "")) {
        if (control.tagName !== "BUTTON") control.value = this.state[name] ?? "";
      }
    }
    for (const name of ["first", "second"]) this.$(name).closest("label").hidden = this.state.sort !== "disagreement";
    this.$("down").setAttribute("aria-pressed", String(this.state.down));
    this.$("down").textContent = this.state.down ? "↓ highest first" : "↑ lowest first";
    if (this.state.sort === "order") this.$("down").textContent = this.state.down ? "↓ from the end" : "↑ from the start";
  }

  async _list() {
    const { kept, texts, state, values } = this;
    const decisions = await texts.decisions(state.seed);
    this.page = fillList(this.section, { kept, texts, state, values, decisions, page: this.page }, (i) => this._choose(i));
    this._remember();
  }

  _turnPage(step) {
    this.page = Math.max(0, this.page + step);
    this._list();
  }

  async _choose(text) {
    this.pane.given = null;
    this.state.text = text;
    this.state.typed = [];
    if (this.state.hand === "hand") this.state.hand = "own";
    const place = this.kept.indexOf(text);
    if (place >= 0) this.page = Math.floor(place / PAGE);
    await this._list();
    await this._show();
  }

  _step(by) {
    const place = this.kept.indexOf(this.state.text);
    const next = this.kept[place < 0 ? 0 : place + by];
    if (next !== undefined) return this._choose(next);
    return null;
  }

  _listKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };
    if (event.key in steps) {
      const place = Math.max(0, this.kept.indexOf(this.state.text));
      const to = Math.min(this.kept.length - 1, Math.max(0, place + steps[event.key]));
      if (this.kept.length) this._choose(this.kept[to]);
    } else if (event.key === "Home" && this.kept.length) this._choose(this.kept[0]);
    else if (event.key === "End" && this.kept.length) this._choose(this.kept.at(-1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Left and right go to the text before and after, unless a control wants them. */
  _sectionKey(event) {
    if (event.target.closest("input, select, textarea, [role=listbox]")) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowRight") this._step(1);
    else if (event.key === "ArrowLeft") this._step(-1);
    else return;
    event.preventDefault();
  }

  _remember() {
    writeAddress(this.state, this.start, this.kept?.[0] ?? 0);
  }

  /** Take the state from the address; says whether it was one of the explorer's. */
  _fromAddress() {
    const state = readAddress(this.start, this.texts);
    if (!state) return false;
    this.state = state;
    this.section.scrollIntoView();
    return true;
  }
}

/** Start the explorer of a page that has one. */
export function startExplorer() {
  const section = document.getElementById("explorer");
  const data = document.getElementById("explorer-data");
  if (!section || !data) return null;
  const explorer = new Explorer(section, JSON.parse(data.textContent), "explorer");
  window.attexExplorer = {
    take: (seed, parts) => explorer.texts.take(seed, parts),
    showText: (text) => explorer.showText(text),
    explorer,
  };
  return explorer.open();
}

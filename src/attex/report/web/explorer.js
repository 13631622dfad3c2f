// The explorer: a list of texts to search, filter and sort, one text with hands on it, and one pinned beside it.

import { h, percent, figures, settled } from "./elements.js";
import { found, SORTS } from "./finding.js";
import { HANDS, Hands } from "./hands.js";
import { influenceRow, measureRows, SCALES, spreadRow } from "./heat_rows.js";
import { OneText } from "./one_text.js";
import { svgOf } from "./svg.js";
import { Texts } from "./texts.js";
import { distribution } from "./whatif.js";

const PAGE = 12;
const START = {
  search: "", label: "", predicted: "", right: "", least: "", most: "", sort: "order", down: false,
  first: "", second: "", scale: "share", spread: "", text: null, pin: null, hand: "own", epsilon: 0.05, draw: 0,
};

/** Runs the explorer inside the section that the template has laid out. */
export class Explorer {
  constructor(section, index, folder) {
    this.section = section;
    this.texts = new Texts(index, folder);
    const [first, second] = preferredPair(index.measures);
    this.start = { ...START, seed: index.seeds[0], first, second };
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
    this.view = new OneText(this.$("text"), {
      select: (t) => this._selectToken(t),
      weigh: (t, weight) => this.hands.weigh(t, weight),
    });
    this.pinned = new OneText(this.$("pinned-text"));
    const remember = settled(() => this._remember());
    this.hands = new Hands(this.$("hands"), this.texts.classes, (w) => this._reweigh(w), remember);
    this._listen();
    this._fromHash();
    await this._refresh();
    this.section.dataset.ready = "";
  }

  /** A text that did not come with the page, as one that was typed in. */
  async showText(text) {
    this.given = text;
    await this._show();
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
    const press = { down: () => this._turnAround(), clear: () => this._clear(), copy: () => this._copy() };
    Object.assign(press, { pin: () => this._pin(), unpin: () => this._unpin() });
    Object.assign(press, { "earlier-page": () => this._turnPage(-1), "later-page": () => this._turnPage(1) });
    Object.assign(press, { before: () => this._step(-1), after: () => this._step(1) });
    for (const [name, act] of Object.entries(press)) this.$(name).addEventListener("click", act);
    this.$("list").addEventListener("keydown", (event) => this._listKey(event));
    this.section.addEventListener("keydown", (event) => this._sectionKey(event));
    addEventListener("hashchange", () => this._fromHash() && this._refresh());
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
    await this._show();
  }

  /** The first seed takes the place of one whose file is not there. */
  _withoutSeed() {
    this.state.seed = this.start.seed;
    this._fillControls();
    this._tellMissing();
  }

  _tellMissing() {
    const files = [...this.texts.missing].sort().map((seed) => `explorer/seed-${seed}.js`);
    this.$("missing").hidden = !files.length;
    this.$("missing").textContent =
      `Not beside this page: ${files.join(", ")}. Send the page with its folder to see other seeds and to lay hands on the attention.`;
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
    const { kept, texts, state } = this;
    const decisions = await texts.decisions(state.seed);
    const pages = Math.max(1, Math.ceil(kept.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    const shown = kept.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const rows = shown.map((i) => {
      const [label, predicted] = [texts.classes[texts.labels[i]], texts.classes[decisions.predicted[i]]];
      const wrong = label !== predicted;
      return h(
        "li",
        {
          role: "option",
          id: `x-text-${i}`,
          "data-text": i,
          "aria-selected": String(i === state.text),
          click: () => this._choose(i),
        },
        h("span", { class: "beginning", dir: "auto" }, beginning(texts, i)),
        h(
          "span",
          { class: "meta" },
          `${texts.names[i]} · ${texts.lengths[i]} words · ${label}, predicted `,
          h("b", wrong ? { class: "wrong" } : {}, predicted),
          ` ${percent(decisions.confidence[i])}`,
          this._sortedBy(i),
        ),
      );
    });
    this.$("list").replaceChildren(...rows);
    this._tellActive();
    const of = texts.count.toLocaleString("en");
    const count = kept.length.toLocaleString("en");
    this.$("count").textContent = kept.length === texts.count ? `${of} texts` : `${count} of ${of} texts`;
    this.$("page").textContent = kept.length ? `${this.page + 1} / ${pages}` : "none";
    this.$("earlier-page").disabled = this.page === 0;
    this.$("later-page").disabled = this.page >= pages - 1;
    this._remember();
  }

  _sortedBy(i) {
    const { sort } = this.state;
    if (!this.values || sort === "length" || sort === "confidence") return null;
    const words = { disagreement: "1 − τ", entropy: "entropy", reach: "JSD" }[sort];
    return ` · ${words} ${figures(this.values[i])}`;
  }

  _tellActive() {
    const active = this.section.querySelector(`#x-text-${this.state.text}`);
    if (active) this.$("list").setAttribute("aria-activedescendant", active.id);
    else this.$("list").removeAttribute("aria-activedescendant");
  }

  _turnPage(step) {
    this.page = Math.max(0, this.page + step);
    this._list();
  }

  async _choose(text) {
    this.given = null;
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

  /** Show the chosen text: what the page has at once, what lies beside it when that has come. */
  async _show() {
    const number = this.state.text;
    const turn = (this.shown = (this.shown ?? 0) + 1);
    if (!this.given && !this.texts.count) return;
    const current = () => turn === this.shown;
    if (!this.given) {
      const seeds = [this.state.seed];
      const quick = await this.texts.one(number, seeds, false);
      if (!current()) return;
      if (this.text?.number !== number || !this.text.seeds[this.state.seed]) this._draw(quick);
    }
    const every = this.state.spread ? this.texts.seeds : [this.state.seed];
    const whole = this.given ?? (await this.texts.one(number, every));
    if (!current()) return;
    this._tellMissing();
    this._draw(whole);
    await this._showPinned();
    this._remember();
  }

  _draw(text) {
    const { state } = this;
    const seed = text.seeds[state.seed] ? state.seed : Object.keys(text.seeds)[0];
    const [another, model] = [this.text?.name !== text.name, text.seeds[seed]];
    this.text = text;
    this.seed = seed;
    this.token = another ? null : (this.token ?? null);
    this._tellAbout(this.$("about"), text, seed);
    this.hands.token = this.token;
    // The hand's weights are computed first, so that they are drawn with the rest.
    this.view.text = another ? undefined : this.view.text;
    this._drawing = true;
    this.hands.take(text, model, state);
    this._drawing = false;
    this._rows();
    this.hands.select(this.token);
  }

  _rows() {
    const { text, seed, state, hands } = this;
    const rows = rowsOf(text, seed, state);
    if (this.token !== null && text.seeds[seed].influence) rows.push(influenceRow(text, seed, this.token));
    this.view.show(text, rows, hands.weights, hands.own);
    this.view.select(this.token);
    this._tellToken(rows);
  }

  _reweigh(weights) {
    if (!this._drawing) this.view.reweigh(weights);
  }

  _tellAbout(place, text, seed) {
    const { classes } = this.texts;
    const output = outputOf(text.seeds[seed].logits);
    const decided = output.indexOf(Math.max(...output));
    const label = text.label === null ? null : classes[text.label];
    const wrong = label !== null && label !== classes[decided];
    place.replaceChildren(
      h("b", { dir: "auto" }, text.name),
      label === null ? "" : ` · label ${label}`,
      " · predicted ",
      h("b", wrong ? { class: "wrong" } : {}, classes[decided]),
      ` with ${percent(output[decided], 1)}`,
      this.texts.seeds.length > 1 ? ` · seed ${seed}` : "",
      text.query ? h("span", { class: "query", dir: "auto" }, `Asked: ${text.query.join(" ")}`) : "",
    );
  }

  _selectToken(token) {
    this.token = token;
    this.hands.select(token);
    this._rows();
    this.view.focus(token);
  }

  /** Say in words what is known of the chosen token. */
  _tellToken(rows) {
    const { text, token, seed } = this;
    const place = this.$("token");
    if (token === null) {
      place.textContent =
        "Choose a word (click, or Tab and the arrow keys) to read its numbers, see which words its hidden state stands for, and set its weight.";
      return;
    }
    const { influence } = text.seeds[seed];
    const told = rows.filter((row) => row.kind !== "influence").map((row) => row.told[token]);
    if (!text.known[token]) told.unshift("not in the vocabulary: the model sees <unk>");
    if (text.truth?.[token]) told.unshift("known to decide the label");
    if (influence) {
      const order = influence[token].map((x, t) => [x, t]).sort((a, b) => b[0] - a[0]).slice(0, 4);
      const words = order.filter(([x]) => x > 0).map(([x, t]) => `${text.tokens[t]} ${percent(x)}`);
      told.push(words.length ? `its hidden state stands for ${words.join(", ")}` : "nothing is known of its hidden state");
    } else told.push("which words its hidden state stands for is kept for some texts only");
    place.replaceChildren(h("b", { dir: "auto" }, text.tokens[token]), `: ${told.join("; ")}.`);
  }

  _pin() {
    this.state.pin = this.state.text;
    this._show();
  }

  _unpin() {
    this.state.pin = null;
    this._show();
  }

  async _showPinned() {
    const { pin } = this.state;
    this.$("pinned").hidden = pin === null;
    this.section.classList.toggle("two", pin !== null);
    if (pin === null || pin >= this.texts.count) return;
    const seeds = this.state.spread ? this.texts.seeds : [this.state.seed];
    const text = await this.texts.one(pin, seeds, false);
    this._tellAbout(this.$("pinned-about"), text, this.state.seed);
    this.pinned.show(text, rowsOf(text, this.state.seed, this.state));
  }

  async _copy() {
    const rows = rowsOf(this.text, this.seed, this.state);
    const svg = svgOf(this.text, rows, `${this.text.name}, seed ${this.seed}`);
    this.copied = svg;
    const told = this.$("copied");
    try {
      await navigator.clipboard.writeText(svg);
      told.textContent = "Copied.";
    } catch {
      const link = h("a", { href: `data:image/svg+xml,${encodeURIComponent(svg)}`, download: "text.svg" });
      link.click();
      told.textContent = "The clipboard is closed to this page: the picture was saved.";
    }
  }

  /** Write down in the address what differs from the start. */
  _remember() {
    const said = new URLSearchParams();
    for (const [name, value] of Object.entries(this.state)) {
      if (name === "typed" || value === this.start[name] || value === null) continue;
      said.set(name, value);
    }
    const { hand, typed } = this.state;
    if (hand === "hand" && typed.length) said.set("typed", typed.map((pair) => pair.join(":")).join(","));
    const first = this.kept?.[0] ?? 0;
    if (Number(said.get("text")) === first && said.size === 1) said.delete("text");
    const wanted = said.size ? `#explorer?${said}` : "";
    const mine = location.hash.startsWith("#explorer?");
    if (wanted ? location.hash !== wanted : mine) {
      history.replaceState(null, "", wanted || location.pathname + location.search);
    }
  }

  /** Read the address; says whether it was one of the explorer's. */
  _fromHash() {
    if (!location.hash.startsWith("#explorer?")) return false;
    const said = new URLSearchParams(location.hash.slice("#explorer?".length));
    const state = { ...this.start, typed: [] };
    for (const [name, text] of said) {
      if (name === "typed") state.typed = pairs(text);
      else if (name in START || name === "seed") state[name] = sensible(name, text, state[name], this.texts);
    }
    this.state = state;
    this.section.scrollIntoView();
    return true;
  }
}

function rowsOf(text, seed, state) {
  const rows = measureRows(text, seed, state.scale);
  if (state.spread && Object.keys(text.seeds).length > 1) rows.push(spreadRow(text, state.spread));
  return rows;
}

function beginning(texts, i) {
  const [start, end] = [texts.starts[i], Math.min(texts.starts[i] + 14, texts.starts[i + 1])];
  const words = Array.from(texts.tokens.subarray(start, end), (word) => texts.words_[word]).join(" ");
  return end < texts.starts[i + 1] ? `${words} …` : words;
}

function outputOf(logits) {
  const whole = logits.map((x) => (x === null ? -Infinity : x));
  return distribution(whole);
}

/** Attention and leave-one-out, where there are both: what is looked at, and what a deletion does. */
function preferredPair(measures) {
  const first = measures.includes("attention") ? "attention" : (measures[0] ?? "");
  const others = measures.filter((measure) => measure !== first);
  return [first, others.includes("leave_one_out") ? "leave_one_out" : (others[0] ?? first)];
}

const pairs = (text) =>
  text
    .split(",")
    .map((pair) => pair.split(":").map(Number))
    .filter(([t, x]) => Number.isInteger(t) && t >= 0 && x >= 0 && x <= 1);

/** Read one piece of an address; what makes no sense leaves the start as it is. */
function sensible(name, text, before, texts) {
  if (name === "down") return text === "true";
  if (["seed", "text", "pin", "epsilon", "draw"].includes(name)) {
    const number = Number(text);
    const most = { seed: Infinity, text: texts.count - 1, pin: texts.count - 1, epsilon: 0.5, draw: 1e6 }[name];
    const whole = name === "epsilon" || Number.isInteger(number);
    if (!(number >= 0 && number <= most && whole)) return before;
    return name === "seed" && !texts.seeds.includes(number) ? before : number;
  }
  const known = { sort: Object.keys(SORTS), scale: Object.keys(SCALES), hand: Object.keys(HANDS) };
  Object.assign(known, { first: texts.measures, second: texts.measures, spread: texts.measures });
  return known[name] && !known[name].includes(text) ? before : text;
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

// The text that is open: its rows, what is said of a chosen word, the hands on it, and the text pinned beside it.

import { h, percent } from "./elements.js";
import { Hands } from "./hands.js";
import { askedText, influenceRow, measureRows, spreadRow } from "./heat_rows.js";
import { OneText } from "./one_text.js";
import { svgOf } from "./svg.js";
import { distribution } from "./whatif.js";

/** Shows the text that a state names; `given` is one that did not come with the page. */
export class Pane {
  constructor(section, texts, remember) {
    Object.assign(this, { section, texts, remember, given: null, turn: 0 });
    this.view = new OneText(this.$("text"), {
      select: (t) => this._selectToken(t),
      weigh: (t, weight) => this.hands.weigh(t, weight),
    });
    this.asked = new OneText(this.$("asked-text"), { select: (t) => this._selectAsked(t) });
    this.pinned = new OneText(this.$("pinned-text"));
    this.pinnedAsked = new OneText(this.$("pinned-asked-text"));
    this.hands = new Hands(this.$("hands"), texts.classes, (w) => this._reweigh(w), remember);
  }

  $(name) {
    return this.section.querySelector(`[data-x="${name}"]`);
  }

  /** Say which files are not beside the page. */
  tellMissing() {
    const files = [...this.texts.missing].sort().map((seed) => `explorer/seed-${seed}.js`);
    this.$("missing").hidden = !files.length;
    this.$("missing").textContent =
      `Not beside this page: ${files.join(", ")}. Send the page with its folder to see other seeds and to lay hands on the attention.`;
  }

  /** Whether what a state asks for is what is shown, but for the hands. */
  shows(state) {
    return !this.given && this.shown === asked(state);
  }

  /** Show the chosen text: what the page has at once, what lies beside it when that has come. */
  async show(state) {
    this.state = state;
    this.shown = null;
    const number = state.text;
    const turn = ++this.turn;
    if (!this.given && !this.texts.count) return;
    const current = () => turn === this.turn;
    if (!this.given) {
      const seeds = [this.state.seed];
      const quick = await this.texts.one(number, seeds, false);
      if (!current()) return;
      if (this.text?.number !== number || !this.text.seeds[this.state.seed]) this._draw(quick, true);
    }
    const every = this.state.spread ? this.texts.seeds : [this.state.seed];
    const whole = this.given ?? (await this.texts.one(number, every));
    if (!current()) return;
    this.tellMissing();
    this._draw(whole);
    await this._showPinned();
    this.shown = this.given ? null : asked(state);
    this.remember();
  }

  _draw(text, loading = false) {
    const { state } = this;
    const seed = text.seeds[state.seed] ? state.seed : Object.keys(text.seeds)[0];
    const another = this.text?.name !== text.name || this.text?.number !== text.number;
    this.text = text;
    this.seed = seed;
    this.token = another ? null : (this.token ?? null);
    this.askedToken = another ? null : (this.askedToken ?? null);
    this._tellAbout(this.$("about"), text, seed);
    this.hands.token = this.token;
    // The hand's weights are computed first, so that they are drawn with the rest.
    this.view.text = another ? undefined : this.view.text;
    this._drawing = true;
    this.hands.take(text, text.seeds[seed], state, loading);
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
    const query = showAsked(this.asked, text, seed, state);
    if (query) this.asked.select(this.askedToken);
    if (this.askedToken === null) this._tellToken(rows);
    else this._tellWord(query, this.asked.rows, this.askedToken, []);
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
      text.query && !askedText(text)
        ? h("span", { class: "query", dir: "auto" }, `Asked: ${text.query.join(" ")}`)
        : "",
    );
  }

  _selectToken(token) {
    this.token = token;
    this.askedToken = null;
    this.hands.select(token);
    this._rows();
    this.view.focus(token);
  }

  /** A word of the query has numbers, but no weight that could be set. */
  _selectAsked(token) {
    this.token = null;
    this.askedToken = token;
    this.hands.select(null);
    this._rows();
    this.asked.focus(token);
  }

  /** Say in words what is known of the chosen token. */
  _tellToken(rows) {
    const { text, token, seed } = this;
    if (token === null) {
      this.$("token").textContent =
        "Choose a word (click, or Tab and the arrow keys) to read its numbers, see which words its hidden state stands for, and set its weight.";
      return;
    }
    const { influence } = text.seeds[seed];
    const more = [];
    if (influence) {
      const order = influence[token].map((x, t) => [x, t]).sort((a, b) => b[0] - a[0]).slice(0, 4);
      const words = order.filter(([x]) => x > 0).map(([x, t]) => `${text.tokens[t]} ${percent(x)}`);
      more.push(words.length ? `its hidden state stands for ${words.join(", ")}` : "nothing is known of its hidden state");
    } else more.push("which words its hidden state stands for is kept for some texts only");
    this._tellWord(text, rows, token, more);
  }

  _tellWord(text, rows, token, more) {
    const told = rows.filter((row) => row.kind !== "influence").map((row) => row.told[token]);
    if (!text.known[token]) told.unshift("not in the vocabulary: the model sees <unk>");
    if (text.truth?.[token]) told.unshift("known to decide the label");
    told.push(...more);
    this.$("token").replaceChildren(h("b", { dir: "auto" }, text.tokens[token]), `: ${told.join("; ")}.`);
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
    showAsked(this.pinnedAsked, text, this.state.seed, this.state);
  }

  async copy() {
    const texts = [askedText(this.text), this.text].filter(Boolean);
    const parts = texts.map((text) => [text, rowsOf(text, this.seed, this.state)]);
    const svg = svgOf(parts, `${this.text.name}, seed ${this.seed}`);
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
}

const asked = ({ text, seed, scale, spread, pin, hand, epsilon, draw, typed }) =>
  JSON.stringify([text, seed, scale, spread, pin, hand, epsilon, draw, typed]);

function rowsOf(text, seed, state) {
  const rows = measureRows(text, seed, state.scale);
  if (state.spread && Object.keys(text.seeds).length > 1) rows.push(spreadRow(text, state.spread));
  return rows;
}

/** Show a query that has scores, and where there is none nothing; returns it as a text. */
function showAsked(view, text, seed, state) {
  const query = askedText(text);
  view.place.parentElement.hidden = !query;
  if (query) view.show(query, rowsOf(query, seed, state));
  return query;
}

function outputOf(logits) {
  const whole = logits.map((x) => (x === null ? -Infinity : x));
  return distribution(whole);
}

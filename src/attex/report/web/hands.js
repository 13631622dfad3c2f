// Hands on the attention: other weights for the same hidden states, and what the output becomes.

import { permutation } from "./draws.js";
import { figures, h, percent } from "./elements.js";
import { searchedAdversary } from "./search.js";
import { decode, distribution, exactAdversary, jensenShannon, reachable } from "./whatif.js";
import { tokenLogits, totalVariation, uniform, withWeight } from "./whatif.js";

export const HANDS = {
  own: "the model’s own",
  hand: "by hand",
  permuted: "permuted",
  uniform: "uniform",
  searched: "adversary, searched",
  exact: "adversary, exact",
};

const NOT_HERE = {
  loading: "Reading what lies beside the page…",
  file: "What the hands need lies beside this page, in the folder explorer, which is not there.",
  values: "The values of this text’s tokens are not in the file: of such a model they are kept for some texts only.",
  head: "The output of this model’s decoder is not computed in the page.",
};

/** What another attention makes of a text: `changed(weights)` is called whenever there are other weights. */
export class Hands {
  constructor(place, classes, changed, remember) {
    Object.assign(this, { place, classes, changed, remember });
    this._search = 0;
    this._build();
  }

  _build() {
    const choice = Object.entries(HANDS).map(([value, words]) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name: `hand-${this.place.id}`, value, change: () => this.choose(value) }),
        ` ${words}`,
      ),
    );
    this._radios = choice.map((label) => label.firstChild);
    this._epsilon = h("input", {
      type: "range",
      min: "0",
      max: "0.5",
      step: "0.005",
      value: "0.05",
      input: () => this._moveEpsilon(),
    });
    this._says = h("output", { class: "epsilon" });
    this._another = h("button", { type: "button", click: () => this._anotherDraw() }, "Permute again");
    this._weight = h("input", { type: "number", min: "0", max: "1", step: "0.01", change: () => this._typed() });
    this._which = h("span", {}, "Weight of the chosen word");
    this._one = h("p", { class: "remark" }, "Both texts are attended to. The weights tried are those of the text; the query keeps its own.");
    this._result = h("div", { class: "result" });
    this._why = h("p", { class: "missing" });
    this._controls = h(
      "div",
      { class: "hands" },
      h("fieldset", {}, h("legend", {}, "Attention"), h("div", { class: "choices" }, choice)),
      h(
        "div",
        { class: "knobs" },
        h("label", {}, "The output may move by ε = ", this._says, this._epsilon),
        h("label", {}, this._which, " ", this._weight),
        this._another,
      ),
      this._one,
      this._result,
    );
    this.place.replaceChildren(this._why, this._controls);
  }

  /** Lay hands on a text as one seed's model sees it; `state` has the choice, ε, the draw and typed weights. */
  take(text, model, state, loading = false) {
    Object.assign(this, { text, model, state });
    const lacking = loading ? "loading" : !model.attention ? "file" : !model.head ? "head" : !model.values ? "values" : null;
    this._why.textContent = lacking ? NOT_HERE[lacking] : "";
    this._why.hidden = !lacking;
    this._controls.hidden = Boolean(lacking);
    this._one.hidden = !model.query_scores;
    this.weights = null;
    this._search += 1;
    if (lacking) return;
    this.own = Float64Array.from(model.attention);
    this._ownLogits = decode(model, this.own);
    const output = distribution(this._ownLogits);
    this._class = output.indexOf(Math.max(...output));
    this._reach = reachable(model, this._class);
    this._single = tokenLogits(model);
    this.weights = this.own;
    for (const radio of this._radios) {
      radio.disabled = radio.value === "exact" && !this._single;
      radio.parentNode.title = radio.disabled ? "known for two classes and a linear decoder" : "";
    }
    this._epsilon.value = state.epsilon;
    this.choose(state.hand === "exact" && !this._single ? "own" : state.hand);
  }

  /** The word whose weight is typed. */
  select(token) {
    this.token = token;
    this._which.textContent =
      token === null ? "Weight of the chosen word" : `Weight of “${this.text.tokens[token].slice(0, 20)}”`;
    this._weight.disabled = token === null || !this.weights;
    this._tellWeight();
  }

  choose(hand) {
    this.state.hand = hand;
    for (const radio of this._radios) radio.checked = radio.value === hand;
    this._another.hidden = hand !== "permuted";
    this._epsilon.parentNode.hidden = hand !== "searched" && hand !== "exact";
    this._says.textContent = Number(this.state.epsilon).toFixed(3);
    this._search += 1;
    if (hand === "searched") this._searchOn(this._search);
    else this._use(this._weights(hand));
    this.remember();
  }

  _weights(hand) {
    const { own, state } = this;
    if (hand === "permuted") {
      return Float64Array.from(permutation(BigInt(this.text.id), own.length, state.draw), (t) => own[t]);
    }
    if (hand === "uniform") return uniform(own.length);
    if (hand === "exact") return exactAdversary(this._single.s, own, this._single.bias, state.epsilon);
    if (hand !== "hand") return own;
    return state.typed.reduce((weights, [t, x]) => (t < own.length ? withWeight(weights, t, x) : weights), own);
  }

  async _searchOn(number) {
    this._result.replaceChildren(h("p", {}, "Searching…"));
    const going = () => new Promise((go) => setTimeout(() => go(number === this._search)));
    const { text, model, own, state } = this;
    const found = await searchedAdversary(model, own, BigInt(text.id), state.epsilon, going);
    if (found && number === this._search) this._use(found);
  }

  _moveEpsilon() {
    this.state.epsilon = Number(this._epsilon.value);
    this.choose(this.state.hand);
  }

  _anotherDraw() {
    this.state.draw += 1;
    this.choose("permuted");
  }

  _typed() {
    const weight = Number(this._weight.value);
    if (this.token !== null && Number.isFinite(weight)) this.weigh(this.token, Math.min(1, Math.max(0, weight)));
  }

  /** Give a word a weight; the others share the rest. */
  weigh(token, weight) {
    const { typed } = this.state;
    if (this.state.hand !== "hand") {
      // Hands go on from what is there: that is written down as weights of single words.
      typed.length = 0;
      if (this.state.hand !== "own") {
        this.weights.forEach((x, t) => x !== this.own[t] && typed.push([t, Number(x.toPrecision(4))]));
        if (typed.length > 12) typed.length = 0;
      }
      this.state.hand = "hand";
      for (const radio of this._radios) radio.checked = radio.value === "hand";
      this._another.hidden = true;
      this._epsilon.parentNode.hidden = true;
      this._search += 1;
    }
    if (typed.length && typed.at(-1)[0] === token) typed.pop();
    typed.push([token, Number(weight.toFixed(3))]);
    this._use(withWeight(this.weights, token, weight));
    this.remember();
  }

  _use(weights) {
    this.weights = weights;
    this.changed(weights);
    this._tell();
    this._tellWeight();
  }

  _tellWeight() {
    if (this.token !== null && this.token !== undefined && this.weights) {
      this._weight.value = this.weights[this.token]?.toFixed(3) ?? "";
    } else this._weight.value = "";
  }

  _tell() {
    const logits = decode(this.model, this.weights);
    const [own, now] = [distribution(this._ownLogits), distribution(logits)];
    this.outcome = {
      probability: now[this._class],
      own: own[this._class],
      tvd: totalVariation(logits, this._ownLogits),
      jsd: jensenShannon(this.weights, this.own),
      low: this._reach.low,
      high: this._reach.high,
    };
    const decided = now.indexOf(Math.max(...now));
    const flips = decided === this._class ? "" : ` The decision becomes ${this.classes[decided]}.`;
    const { outcome } = this;
    if (!this._lines) this._layOut();
    const bound = this._reach.exact ? "" : " at least";
    this._lines.says.textContent =
      `Probability of ${this.classes[this._class]}: ${percent(outcome.probability, 1)} ` +
      `(${percent(outcome.own, 1)} with the model’s own weights).${flips}`;
    this._lines.tvd.textContent = figures(outcome.tvd);
    this._lines.jsd.textContent = `${figures(outcome.jsd)} of ${figures(Math.LN2)}`;
    this._lines.reach.textContent = `${percent(outcome.low, 1)} … ${percent(outcome.high, 1)}${bound}`;
    this._lines.band.style.left = `${100 * outcome.low}%`;
    this._lines.band.style.width = `${100 * (outcome.high - outcome.low)}%`;
    this._lines.own.style.left = `${100 * outcome.own}%`;
    this._lines.now.style.left = `${100 * outcome.probability}%`;
    if (this._result.firstChild !== this._lines.says) this._result.replaceChildren(...this._lines.all);
  }

  _layOut() {
    const part = (tag, kind) => h(tag, kind ? { class: kind } : {});
    const lines = { says: part("p", "says"), tvd: part("dd"), jsd: part("dd"), reach: part("dd") };
    Object.assign(lines, { band: part("i", "band"), own: part("i", "own"), now: part("i", "now") });
    const track = h("div", { class: "track", "aria-hidden": "true" }, lines.band, lines.own, lines.now);
    const list = h(
      "dl",
      {},
      h("div", {}, h("dt", {}, "Output moved by (TVD)"), lines.tvd),
      h("div", {}, h("dt", {}, "Attention moved by (JSD)"), lines.jsd),
      h("div", {}, h("dt", {}, "Any attention reaches"), lines.reach),
    );
    lines.says.setAttribute("role", "status");
    this._lines = { ...lines, all: [lines.says, track, list] };
  }
}

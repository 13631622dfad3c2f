// All texts of a run, unpacked when they are asked for; one text as report/explorer.py describes it.

import { unpack } from "./packed.js";
import { distribution } from "./whatif.js";

const UNDEFINED = 255;

/** The texts that a page carries, and what lies beside it. */
export class Texts {
  constructor(index, folder) {
    this.classes = index.classes;
    this.seeds = index.seeds;
    this.measures = index.measures;
    this.pairs = index.pairs;
    this.reachEpsilon = index.reach_epsilon;
    this._packed = index.texts;
    this._folder = folder;
    this._scored = new Map([[index.seeds[0], later(() => unpacked(index.first))]]);
    this._waiting = new Map();
    this._files = new Map();
    this.missing = new Set();
  }

  /** Unpack what every view needs; scores are unpacked when a text is opened. */
  async open() {
    const texts = await unpacked(this._packed);
    Object.assign(this, texts);
    this.count = texts.lengths.length;
    this.starts = starts(texts.lengths);
    if (texts.query_lengths) this.queryStarts = starts(texts.query_lengths);
    return this;
  }

  /** What a seed's model said of all texts; null where its file is not there. */
  async scored(seed) {
    if (!this._scored.has(seed)) {
      const file = await this.file(seed);
      if (!file) return null;
      this._scored.set(seed, later(() => unpacked(file.scored)));
    }
    return this._scored.get(seed)();
  }

  /** What lies beside the page of a seed; null where it does not. */
  file(seed) {
    if (!this._files.has(seed)) this._files.set(seed, this._load(seed));
    return this._files.get(seed);
  }

  _load(seed) {
    return new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = `${this._folder}/seed-${seed}.js`;
      this._waiting.set(seed, resolve);
      script.onerror = () => {
        this.missing.add(seed);
        resolve(null);
      };
      script.onload = () => script.remove();
      document.head.append(script);
    });
  }

  /** Called by the scripts beside the page. */
  take(seed, parts) {
    const { scored, head, ...arrays } = parts;
    const hands = later(() => unpacked(arrays));
    this._waiting.get(seed)?.({ scored, head, hands });
  }

  words(text) {
    return Array.from(this.tokens.subarray(this.starts[text], this.starts[text + 1]), (w) => this.words_[w]);
  }

  /** The classes that a seed's model decides for, and how sure it is: [N] each. */
  async decisions(seed) {
    const scored = await this.scored(seed);
    if (!scored) return null;
    scored.decided ??= decided(scored.logits, this.count);
    return scored.decided;
  }

  /** One text with what some seeds' models say of it; those whose files are missing are left out. */
  async one(text, seeds, hands = true) {
    const [start, end] = [this.starts[text], this.starts[text + 1]];
    const tokens = Array.from(this.tokens.subarray(start, end));
    const asked = this.queryStarts ? this._query(text) : null;
    const found = {};
    for (const seed of seeds) {
      const fields = await this._of(text, seed, hands);
      if (fields) found[seed] = fields;
    }
    return {
      number: text,
      name: this.names[text],
      id: String(this.ids[text]),
      tokens: tokens.map((word) => this.words_[word]),
      known: tokens.map((word) => !this.unknown[word]),
      truth: this.truth ? Array.from(this.truth.subarray(start, end), Boolean) : null,
      query: asked && asked.map((word) => this.words_[word]),
      query_known: asked && asked.map((word) => !this.unknown[word]),
      label: this.labels[text],
      seeds: found,
    };
  }

  _query(text) {
    const [start, end] = [this.queryStarts[text], this.queryStarts[text + 1]];
    return Array.from(this.query_tokens.subarray(start, end));
  }

  async _of(text, seed, hands) {
    const scored = await this.scored(seed);
    if (!scored) return null;
    const scores = this._scores(text, this.starts, scored.scores, scored.lows, scored.highs);
    const query_scores = scored.query_scores
      ? this._scores(text, this.queryStarts, scored.query_scores, scored.query_lows, scored.query_highs)
      : null;
    const outputs = scored.logits.length / this.count;
    const logits = Array.from(scored.logits.subarray(text * outputs, (text + 1) * outputs), (x) =>
      Number.isFinite(x) ? x : null,
    );
    const file = hands ? await this.file(seed) : null;
    return { logits, scores, query_scores, ...(await this._hands(text, file)) };
  }

  /** What each measure says of the tokens between two starts: codes [M,n] between lows and highs [M,N]. */
  _scores(text, starts, codes, lows, highs) {
    const total = starts[this.count];
    const found = {};
    this.measures.forEach((measure, m) => {
      const [low, high] = [lows[m * this.count + text], highs[m * this.count + text]];
      const own = codes.subarray(m * total + starts[text], m * total + starts[text + 1]);
      found[measure] = Array.from(own, (c) => (c === UNDEFINED ? null : low + ((high - low) * c) / 254));
    });
    return found;
  }

  async _hands(text, file) {
    const none = { attention: null, values: null, head: null, influence: null };
    if (!file) return none;
    const found = await file.hands();
    const [start, end] = [this.starts[text], this.starts[text + 1]];
    const attention = Array.from(found.attention.subarray(start, end));
    const values = file.head && this._values(text, found);
    const outputs = file.head ? file.head.bias.length : 0;
    const allowed = found.allowed
      ? Array.from(found.allowed.subarray(text * outputs, (text + 1) * outputs), Boolean)
      : null;
    const head = file.head && { ...file.head, allowed };
    return { attention, values, head, influence: this._influence(text, found) };
  }

  _values(text, found) {
    found.valuedStarts ??= ragged(found.valued, this.lengths, (n) => n);
    const start = found.valued ? found.valuedStarts.get(text) : this.starts[text];
    if (start === undefined) return null;
    const whole = found.valued ? found.valuedStarts.total : this.tokens.length;
    const k = found.values.length / whole;
    return Array.from({ length: this.lengths[text] }, (_, t) =>
      Array.from(found.values.subarray((start + t) * k, (start + t + 1) * k)),
    );
  }

  _influence(text, found) {
    if (!found.influenced) return null;
    found.influenceStarts ??= ragged(found.influenced, this.lengths, (n) => n * n);
    const start = found.influenceStarts.get(text);
    if (start === undefined) return null;
    const high = found.influence_highs[found.influenced.indexOf(text)];
    const length = this.lengths[text];
    return Array.from({ length }, (_, t) =>
      Array.from(found.influence.subarray(start + t * length, start + (t + 1) * length), (x) => (x * high) / 255),
    );
  }
}

const later = (make) => {
  let made = null;
  return () => (made ??= make());
};

async function unpacked(arrays) {
  const names = Object.keys(arrays ?? {});
  const values = await Promise.all(names.map((name) => unpack(arrays[name])));
  // `words` is what a text is asked for.
  return Object.fromEntries(names.map((name, i) => [name === "words" ? "words_" : name, values[i]]));
}

function starts(lengths) {
  const sums = new Uint32Array(lengths.length + 1);
  lengths.forEach((length, i) => (sums[i + 1] = sums[i] + length));
  return sums;
}

/** Where the values of some texts begin. */
function ragged(texts, lengths, size) {
  const places = new Map();
  let total = 0;
  for (const text of texts ?? []) {
    places.set(text, total);
    total += size(lengths[text]);
  }
  places.total = total;
  return places;
}

function decided(logits, count) {
  const outputs = logits.length / count;
  const predicted = new Uint16Array(count);
  const confidence = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const output = distribution(Array.from(logits.subarray(i * outputs, (i + 1) * outputs)));
    const highest = Math.max(...output);
    predicted[i] = output.indexOf(highest);
    confidence[i] = highest;
  }
  return { predicted, confidence };
}

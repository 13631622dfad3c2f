// What the rows of one text show: a measure, its spread over seeds, what a state stands for.

import { figures, percent } from "./elements.js";

export const SCALES = {
  share: "share of the text",
  highest: "share of the highest",
  raw: "raw numbers",
};

const size = (x) => (x === null ? 0 : Math.abs(x));
const sum = (values) => values.reduce((total, x) => total + size(x), 0);
const most = (values) => values.reduce((highest, x) => Math.max(highest, size(x)), 0);

/** Scores as shares that add up to 1; null stays null. */
export function shares(scores) {
  const total = sum(scores) || 1;
  return scores.map((x) => (x === null ? null : size(x) / total));
}

/** The query of a text as a text of its own, where it has scores; else null. */
export function askedText(text) {
  const seeds = Object.entries(text.seeds).filter(([, seed]) => seed.query_scores);
  if (!text.query || !seeds.length) return null;
  const scored = seeds.map(([number, seed]) => [number, { scores: seed.query_scores, influence: null }]);
  const { name, query, query_known: known } = text;
  return { name, what: "query", tokens: query, known, truth: null, seeds: Object.fromEntries(scored) };
}

/** What the scores of a text are shares of. */
export const whole = (text) => text.what ?? "text";

/** One row: how strong each token's colour is, what its cell says, and what is said when it is pointed at. */
export function measureRows(text, seed, scale) {
  const entries = Object.entries(text.seeds[seed].scores);
  const share = entries.map(([, scores]) => shares(scores));
  const top = scale === "share" ? Math.max(...share.map(most)) : Math.max(...entries.map(([, s]) => most(s)));
  return entries.map(([measure, scores], m) => {
    const own = most(scores) || 1;
    const strength = {
      share: (t) => size(share[m][t]) / (top || 1),
      highest: (t) => size(scores[t]) / own,
      raw: (t) => size(scores[t]) / (top || 1),
    }[scale];
    const says = { share: (t) => cell(share[m][t]), highest: (t) => cell(size(scores[t]) / own), raw: (t) => short(scores[t]) };
    return {
      name: measure,
      kind: "measure",
      strength: scores.map((x, t) => (x === null ? 0 : strength(t))),
      says: scores.map((x, t) => (x === null ? "–" : says[scale](t))),
      told: scores.map((x, t) =>
        x === null ? `${measure}: undefined` : `${measure}: ${figures(x)}, ${percent(share[m][t], 1)} of the ${whole(text)}`,
      ),
    };
  });
}

/** The least and the largest share that a token has in any seed. */
export function spreadRow(text, measure) {
  const all = Object.values(text.seeds).map((seed) => shares(seed.scores[measure]));
  const ends = text.tokens.map((_, t) => {
    const values = all.map((each) => each[t]).filter((x) => x !== null);
    return values.length ? [Math.min(...values), Math.max(...values)] : null;
  });
  const widest = Math.max(1e-12, ...ends.map((e) => (e ? e[1] - e[0] : 0)));
  return {
    name: `${measure}, ${all.length} seed${all.length === 1 ? "" : "s"}`,
    kind: "spread",
    strength: ends.map((e) => (e ? (e[1] - e[0]) / widest : 0)),
    says: ends.map((e) => (e ? `${cell(e[0])}–${cell(e[1])}` : "–")),
    told: ends.map((e) => (e ? `from ${percent(e[0], 1)} to ${percent(e[1], 1)} of the ${whole(text)} over seeds` : "undefined")),
  };
}

/** The share of each token in the hidden state of one. */
export function influenceRow(text, seed, token) {
  const given = text.seeds[seed].influence[token];
  const top = most(given) || 1;
  return {
    name: `state of “${text.tokens[token]}”`,
    kind: "influence",
    strength: given.map((x) => x / top),
    says: given.map(cell),
    told: given.map((x) => `${percent(x, 1)} of this hidden state`),
  };
}

const cell = (share) => (share === null ? "–" : String(Math.round(100 * share)));

function short(x) {
  if (x === 0) return "0";
  const magnitude = Math.abs(x);
  if (magnitude < 0.0005 || magnitude >= 1000) return x.toExponential(0).replace("-", "−");
  return x.toFixed(magnitude < 0.1 ? 3 : 2).replace(/^(-?)0\./, "$1.").replace("-", "−");
}

// Which texts are listed, and in which order.

export const SORTS = {
  order: "order in the data",
  disagreement: "disagreement of two measures",
  confidence: "confidence",
  entropy: "entropy of the attention",
  reach: "how far the exact adversary gets",
  length: "length",
};

/** The numbers of the texts that a state asks for, in its order. */
export async function found(texts, state) {
  const decisions = await texts.decisions(state.seed);
  const said = matching(texts, state.search);
  const kept = [];
  for (let i = 0; i < texts.count; i++) {
    const length = texts.lengths[i];
    if (said && !said[i]) continue;
    if (state.label !== "" && texts.labels[i] !== Number(state.label)) continue;
    if (length < (state.least || 0) || length > (state.most || Infinity)) continue;
    if (decisions) {
      if (state.predicted !== "" && decisions.predicted[i] !== Number(state.predicted)) continue;
      const right = decisions.predicted[i] === texts.labels[i];
      if (state.right !== "" && right !== (state.right === "right")) continue;
    }
    kept.push(i);
  }
  const values = await sortValues(texts, state, decisions);
  if (values) {
    const sign = state.down ? -1 : 1;
    // What is undefined comes last, whichever way.
    const rank = (i) => (Number.isNaN(values[i]) ? Infinity : sign * values[i]);
    kept.sort((a, b) => rank(a) - rank(b) || a - b);
  } else if (state.down) kept.reverse();
  return { kept, values };
}

/** What texts are sorted by: [N], or null for their own order. */
export async function sortValues(texts, state, decisions) {
  if (state.sort === "length") return texts.lengths;
  if (state.sort === "confidence") return decisions?.confidence ?? null;
  if (state.sort === "order") return null;
  const scored = await texts.scored(state.seed);
  if (!scored) return null;
  if (state.sort === "disagreement") return disagreement(texts, scored, state.first, state.second);
  return scored[state.sort] ?? null;
}

/** One less Kendall's τ of two measures: 0 where they rank alike, 2 where they rank oppositely. */
function disagreement(texts, scored, first, second) {
  const [a, b] = [first, second].map((name) => texts.measures.indexOf(name)).sort((x, y) => x - y);
  const pair = texts.pairs.findIndex(([x, y]) => x === a && y === b);
  if (pair < 0 || !scored.disagreement) return null;
  return scored.disagreement.subarray(pair * texts.count, (pair + 1) * texts.count).map((tau) => 1 - tau);
}

/** Which texts have a word with each of the asked pieces in it, or in their name; null where nothing is asked. */
function matching(texts, search) {
  const pieces = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!pieces.length) return null;
  const all = new Uint8Array(texts.count).fill(1);
  texts.lowered ??= { words: texts.words_.map((w) => w.toLowerCase()), names: texts.names.map((n) => n.toLowerCase()) };
  for (const piece of pieces) {
    const has = Uint8Array.from(texts.lowered.words, (word) => (word.includes(piece) ? 1 : 0));
    for (let i = 0; i < texts.count; i++) {
      if (!all[i] || texts.lowered.names[i].includes(piece)) continue;
      const asked = texts.queryStarts && within(texts.query_tokens, texts.queryStarts, i, has);
      all[i] = asked || within(texts.tokens, texts.starts, i, has) ? 1 : 0;
    }
  }
  return all;
}

/** Whether one of a text's words, in a flat array, is among those marked. */
function within(words, starts, text, marked) {
  for (let t = starts[text]; t < starts[text + 1]; t++) if (marked[words[t]]) return true;
  return false;
}

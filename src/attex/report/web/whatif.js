// The output under any attention, from the values of the tokens: what attex.models.decoder.Readout does.

export const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const xlogx = (x) => (x > 0 ? x * Math.log(x) : 0);

/** Σ_t α_t values_t. */
export function attended(values, weights) {
  const sums = new Float64Array(values[0].length);
  for (let t = 0; t < weights.length; t++) {
    const weight = weights[t];
    if (weight !== 0) for (let i = 0; i < sums.length; i++) sums[i] += weight * values[t][i];
  }
  return sums;
}

/** The inputs of a head's last layer, which is linear in them. */
export function features(head, c) {
  if (head.kind === "tanh_linear") return c.map(Math.tanh);
  if (head.kind === "pair_linear") {
    const half = c.length / 2;
    const [x, y] = [c.slice(0, half), c.slice(half)];
    return Float64Array.of(...x, ...y, ...x.map((v, i) => Math.abs(v - y[i])), ...x.map((v, i) => v * y[i]));
  }
  return c;
}

/** Turn what was attended to into logits. */
export function logitsOf(head, c) {
  const inputs = features(head, c);
  return head.bias.map((bias, o) => {
    if (head.allowed && !head.allowed[o]) return -Infinity;
    if (head.kind === "linear") return inputs[o] + bias;
    return head.weight[o].reduce((sum, w, i) => sum + w * inputs[i], bias);
  });
}

/** The logits of a text under some weights. */
export function decode(model, weights) {
  return logitsOf(model.head, attended(model.values, weights));
}

/** The full output distribution: one logit is a sigmoid of the second class, several are a softmax. */
export function distribution(logits) {
  if (logits.length === 1) return [sigmoid(-logits[0]), sigmoid(logits[0])];
  const highest = Math.max(...logits);
  const parts = logits.map((x) => Math.exp(x - highest));
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((x) => x / sum);
}

/** Total variation distance of two outputs, from their logits. */
export function totalVariation(a, b) {
  if (a.length === 1) {
    const [high, low] = [Math.max(a[0], b[0]), Math.min(a[0], b[0])];
    return sigmoid(high) * sigmoid(-low) * -Math.expm1(low - high);
  }
  const [p, q] = [distribution(a), distribution(b)];
  return p.reduce((sum, x, i) => sum + Math.abs(x - q[i]), 0) / 2;
}

/** Jensen–Shannon divergence of two attentions, in nats. */
export function jensenShannon(p, q) {
  let sum = 0;
  for (let t = 0; t < p.length; t++) {
    const both = p[t] + q[t];
    if (both > 0) sum += xlogx(p[t]) + xlogx(q[t]) - both * Math.log(both / 2);
  }
  return Math.max(0, sum) / 2;
}

export const uniform = (length) => new Float64Array(length).fill(1 / length);

/** Give one token a weight; the others share the rest as they did. */
export function withWeight(weights, token, weight) {
  const rest = weights.reduce((sum, w, t) => (t === token ? sum : sum + w), 0);
  const others = weights.length - 1;
  return weights.map((w, t) => {
    if (t === token) return others ? weight : 1;
    return rest > 0 ? (w / rest) * (1 - weight) : (1 - weight) / others;
  });
}

/** Token logits s and bias of a linear head with two classes; null for any other. */
export function tokenLogits(model) {
  const { head, values } = model;
  if (head.kind !== "linear" || head.allowed || head.bias.length > 2) return null;
  if (head.bias.length === 1) return { s: values.map((v) => v[0]), bias: head.bias[0] };
  return { s: values.map((v) => v[1] - v[0]), bias: head.bias[1] - head.bias[0] };
}

/** The attention with the largest JSD that moves a two-class linear output by at most ε. */
export function exactAdversary(s, q, bias, epsilon) {
  const [low, high] = slab(s, q, bias, epsilon);
  const order = Array.from(s.keys()).sort((a, b) => s[a] - s[b] || a - b);
  let best = { missing: Infinity };
  const inside = order.filter((t) => s[t] >= low - 1e-9 && s[t] <= high + 1e-9);
  for (const t of inside) {
    const missing = missed(1, q[t]);
    if (missing < best.missing) best = { missing, first: t, second: t, weight: 1 };
  }
  for (const edge of [low, high]) {
    if (!Number.isFinite(edge)) continue;
    const above = records(order.filter((t) => s[t] > edge), q);
    const below = records(order.filter((t) => s[t] < edge), q);
    for (const i of above) {
      for (const j of below) {
        const weight = Math.min(1, Math.max(0, (edge - s[j]) / (s[i] - s[j])));
        const missing = missed(weight, q[i]) + missed(1 - weight, q[j]);
        if (missing < best.missing) best = { missing, first: i, second: j, weight };
      }
    }
  }
  if (best.missing === Infinity) return Float64Array.from(q);
  const found = new Float64Array(s.length);
  found[best.second] = 1 - best.weight;
  found[best.first] += best.weight;
  return found;
}

/** The least and the largest s·α′ that move the output by at most ε. */
function slab(s, q, bias, epsilon) {
  const logit = s.reduce((sum, x, t) => sum + x * q[t], 0) + bias;
  if (epsilon === 0) return [logit - bias, logit - bias];
  const [p, rest] = [sigmoid(logit), sigmoid(-logit)];
  const low = Math.log(Math.max(0, (p - epsilon) / (rest + epsilon)));
  const high = -Math.log(Math.max(0, (rest - epsilon) / (p + epsilon)));
  return [Math.min(low, logit) - bias, Math.max(high, logit) - bias];
}

/** Of tokens in order, those with less attention than all before, or all after them: no other can be best. */
function records(tokens, q) {
  const kept = new Set();
  for (const way of [tokens, [...tokens].reverse()]) {
    let least = Infinity;
    for (const t of way) {
      if (q[t] < least) {
        kept.add(t);
        least = q[t];
      }
    }
  }
  return [...kept];
}

/** What a token of weight x and attention q takes from ln 2. */
const missed = (x, q) => (xlogx(x + q) - xlogx(x) - xlogx(q)) / 2;

/** The probabilities of a class that any attention can reach; `exact` says whether no other can be. */
export function reachable(model, class_) {
  const alone = model.values.map((v) => distribution(logitsOf(model.head, Float64Array.from(v)))[class_]);
  const low = Math.min(...alone);
  const high = Math.max(...alone);
  if (model.head.kind !== "linear") return { low, high, exact: false };
  // ln p is concave in the weights, so that its least is at one word; its largest need not be.
  return { low, high: tokenLogits(model) ? high : highest(model, class_, alone), exact: true };
}

/** The largest probability of a class under a linear head: Frank & Wolfe, until no more than 1e-6 is missing. */
function highest(model, class_, alone) {
  let weights = new Float64Array(model.values.length);
  weights[alone.indexOf(Math.max(...alone))] = 1;
  let p = Math.max(...alone);
  for (let step = 0; step < 400; step++) {
    const y = distribution(decode(model, weights));
    p = y[class_];
    const slope = model.values.map((v) => v[class_] - v.reduce((sum, x, o) => sum + y[o] * x, 0));
    const up = slope.indexOf(Math.max(...slope));
    let down = up;
    for (let t = 0; t < weights.length; t++) if (weights[t] > 0 && slope[t] < slope[down]) down = t;
    const here = weights.reduce((sum, w, t) => sum + w * slope[t], 0);
    if (slope[up] - here < 1e-6 || down === up) break;
    weights = shifted(model, class_, weights, up, down);
  }
  return p;
}

/** Move weight from one token to another, as much as helps the class most. */
function shifted(model, class_, weights, up, down) {
  const moved = (share) => {
    const other = weights.slice();
    other[up] += share * weights[down];
    other[down] -= share * weights[down];
    return other;
  };
  const value = (share) => distribution(decode(model, moved(share)))[class_];
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (value(a) < value(b)) low = a;
    else high = b;
  }
  const share = value(1) >= value((low + high) / 2) ? 1 : (low + high) / 2;
  return moved(share);
}

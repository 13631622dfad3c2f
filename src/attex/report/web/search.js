// The published search for an adversary (Jain & Wallace 2019, Alg. 3), as attex.counterfactual.search does it.

import { normals } from "./draws.js";
import { attended, distribution, jensenShannon, logitsOf, totalVariation } from "./whatif.js";

const [CANDIDATES, STEPS, RATE, PENALTY, NOISE, PATIENCE] = [5, 500, 0.01, 500, 3, 250];
const [MARGIN, RISE, LOOK_EVERY] = [1e-5, 1e-4, 25];
const CROSS = 1 / (CANDIDATES * (CANDIDATES - 1));
const TINY = 1e-300;

/** Climb from five drawn attentions; `pause` is awaited now and then, and ends the search where it gives false. */
export async function searchedAdversary(model, q, id, epsilon, pause = async () => true) {
  const whole = logitsOf(model.head, attended(model.values, q));
  const climbers = Array.from({ length: CANDIDATES }, (_, k) => climber(normals(id, q.length, k)));
  let best = { jsd: 0, weights: Float64Array.from(q) };
  let rose = 0;
  for (let step = 0; step <= STEPS; step++) {
    for (const one of climbers) weigh(one);
    let highest = { jsd: -1 };
    for (const one of climbers) {
      one.gap = gapOf(model, one.weights, whole);
      const jsd = one.gap.size > epsilon - MARGIN ? -1 : jensenShannon(one.weights, q);
      if (jsd > highest.jsd) highest = { jsd, weights: one.weights };
    }
    if (highest.jsd > best.jsd + RISE) rose = step;
    if (highest.jsd > best.jsd) best = { jsd: highest.jsd, weights: highest.weights.slice() };
    if (step === STEPS) break;
    const slopes = climbers.map((one) => slopeOf(one, climbers, q, model, epsilon));
    climbers.forEach((one, k) => move(one, slopes[k], step));
    if (step % LOOK_EVERY === LOOK_EVERY - 1) {
      if (rose < step - PATIENCE && best.jsd > 0) break;
      if (!(await pause())) return null;
    }
  }
  return best.weights;
}

function climber(start) {
  const zeros = () => new Float64Array(start.length);
  const energies = Float64Array.from(start, (x) => NOISE * x);
  return { energies, weights: zeros(), logs: zeros(), mean: zeros(), square: zeros(), largest: zeros() };
}

function weigh(one) {
  const highest = one.energies.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = Math.log(one.energies.reduce((total, x) => total + Math.exp(x - highest), 0)) + highest;
  for (let t = 0; t < one.logs.length; t++) {
    one.logs[t] = one.energies[t] - sum;
    one.weights[t] = Math.exp(one.logs[t]);
  }
}

/** How far the output moves, and the slope of that with respect to what was attended to. */
function gapOf(model, weights, whole) {
  const c = attended(model.values, weights);
  const logits = logitsOf(model.head, c);
  return { size: totalVariation(logits, whole), c, logits, whole };
}

function gapSlope({ c, logits, whole }, head) {
  const [y, y0] = [distribution(logits), distribution(whole)];
  let slope;
  if (logits.length === 1) slope = [Math.sign(y[1] - y0[1]) * y[0] * y[1]];
  else {
    const signs = y.map((p, i) => Math.sign(p - y0[i]));
    const mean = y.reduce((sum, p, i) => sum + p * signs[i], 0);
    slope = y.map((p, i) => (p * (signs[i] - mean)) / 2);
  }
  return backThrough(head, c, slope);
}

/** From slopes of the logits to slopes of what was attended to. */
function backThrough(head, c, slope) {
  if (head.kind === "linear") return slope;
  const width = head.weight[0].length;
  const inner = Array.from({ length: width }, (_, i) =>
    slope.reduce((sum, s, o) => (s ? sum + s * head.weight[o][i] : sum), 0),
  );
  if (head.kind === "tanh_linear") return inner.map((s, i) => s * (1 - Math.tanh(c[i]) ** 2));
  const half = c.length / 2;
  const [first, second, apart, product] = [0, 1, 2, 3].map((part) => inner.slice(part * half, (part + 1) * half));
  const sign = first.map((_, i) => Math.sign(c[i] - c[half + i]));
  return [
    ...first.map((s, i) => s + sign[i] * apart[i] + c[half + i] * product[i]),
    ...second.map((s, i) => s - sign[i] * apart[i] + c[i] * product[i]),
  ];
}

function slopeOf(one, climbers, q, model, epsilon) {
  const { weights, logs } = one;
  const length = weights.length;
  const slope = new Float64Array(length);
  for (let t = 0; t < length; t++) {
    let apart = 0;
    for (const other of climbers) apart += logs[t] - Math.log(Math.max(TINY, weights[t] + other.weights[t]));
    slope[t] = (logs[t] - Math.log(Math.max(TINY, weights[t] + q[t])) + CROSS * apart) / 2;
  }
  if (one.gap.size > epsilon) {
    const back = gapSlope(one.gap, model.head);
    for (let t = 0; t < length; t++) {
      let along = 0;
      for (let i = 0; i < back.length; i++) along += back[i] * model.values[t][i];
      slope[t] -= PENALTY * along;
    }
  }
  const mean = slope.reduce((sum, s, t) => sum + weights[t] * s, 0);
  return slope.map((s, t) => weights[t] * (s - mean));
}

/** A step of Adam (AMSGrad). */
function move(one, slope, step) {
  for (let t = 0; t < slope.length; t++) {
    one.mean[t] = 0.9 * one.mean[t] + 0.1 * slope[t];
    one.square[t] = 0.999 * one.square[t] + 0.001 * slope[t] ** 2;
    one.largest[t] = Math.max(one.largest[t], one.square[t]);
    const size = Math.sqrt(one.largest[t] / (1 - 0.999 ** (step + 1))) + 1e-8;
    one.energies[t] += ((RATE / (1 - 0.9 ** (step + 1))) * one.mean[t]) / size;
  }
}

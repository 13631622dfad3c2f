// Random draws that depend on (seed, text, draw, position) only: the same numbers as attex.foundations.draws.

const SEEDS_APART = 0x9e3779b97f4a7c15n;
const FACTORS = [[0xbf58476d1ce4e5b9n, 30n], [0x94d049bb133111ebn, 27n]];
const wrap = (x) => BigInt.asUintN(64, x);

function mix(x) {
  for (const [factor, shift] of FACTORS) x = wrap((x ^ (x >> shift)) * factor);
  return x ^ (x >> 31n);
}

/** One 64-bit number (unsigned) for every position of a text. `id` is a BigInt. */
function numbers(id, length, draw, seed) {
  let key = mix(wrap(id + BigInt(seed) * SEEDS_APART));
  key = mix(wrap(key + BigInt(draw)));
  return Array.from({ length }, (_, t) => mix(wrap(key + BigInt(t + 1))));
}

/** Where each position of a shuffled text takes its value from. */
export function permutation(id, length, draw, seed = 0) {
  const bits = BigInt(Math.max(1, length > 1 ? (length - 1).toString(2).length : 1));
  const keys = numbers(id, length, draw, seed).map(
    (key, t) => ((BigInt.asIntN(64, key) >> bits) << bits) + BigInt(t),
  );
  const order = BigInt64Array.from(keys).sort();
  const last = (1n << bits) - 1n;
  return Array.from(order, (key) => Number(key & last));
}

/** Standard normal numbers, by Box & Muller. */
export function normals(id, length, draw, seed = 0) {
  const [first, second] = [2 * seed, 2 * seed + 1].map((key) =>
    numbers(id, length, draw, key).map((x) => (Number(x >> 11n) + 0.5) / 2 ** 53),
  );
  return first.map((u, t) => Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * second[t]));
}

// Differences of two runs with their intervals: what studies/compare.py and studies/bounds.py do, for one pair.

const LEVEL = 0.95;

/** The draws of one seed and number, in units of the number; null where it has none. */
function drawsOf(run, seed, key) {
  const place = run.drawn.indexOf(key);
  if (place < 0) return null;
  const count = run.bytes.length / (run.seeds.length * run.drawn.length);
  const start = (seed * run.drawn.length + place) * count;
  const step = run.steps[seed][place];
  return Array.from(run.bytes.subarray(start, start + count), (x) => x * step);
}

/** Bound the mean over seeds of differences [S]; draws [S][D] move it with the texts, or are null. */
export function bounded(differences, draws) {
  const seeds = differences.length;
  const value = mean(differences);
  const freedom = seeds - 1;
  const between = freedom ? sum(differences.map((x) => (x - value) ** 2)) / freedom : 0;
  let ofTexts = 0;
  let apart = 0;
  if (draws) {
    const moved = draws.map((row) => {
      const centre = mean(row);
      return row.map((x) => x - centre);
    });
    const together = moved[0].map((_, d) => mean(moved.map((row) => row[d])));
    const centre = mean(together);
    ofTexts = sum(together.map((x) => (x - centre) ** 2)) / (together.length - 1);
    const squares = moved.map((row) => sum(row.map((x, d) => (x - together[d]) ** 2)));
    apart = freedom ? sum(squares) / (freedom * together.length) : 0;
  }
  const ofSeeds = freedom ? Math.max(between - apart, 0) / seeds : 0;
  const variance = ofTexts + ofSeeds;
  let doubt = 0;
  if (freedom) doubt += (between / seeds) ** 2 / freedom;
  if (draws) doubt += ofTexts ** 2 / (draws[0].length - 1);
  const degrees = doubt > 0 ? Math.max(variance ** 2 / doubt, 1) : Infinity;
  const half = student(LEVEL, degrees) * Math.sqrt(variance);
  return { value, low: value - half, high: value + half };
}

/** Rows of every number that both runs have. */
export function differencesOf(first, second) {
  const seeds = first.seeds.filter((seed) => second.seeds.includes(seed));
  const same = first.texts === second.texts;
  const places = new Map(second.keys.map((key, k) => [key.join("\n"), k]));
  const rows = [];
  first.keys.forEach((key, k) => {
    const other = places.get(key.join("\n"));
    if (other === undefined) return;
    const pairs = seeds
      .map((seed) => [first.seeds.indexOf(seed), second.seeds.indexOf(seed)])
      .filter(([a, b]) => first.values[a][k] !== null && second.values[b][other] !== null);
    if (!pairs.length) return;
    const before = pairs.map(([a]) => first.values[a][k]);
    const after = pairs.map(([, b]) => second.values[b][other]);
    const draws = same ? pairs.map(([a, b]) => [drawsOf(first, a, k), drawsOf(second, b, other)]) : [];
    const moved = draws.length && draws[0][0] && draws[0][1] ? draws.map(([a, b]) => b.map((x, d) => x - a[d])) : null;
    const by = [...(moved ? ["texts"] : []), ...(pairs.length > 1 ? ["seeds"] : [])].join(" and ");
    const bounds = bounded(after.map((x, s) => x - before[s]), moved);
    rows.push({
      quantity: key[0],
      class: key[1],
      base: mean(before),
      value: mean(after),
      difference: bounds.value,
      low: by ? bounds.low : null,
      high: by ? bounds.high : null,
      by: by || "nothing",
    });
  });
  return rows;
}

const sum = (xs) => xs.reduce((total, x) => total + x, 0);
const mean = (xs) => sum(xs) / xs.length;

/** How many standard errors an interval of this level reaches, by Student's t. */
export function student(level, freedom) {
  if (freedom === Infinity) return 1.959963984540054;
  const wanted = 1 - level;
  // P(|T| > t) falls as t grows: halve the place it lies in.
  let [low, high] = [0, 1e3];
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (beyond(middle, freedom) > wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(|T| > t): the incomplete beta function at freedom / (freedom + t²), with (freedom / 2, 1 / 2). */
function beyond(t, freedom) {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function fraction(x, a, b) {
  const tiny = 1e-300;
  const away = (y) => (Math.abs(y) < tiny ? tiny : y);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 1000; m++) {
    for (const numerator of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / away(1 + numerator * d);
      c = away(1 + numerator / c);
      value *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

/** ln Γ by Stirling's series, for arguments moved to where it is exact. */
function logGamma(x) {
  let shift = 0;
  while (x < 15) shift -= Math.log(x++);
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

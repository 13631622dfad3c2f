// The list of runs: found, sorted, and chosen for a comparison.

import { h } from "./elements.js";
import { Grid, decimals, has } from "./grid.js";

/** Everything that a run can be found by. */
function words(run) {
  const settings = Object.entries(run.settings).map(([key, value]) => `${key}=${value}`);
  return [run.experiment, run.dataset, run.when, ...settings].join(" ");
}

/** The settings that are not the same in all of these runs. */
function differing(runs, keys) {
  return keys.filter((key) => runs.some((run) => run.settings[key] !== runs[0].settings[key]));
}

function headline(run, quantity) {
  return run.headlines.find((one) => one.quantity === quantity);
}

function number(one) {
  if (!one || one.value === null) return "–";
  const interval = one.low === null ? "" : ` [${decimals(one.low)}, ${decimals(one.high)}]`;
  return h("span", { class: "bounded" }, decimals(one.value), h("small", {}, interval));
}

/** Show the list, and follow what is typed and chosen. */
export function start() {
  const { runs, settings } = window.attexSite.runs;
  const places = ["find", "newest", "universes", "chosen"];
  const [find, newest, universes, told] = places.map((id) => document.getElementById(id));
  const grid = new Grid(document.getElementById("runs"), "Runs");
  const all = runs.map((run, id) => ({ ...run, id, words: words(run) }));
  const first = new Map();
  for (const run of all) if (!first.has(run.experiment)) first.set(run.experiment, run.id);
  let chosen = [];

  function choose(run, on) {
    chosen = on ? [...chosen, run.id].slice(-2) : chosen.filter((id) => id !== run.id);
    for (const box of document.querySelectorAll("[data-run]")) box.checked = chosen.includes(Number(box.dataset.run));
    const [a, b] = chosen;
    told.replaceChildren(
      ...(chosen.length === 2
        ? [h("a", { href: `compare.html#a=${a}&b=${b}` }, `Compare ${all[a].experiment} and ${all[b].experiment}`)]
        : [chosen.length ? "Choose one more." : ""]),
    );
  }

  function box(run) {
    const label = `Compare ${run.experiment}, ${run.when}`;
    const listen = (event) => choose(run, event.target.checked);
    return h("input", { type: "checkbox", "data-run": run.id, "aria-label": label, checked: chosen.includes(run.id), change: listen });
  }

  function show() {
    const shown = all.filter(
      (run) =>
        has(run.words, find.value) &&
        (!newest.checked || first.get(run.experiment) === run.id) &&
        (universes.checked || !run.universe),
    );
    const quantities = [...new Set(shown.flatMap((run) => run.headlines.map((one) => one.quantity)))];
    const columns = [
      { title: "compare", cell: box },
      { title: "experiment", kind: "name", value: (run) => run.experiment, cell: (run) => h("a", { href: run.href }, run.experiment) },
      { title: "when", value: (run) => run.when },
      { title: "models", value: (run) => run.seeds, kind: "n", cell: (run) => String(run.seeds) },
      ...quantities.map((quantity) => ({
        title: quantity,
        kind: "n",
        value: (run) => headline(run, quantity)?.value,
        cell: (run) => number(headline(run, quantity)),
      })),
      ...differing(shown, settings).map((key) => ({ title: key, value: (run) => run.settings[key] })),
    ];
    if (shown.some((run) => run.trouble)) columns.push({ title: "trouble", kind: "words", value: (run) => run.trouble });
    grid.show(columns, shown);
  }

  find.addEventListener("input", show);
  for (const place of [newest, universes]) place.addEventListener("change", show);
  // Who has nothing but universes wants to see them.
  universes.checked = all.every((run) => run.universe);
  show();
}

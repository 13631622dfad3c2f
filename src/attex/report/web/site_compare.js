// Any two runs side by side; which two is in the address.

import { h } from "./elements.js";
import { Grid, decimals, has } from "./grid.js";
import { differencesOf } from "./pairing.js";

const byId = (id) => document.getElementById(id);

/** Load what a run's numbers are; null where its script is not there. */
function load(number) {
  const site = window.attexSite;
  return new Promise((resolve) => {
    const script = h("script", { src: `data/run-${number}.js` });
    site.taken.set(number, (numbers) => {
      const bytes = Int8Array.from(atob(numbers.draws), (letter) => letter.charCodeAt(0));
      resolve({ ...numbers, bytes });
    });
    script.onerror = () => resolve(null);
    document.head.append(script);
  });
}

/** Show the two runs that are chosen. */
export function start() {
  const { runs, settings, comparisons } = window.attexSite.runs;
  const [first, second, find, clear, told] = ["first", "second", "find", "clear", "told"].map(byId);
  const name = (run) => `${run.experiment}, ${run.when}`;
  for (const place of [first, second]) place.append(...runs.map((run, id) => h("option", { value: id }, name(run))));
  const tables = [new Grid(byId("settings"), "Settings that differ"), new Grid(byId("numbers"), "Differences")];
  let rows = [];

  function fromAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const known = (id, other) => (runs[said.get(id)] ? said.get(id) : String(Math.min(other, runs.length - 1)));
    [first.value, second.value] = [known("a", 0), known("b", 1)];
  }

  function showNumbers() {
    const isClear = (row) => row.low > 0 || row.high < 0;
    const shown = rows.filter((row) => has(`${row.quantity} ${row.class}`, find.value) && (!clear.checked || isClear(row)));
    const bounds = rows.filter((row) => row.low !== null);
    byId("counted").textContent =
      `Of ${bounds.length} differences with an interval, ${bounds.filter(isClear).length} are clear of 0; ` +
      `if nothing differed, about ${Math.round(0.05 * bounds.length)} would be by chance.`;
    tables[1].show(
      [
        { title: "number", value: (row) => row.quantity },
        { title: "class", value: (row) => row.class },
        { title: "first", kind: "n", value: (row) => row.base, cell: (row) => decimals(row.base) },
        { title: "second", kind: "n", value: (row) => row.value, cell: (row) => decimals(row.value) },
        {
          title: "difference",
          kind: "n",
          value: (row) => row.difference,
          cell: (row) => h("span", isClear(row) ? { class: "clear" } : {}, decimals(row.difference)),
        },
        {
          title: "interval",
          kind: "n",
          value: (row) => row.low,
          cell: (row) => (row.low === null ? "–" : `[${decimals(row.low)}, ${decimals(row.high)}]`),
        },
        { title: "bounded by", value: (row) => row.by },
      ],
      shown,
    );
  }

  function showSettings(a, b) {
    const changed = settings.filter((key) => a.settings[key] !== b.settings[key]);
    if (!changed.length) {
      byId("settings").replaceChildren(h("p", {}, "The experiments have the same settings: they differ in nothing but their names."));
      return;
    }
    tables[0].show(
      [
        { title: "setting", value: (key) => key },
        { title: "first", kind: "words", value: (key) => a.settings[key] },
        { title: "second", kind: "words", value: (key) => b.settings[key] },
      ],
      changed,
    );
  }

  function tell(a, b, ids, problem) {
    const made = comparisons.find((one) => ids.every((id) => one.runs.includes(id)));
    const link = (run) => h("a", { href: run.href }, name(run));
    const command = h("code", {}, `attex compare ${a.path} ${b.path}`);
    const more = made ? h("a", { href: made.href }, "its page is here") : "it has not been run";
    told.replaceChildren(link(a), " and ", link(b), `. ${problem} With figures and more draws: `, command, " (", more, ").");
  }

  async function show() {
    const ids = [Number(first.value), Number(second.value)];
    const [a, b] = ids.map((id) => runs[id]);
    history.replaceState(null, "", `#a=${ids[0]}&b=${ids[1]}`);
    const numbers = await Promise.all(ids.map(load));
    if (ids[0] !== Number(first.value) || ids[1] !== Number(second.value)) return;
    const [before, after] = numbers;
    let problem = "";
    const lacking = ids.find((_, i) => !numbers[i]);
    if (ids[0] === ids[1]) problem = "Choose two different runs.";
    else if (lacking !== undefined) problem = `The numbers of ${name(runs[lacking])} are not there${runs[lacking].trouble ? `: ${runs[lacking].trouble}` : ""}.`;
    else if (a.dataset !== b.dataset) problem = "They are about different data, so nothing can be compared.";
    else if (!before.seeds.some((seed) => after.seeds.includes(seed))) problem = "They have no seed in common, so nothing can be paired.";
    rows = problem ? [] : differencesOf(before, after);
    if (!problem && before.texts !== after.texts) problem = "They are not about the same texts: intervals are over seeds only.";
    tell(a, b, ids, problem);
    byId("settings-part").hidden = ids[0] === ids[1];
    byId("numbers-part").hidden = !rows.length;
    showSettings(a, b);
    showNumbers();
    document.body.dataset.shown = ids.join(" ");
  }

  for (const place of [first, second]) place.addEventListener("change", show);
  for (const place of [find, clear]) place.addEventListener("input", showNumbers);
  byId("swap").addEventListener("click", () => {
    [first.value, second.value] = [second.value, first.value];
    show();
  });
  addEventListener("hashchange", () => {
    fromAddress();
    show();
  });
  fromAddress();
  show();
}

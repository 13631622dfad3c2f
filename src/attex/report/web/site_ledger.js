// The ledger: every published number with its verdict, and what answers it.

import { h } from "./elements.js";
import { Grid, decimals, has } from "./grid.js";

const COMMAND = "attex ";

/** Show the ledger, and follow what is typed and chosen. */
export function start() {
  const { columns, rows } = window.attexSite.ledger;
  const [find, paper, verdict, counted] = ["find", "paper", "verdict", "counted"].map((id) => document.getElementById(id));
  const claims = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
  const grid = new Grid(document.getElementById("claims"), "Published numbers");
  for (const [place, name] of [[paper, "paper"], [verdict, "verdict"]]) {
    const values = new Set(claims.map((claim) => claim[name]));
    place.append(...[...values].map((value) => h("option", { value }, value)));
  }
  const shown = [
    { title: "verdict", value: (claim) => claim.verdict },
    { title: "model", value: (claim) => claim.model },
    { title: "quantity", value: (claim) => claim.quantity },
    { title: "class", value: (claim) => claim.class },
    { title: "published", kind: "n", value: (claim) => claim.published, cell: (claim) => decimals(claim.published) },
    { title: "ours", kind: "n", value: (claim) => claim.ours || null },
    {
      title: "what answers it",
      value: (claim) => claim.answer,
      cell: (claim) => h(claim.answer.startsWith(COMMAND) ? "code" : "span", {}, claim.answer),
    },
    {
      title: "source",
      value: (claim) => `${claim.paper} ${claim.location}`,
      cell: (claim) => h("span", {}, claim.paper, h("small", {}, `, ${claim.location}`)),
    },
    { title: "judged by", value: (claim) => claim.experiment || null },
  ];

  function show() {
    const found = claims.filter(
      (claim) =>
        (!paper.value || claim.paper === paper.value) &&
        (!verdict.value || claim.verdict === verdict.value) &&
        has(`${claim.claim} ${claim.model} ${claim.quantity} ${claim.class} ${claim.location}`, find.value),
    );
    const verdicts = new Map();
    for (const claim of found) verdicts.set(claim.verdict, (verdicts.get(claim.verdict) ?? 0) + 1);
    const told = [...verdicts].map(([name, count]) => `${count.toLocaleString("en")} ${name}`);
    counted.textContent = `${found.length.toLocaleString("en")} numbers: ${told.join(", ") || "none"}.`;
    grid.show(shown, found);
  }

  for (const place of [find, paper, verdict]) place.addEventListener("input", show);
  show();
}

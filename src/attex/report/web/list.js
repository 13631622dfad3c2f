// The list of texts that were found, a page of it at a time.

import { figures, h, percent } from "./elements.js";

export const PAGE = 12;

/** Fill the list with one page of the texts that were kept; returns the number of the page. */
export function fillList(section, { kept, texts, state, values, decisions, page }, choose) {
  const $ = (name) => section.querySelector(`[data-x="${name}"]`);
  const pages = Math.max(1, Math.ceil(kept.length / PAGE));
  const here = Math.min(page, pages - 1);
  const shown = kept.slice(here * PAGE, (here + 1) * PAGE);
  $("list").replaceChildren(...shown.map((i) => row(texts, i, state, values, decisions, choose)));
  const active = section.querySelector(`#x-text-${state.text}`);
  if (active) $("list").setAttribute("aria-activedescendant", active.id);
  else $("list").removeAttribute("aria-activedescendant");
  const [count, of] = [kept.length, texts.count].map((n) => n.toLocaleString("en"));
  $("count").textContent = kept.length === texts.count ? `${of} texts` : `${count} of ${of} texts`;
  $("page").textContent = kept.length ? `${here + 1} / ${pages}` : "none";
  $("earlier-page").disabled = here === 0;
  $("later-page").disabled = here >= pages - 1;
  return here;
}

function row(texts, i, state, values, decisions, choose) {
  const [label, predicted] = [texts.classes[texts.labels[i]], texts.classes[decisions.predicted[i]]];
  return h(
    "li",
    { role: "option", id: `x-text-${i}`, "aria-selected": String(i === state.text), click: () => choose(i) },
    h("span", { class: "beginning", dir: "auto" }, beginning(texts, i)),
    h(
      "span",
      { class: "meta" },
      `${texts.names[i]} · ${texts.lengths[i]} words · ${label}, predicted `,
      h("b", label === predicted ? {} : { class: "wrong" }, predicted),
      ` ${percent(decisions.confidence[i])}`,
      sortedBy(state.sort, values, i),
    ),
  );
}

/** What a text is sorted by, where its row does not say it anyway. */
function sortedBy(sort, values, i) {
  const words = { disagreement: "1 − τ", entropy: "entropy", reach: "JSD" }[sort];
  return values && words ? ` · ${words} ${figures(values[i])}` : null;
}

function beginning(texts, i) {
  const [start, end] = [texts.starts[i], Math.min(texts.starts[i] + 14, texts.starts[i + 1])];
  const words = Array.from(texts.tokens.subarray(start, end), (word) => texts.words_[word]).join(" ");
  return end < texts.starts[i + 1] ? `${words} …` : words;
}

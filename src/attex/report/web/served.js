// A box for texts that are typed in, on a page whose server has the models.

import { h, settled } from "./elements.js";

/** Ask the server about a text, as such or as a list of tokens; what is wrong comes back as an error. */
async function ask(question) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("explain", { method: "POST", headers, body: JSON.stringify(question) });
  const found = await answer.json();
  if (found.error) throw new Error(found.error);
  return found;
}

/** Let texts that came with the page have what their file lacks: influence, and values of every token. */
function complete(texts) {
  const packed = texts.one.bind(texts);
  texts.one = async (text, seeds, hands = true) => {
    const found = await packed(text, seeds, hands);
    const lacks = Object.values(found.seeds).some((seed) => seed.influence === null || seed.values === null);
    if (!hands || !lacks) return found;
    const whole = await ask({ text: found.tokens, query: found.query, seeds }).catch(() => null);
    for (const [number, seed] of Object.entries(found.seeds)) {
      for (const part of ["attention", "values", "head", "influence"]) seed[part] ??= whole?.seeds[number]?.[part] ?? null;
    }
    return found;
  };
}

/** Put the box above the texts, and show what is typed as if it were one of them. */
export function start() {
  const { explorer } = window.attexExplorer;
  complete(explorer.texts);
  const told = h("p", { role: "status", id: "typed-status" });
  const box = h("textarea", { id: "typed", rows: 2, placeholder: "The staff was not friendly …" });
  const asks = Boolean(explorer.texts.queryStarts);
  const asked = h("textarea", { id: "asked", rows: 1 });
  let last = 0;
  const show = async () => {
    const number = ++last;
    const text = box.value;
    const query = asks ? asked.value : null;
    if (!text.trim() || query?.trim() === "") {
      told.textContent = "";
      return;
    }
    try {
      // The model that is looked at first, the others while its answer is read.
      const { seed } = explorer.state;
      const found = await ask({ text, query, seeds: [seed] });
      // What was typed since has been asked, too.
      if (number !== last) return;
      const words = [...found.tokens, ...(found.query ?? [])];
      const known = [...found.known, ...(found.query_known ?? [])];
      const unknown = words.filter((_, t) => !known[t]);
      told.textContent = unknown.length ? `Not in the model's vocabulary: ${[...new Set(unknown)].join(", ")}` : "";
      await window.attexExplorer.showText(found);
      box.dataset.shown = text;
      const others = explorer.texts.seeds.filter((other) => other !== seed);
      if (others.length) Object.assign(found.seeds, (await ask({ text, query, seeds: others })).seeds);
      if (number === last && explorer.state.spread) await window.attexExplorer.showText(found);
      box.dataset.seeds = Object.keys(found.seeds).length;
    } catch (error) {
      if (number === last) told.textContent = error.message;
    }
  };
  const live = settled(show);
  for (const place of [box, asked]) place.addEventListener("input", live);
  const second = asks ? [h("label", { for: "asked" }, "What is asked of it"), asked] : [];
  const form = h("div", { class: "typed" }, h("label", { for: "typed" }, "Type a text"), box, ...second, told);
  document.getElementById("explorer").querySelector("h2").after(form);
}

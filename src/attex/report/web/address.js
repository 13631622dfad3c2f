// The state of the explorer in the address of the page, so that what one sees can be sent to others.

import { SORTS } from "./finding.js";
import { HANDS } from "./hands.js";
import { SCALES } from "./heat_rows.js";

const MARK = "#explorer?";
const START = {
  search: "", label: "", predicted: "", right: "", least: "", most: "", sort: "order", down: false,
  first: "", second: "", scale: "share", spread: "", text: null, pin: null, hand: "own", epsilon: 0.05, draw: 0,
};

/** The state that a page starts with. */
export function startState(index) {
  const [first, second] = preferredPair(index.measures);
  return { ...START, seed: index.seeds[0], first, second, typed: [] };
}

/** Attention and leave-one-out, where there are both: what is looked at, and what a deletion does. */
function preferredPair(measures) {
  const first = measures.includes("attention") ? "attention" : (measures[0] ?? "");
  const others = measures.filter((measure) => measure !== first);
  return [first, others.includes("leave_one_out") ? "leave_one_out" : (others[0] ?? first)];
}

/** Write down in the address what differs from the start; `first` is the text that is shown without being asked. */
export function writeAddress(state, start, first) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (name !== "typed" && value !== start[name] && value !== null) said.set(name, value);
  }
  if (state.hand === "hand" && state.typed.length) {
    said.set("typed", state.typed.map((pair) => pair.join(":")).join(","));
  }
  if (state.text === first && said.size === 1) said.delete("text");
  const wanted = said.size ? `${MARK}${said}` : "";
  if (wanted ? location.hash !== wanted : location.hash.startsWith(MARK)) {
    history.replaceState(null, "", wanted || location.pathname + location.search);
  }
}

/** Read the address; null where it is none of the explorer's. */
export function readAddress(start, texts) {
  if (!location.hash.startsWith(MARK)) return null;
  const state = { ...start, typed: [] };
  for (const [name, text] of new URLSearchParams(location.hash.slice(MARK.length))) {
    if (name === "typed") state.typed = pairs(text);
    else if (name in start) state[name] = sensible(name, text, state[name], texts);
  }
  return state;
}

const pairs = (text) =>
  text
    .split(",")
    .map((pair) => pair.split(":").map(Number))
    .filter(([t, x]) => Number.isInteger(t) && t >= 0 && x >= 0 && x <= 1);

/** Read one piece of an address; what makes no sense leaves the start as it is. */
function sensible(name, text, before, texts) {
  if (name === "down") return text === "true";
  if (["seed", "text", "pin", "epsilon", "draw"].includes(name)) {
    const number = Number(text);
    const most = { seed: Infinity, text: texts.count - 1, pin: texts.count - 1, epsilon: 0.5, draw: 1e6 }[name];
    const whole = name === "epsilon" || Number.isInteger(number);
    if (!(number >= 0 && number <= most && whole)) return before;
    return name === "seed" && !texts.seeds.includes(number) ? before : number;
  }
  const known = { sort: Object.keys(SORTS), scale: Object.keys(SCALES), hand: Object.keys(HANDS) };
  Object.assign(known, { first: texts.measures, second: texts.measures, spread: texts.measures });
  return known[name] && !known[name].includes(text) ? before : text;
}

// The view that says whether a text is new: as it is typed, and for all rows of a file.

import { ask, bar, bars, element, facts, folded, found, isNewest, likely, marked, named, newTurn, number, tell, text } from "./common.js";

const WAIT = 250; // milliseconds after the last key
const SHORTEST = 3; // characters that are worth a question
const DENSE = /[\u2e80-\u9fff\uac00-\ud7af]/; // unless each is a word or a syllable
const VERDICTS = {
  duplicate: "Somebody said this before.",
  new: "This is new.",
  ask: "A person should decide.",
};
const form = document.querySelector("#match form");
let timer = 0;

export const options = (given) => ({
  ...(given.collection && { collection: given.collection }),
  ...(given.precision && { precision: Number(given.precision) }),
  ...(given.threshold && { threshold: Number(given.threshold) }),
});

// Words with what stands around them.
const PARTS = /^([^\p{L}\p{N}]*)([\p{L}\p{N}].*[\p{L}\p{N}]|[\p{L}\p{N}])?([^\p{L}\p{N}]*)$/su;

function agrees(part) {
  const [, before, words, after] = part.match(PARTS);
  return words ? element("span", {}, before, element("span", { class: "agrees" }, words), after) : part;
}

// Both texts; words of one alone are marked, words of both are underlined.
function beside(given, one) {
  const { differences } = one;
  const isMarked = differences.text.length + differences.nearest.length > 0;
  const side = (title, value, spans) => element("div", {}, element("h3", {}, title), isMarked ? marked(value, spans, { class: "said differing" }, agrees) : element("p", {}, text(value)));
  const both = element("div", { class: "two" }, side("Your text", given.text, differences.text), side("The nearest text", one.nearest.text, differences.nearest));
  const legend = element("p", { class: "facts" }, element("span", { class: "agrees" }, "in both texts"), " · ", element("mark", {}, "in one of them"));
  const why = given.text === one.nearest.text ? "Both texts are the same." : "No words are marked: the texts share none, or are too long.";
  return [both, isMarked ? legend : facts(why)];
}

function measures(one, limits) {
  const known = Object.entries(limits).filter(([, value]) => value !== null);
  const from = known.map(([name, value]) => `${name} from ${number(value, 2)}`).join(", ");
  const likelihood = one.probability === null ? [] : [bar("Probability of a duplicate", one.probability, { said: likely(one.probability) })];
  const cosine = one.score === null ? [] : [bar("Similarity", one.score, { limits: known.map(([, value]) => value), said: `${number(one.score, 2)}${from && ` (${from})`}` })];
  return bars(...likelihood, ...cosine);
}

function shown(given, answer) {
  const [one] = answer.matches;
  const card = element("div", { class: `verdict ${one.verdict}` }, element("p", { class: "kind" }, one.verdict), element("p", { class: "sentence" }, VERDICTS[one.verdict]), measures(one, answer.limits));
  const parts = [card];
  if (one.nearest) {
    const guards = one.guards.length ? `kept apart by: ${one.guards.join(", ")}` : "";
    parts.push(...beside(given, one), facts(named(one.nearest.id), guards));
  }
  if (!answer.fitted && !given.threshold) parts.push(element("p", { class: "unfitted" }, `${answer.rule.join("; ")}.`));
  const lines = [...answer.rule, `passport ${answer.passport}`].map((line) => element("p", {}, line));
  return [VERDICTS[one.verdict], element("div", {}, ...parts, folded("How this was decided", ...lines))];
}

async function answered(given, draft) {
  const body = { texts: [given.text], differences: true, ...options(given), ...(draft && { draft }) };
  return shown(given, await ask("/match", body));
}

export async function asked(given) {
  clearTimeout(timer);
  const [said, content] = await answered(given, false);
  return { said, shown: content, isHeard: true };
}

// What is typed is looked up without being watched or counted.
async function typed() {
  const given = Object.fromEntries(new FormData(form));
  const now = newTurn();
  const isShort = given.text.trim().length < SHORTEST && !DENSE.test(given.text);
  if (isShort || !form.checkValidity()) {
    found.replaceChildren();
    tell(isShort ? "" : "A precision lies between 0.01 and 0.999, a similarity between -1 and 1.", { isError: !isShort });
    return;
  }
  try {
    const [said, content] = await answered(given, true);
    if (!isNewest(now)) return;
    const isOpen = found.querySelector("details")?.open;
    found.replaceChildren(content);
    if (isOpen) content.querySelector("details").open = true;
    if (document.getElementById("said").textContent !== said) tell(said, { isHeard: true });
  } catch (error) {
    if (!isNewest(now)) return;
    found.replaceChildren(); // it was said of another text
    tell(error.message, { isError: true });
  }
}

// Forgets what was typed last, as another view is shown.
export function leave() {
  clearTimeout(timer);
}

form.addEventListener("input", (event) => {
  if (event.target.name !== "text" && !form.elements.text.value.trim()) return;
  clearTimeout(timer);
  timer = setTimeout(typed, WAIT);
});

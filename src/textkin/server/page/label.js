// Judging pairs until a precision is proven, and settling what people disagree on.

import { advance, ask, element, found, marked, number, query, remembersName, tell, text } from "./common.js";
import { keysOf } from "./keys.js";

const WORDS = { same: "yes", different: "no", unsure: "unsure" };
const field = (name) => document.getElementById(`label-${name}`);
let told = null; // the latest answer of the server
let settling = false; // whether disagreements are shown rather than pairs that nobody has judged
let waits = false; // until what was said is on the server's disk

export async function show() {
  await asking(`/label?${query({ by: field("by").value })}`);
  if (!told?.starter || field("by").value) return;
  field("by").value = told.starter; // who has pairs of their own to judge
  await asking(`/label?${query({ by: told.starter })}`);
}

async function asking(path, body) {
  waits = true;
  try {
    told = await ask(path, body);
    if (body) field("note").value = ""; // it was of the pair before
    shown();
  } catch (error) {
    if (body && error.status) await renew(); // somebody else may have answered this pair
    tell(error.message, { isError: true });
  } finally {
    waits = false;
  }
}

async function renew() {
  const before = told?.question?.row;
  const now = await ask(`/label?${query({ by: field("by").value })}`).catch(() => null);
  if (now === null) return;
  told = now;
  if (told.question?.row !== before) field("note").value = "";
  shown();
}

// A name where several people label some pairs: nobody's answers are mixed up with another's.
function isNamed() {
  if (!told?.shared || field("by").value.trim()) return true;
  tell("Enter your name: some of the pairs are for two people.", { isError: true });
  field("by").focus();
  return false;
}

function shown() {
  const { state, dispute, agreement } = told;
  settling = settling && dispute !== null;
  const pair = settling ? dispute : told.question;
  const ended = state.proven !== null ? "It is proven" : state.aimed === null ? "More labels won't prove it" : "No pair is left to label";
  field("title").textContent = settling ? "Who is right?" : pair ? "Do these say the same?" : ended;
  const sides = pair ? ["first", "second"].map((side) => marked(pair[side], pair.marks[side], { id: `label-${side}` })) : [];
  field("texts").replaceChildren(...sides);
  field("texts").hidden = !pair;
  const left = state.left ?? (state.proven === null ? null : 0);
  advance(field("done"), state.answered, left === null ? null : state.answered + left, left ? `${number(state.answered, 0)} labelled, about ${number(left, 0)} to go` : "done");
  for (const button of document.querySelectorAll("[data-answer]")) {
    button.disabled = !pair;
    button.hidden = !pair;
  }
  field("note").parentElement.hidden = !pair;
  field("said").hidden = !settling;
  field("said").replaceChildren(...(settling ? dispute.answers.map(said) : []));
  field("settle").hidden = dispute === null;
  const settle = settling ? "Go on with pairs" : `Settle disagreements (${number(state.disputed, 0)})`;
  field("settle").replaceChildren(settle, " ", element("kbd", {}, "d"));
  const several = agreement === null ? "" : `, ${number(agreement.pairs, 0)} of them by several people`;
  const goal = `${number(state.answered, 0)} labelled${several}; the goal is a precision of ${told.goal}`;
  tell(`${goal}: ${state.said}.`);
  const parts = [proofs(state)];
  if (state.thresholds.some((one) => one.recall !== null)) {
    parts.push(element("p", { class: "facts" }, "Recall is of the pairs in this file: pairs that are the same and stand in no row of it are not counted."));
  }
  if (agreement !== null) parts.push(element("p", { class: "facts" }, `${agreement.said}.`));
  found.replaceChildren(...parts);
}

function said(one) {
  const note = one.note ? [": ", text(one.note)] : [];
  return element("li", {}, text(one.by || "somebody", "strong"), ` said ${WORDS[one.answer]}`, ...note);
}

function proofs(state) {
  const caption = "What the labels prove, however often you look";
  const table = element("table", {}, element("caption", {}, caption));
  const hasRecall = state.thresholds.some((one) => one.recall !== null);
  const names = ["From score", "Pairs", "Labelled the same", "Proven precision", "Goal", ...(hasRecall ? ["Proven recall"] : [])];
  const head = names.map((name) => element("th", { scope: "col", class: "num" }, name));
  const rows = state.thresholds.map((one) => {
    const counts = [number(one.pairs, 0), `${number(one.same, 0)} of ${number(one.labels, 0)}`];
    const ends = [number(one.least), one.proven ? "proven" : "not yet", ...(hasRecall ? [number(one.recall)] : [])];
    const cells = [...counts, ...ends].map((cell) => element("td", { class: "num" }, cell));
    return element("tr", {}, element("th", { class: "num", scope: "row" }, number(one.threshold, 4)), ...cells);
  });
  table.append(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  return element("div", { class: "scroll proofs", tabindex: "0", role: "region", "aria-label": caption }, table);
}

function judged(answer) {
  const pair = settling ? told?.dispute : told?.question;
  if (waits || !pair || !isNamed()) return;
  const given = { answer, by: field("by").value, note: field("note").value };
  if (settling) asking("/label/settle", { row: pair.row, ...given });
  else asking("/label", { row: pair.row, among: pair.among, ...given });
}

function undo() {
  if (!waits && isNamed()) asking("/label/undo", { by: field("by").value });
}

function settle() {
  if (!told?.dispute) return;
  settling = !settling;
  shown();
}

for (const button of document.querySelectorAll("[data-answer]")) button.addEventListener("click", () => judged(button.dataset.answer));
field("undo").addEventListener("click", undo);
field("settle").addEventListener("click", settle);
remembersName(field("by"), show); // another person has other pairs to judge
keysOf("label", { y: () => judged("same"), n: () => judged("different"), u: () => judged("unsure"), z: undo, d: settle });

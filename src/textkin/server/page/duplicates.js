// The view of a deduplication's groups: accepted, split and merged, by mouse and keys.

import { advance, ask, button, counted, element, facts, fetched, found, marked, named, number, query, remembersName, saved, tell, tried } from "./common.js";
import { keysOf } from "./keys.js";

const PAUSE = 150; // milliseconds without a move of the slider before groups are asked for
const field = (name) => document.getElementById(`dup-${name}`);
const WORDS = { score: "removed by score", accepted: "removed: accepted", merged: "removed: merged" };

let readOnly = false;
let run = null; // the folder whose groups are shown
let threshold = null; // null for the run's own
let start = 0;
let merging = null; // the group that is to be merged into another
let turn = 0; // so that a late answer doesn't overwrite a newer one
let moved = 0; // the timer of the slider

const isShown = () => !document.getElementById("duplicates").hidden;

export function begin(options) {
  readOnly = options.readOnly;
  field("undo").hidden = readOnly;
  keysOf("duplicates", readOnly ? MOVES : { ...MOVES, ...DECISIONS });
}

export function open(folder) {
  choose(folder);
  location.hash = "#duplicates";
}

function choose(folder) {
  [run, threshold, start, merging] = [folder, null, 0, null];
}

export async function show() {
  await tried(async () => {
    const { runs } = await ask("/runs");
    if (!isShown()) return;
    const folders = runs.map((one) => one.folder).filter((one) => one !== null);
    if (!folders.includes(run)) choose(folders[0] ?? null);
    field("run").replaceChildren(...folders.map((one) => element("option", { value: one }, one)));
    field("controls").hidden = run === null;
    if (run === null) {
      found.replaceChildren();
      tell("This folder has no deduplication yet: textkin dedupe TEXTS --out DIR makes one.");
      return;
    }
    field("run").value = run;
    await load();
  });
}

// Asks for groups and shows them; the focus goes to the group that had it, or to the one in its place.
async function load({ focus = null } = {}) {
  const now = ++turn;
  const given = { run, order: field("order").value, only_open: field("open").checked, threshold, start };
  const answer = await ask(`/dedupe?${query(given)}`);
  if (now !== turn || !isShown()) return;
  if (start && start >= answer.found) {
    start = Math.max(0, start - 20);
    await load({ focus });
    return;
  }
  slider(answer);
  known(answer);
  const list = element("ol", { class: "groups", start: String(start + 1) }, ...answer.groups.map(group));
  const alone = answer.alone.length ? [element("details", {}, element("summary", {}, `Split off and kept (${answer.alone.length})`), element("ol", { class: "groups" }, ...answer.alone.map(group)))] : [];
  found.replaceChildren(list, pages(answer), ...alone);
  const { counts } = answer;
  advance(field("done"), counts.groups - counts.open, counts.groups, `${number(counts.groups - counts.open, 0)} of ${counted(counts.groups, "group", "groups")} decided`);
  tell(`${counted(counts.texts, "text", "texts")}: ${number(counts.go, 0)} removed, ${number(counts.texts - counts.go, 0)} kept; decisions: ${number(counts.decisions, 0)}.${merging === null ? "" : " Choose the group to merge into."}`);
  if (focus !== null) {
    const all = [...found.querySelectorAll(".group")];
    (all.find((one) => one.dataset.group === focus.id) ?? all[Math.min(focus.place, all.length - 1)])?.focus();
  }
}

function slider(answer) {
  const least = Math.max(-1, answer.run_threshold);
  const bar = field("threshold");
  bar.min = String(least);
  bar.max = "1";
  bar.step = String(Math.max((1 - least) / 200, 0.0001));
  bar.disabled = least >= 1;
  bar.value = String(answer.threshold);
  field("cut").textContent = number(answer.threshold, 4);
}

function known(answer) {
  const place = field("known");
  place.classList.toggle("unknown", answer.precision === null);
  if (answer.precision === null) {
    const from = answer.known_from.length ? `No labels cover thresholds below ${number(Math.min(...answer.known_from), 4)}.` : "To measure it, let dedupe draw a sample of pairs, and label them.";
    place.replaceChildren(element("strong", {}, "Precision unknown. "), from);
    return;
  }
  const { precision, threshold: from, pairs } = answer.precision;
  const share = (value) => `${number(100 * value, 1)} %`;
  if (precision.n === pairs) { // no interval: nothing is estimated
    const all = `All ${counted(pairs, "similar pair", "similar pairs")} that score ${number(from, 4)} or more were labelled: `;
    place.replaceChildren(all, element("strong", {}, `${share(precision.value)} are the same`), ".");
    return;
  }
  const said = `Of the ${number(pairs, 0)} similar pairs that score ${number(from, 4)} or more, ${share(precision.value)} are the same: `;
  place.replaceChildren(said, element("strong", {}, `${share(precision.low)} to ${share(precision.high)}`), ` with 95 % confidence, by ${counted(precision.n, "label", "labels")}.`);
}

function group(one) {
  const item = element("li", { class: `group${one.open ? "" : " done"}`, tabindex: "0", "aria-label": `Group of ${one.size}: ${one.text.slice(0, 80)}` });
  item.dataset.group = one.id;
  const kept = element("div", { class: "kept" });
  const mark = (spans) => kept.replaceChildren(element("span", { class: "tag" }, "kept"), marked(one.text, spans), ...more(one));
  mark(one.others[0]?.kept_marks ?? []);
  const others = element("ul", {}, ...one.others.map((other) => member(one, other, mark)));
  item.append(kept, others);
  if (one.others.length < one.size - 1) item.append(button(`Show all ${number(one.size, 0)} texts`, () => showAll(item, one), { class: "quiet" }));
  item.append(actions(one), facts(named(one.id), counted(one.size, "text", "texts"), one.open ? `lowest score ${number(one.lowest, 4)}` : one.size > 1 ? "decided" : ""));
  item.classList.toggle("merging", merging === one.id);
  return item;
}

function more(one) {
  const left = one.characters - Array.from(one.text).length;
  return left ? [element("small", { class: "muted" }, `… (${counted(left, "more character", "more characters")})`)] : [];
}

function member(group, other, mark) {
  const item = element("li", { class: other.goes ? "goes" : "stays" });
  const id = `dup-${group.id}-${other.id}`;
  const box = element("input", { type: "checkbox", id, value: other.id, "aria-label": `Take out: ${other.text.slice(0, 80)}` });
  box.disabled = readOnly;
  const fate = other.goes ? WORDS[other.decided] : "kept: below the threshold";
  item.append(element("div", {}, box), element("div", {}, marked(other.text, other.marks), ...more(other), facts(other.score === null ? "" : `score ${number(other.score, 4)}`, fate, named(other.id), other.why)));
  const active = () => mark(other.kept_marks);
  for (const kind of ["focusin", "pointerenter"]) item.addEventListener(kind, active);
  return item;
}

async function showAll(item, one) {
  await tried(async () => {
    const whole = await ask(`/dedupe/group?${query({ run, group: one.id, threshold })}`);
    const made = group(whole);
    item.replaceWith(made);
    made.focus();
  });
}

function actions(one) {
  const about = (words) => ({ "aria-label": `${words}: ${one.text.slice(0, 80)}` });
  const row = element("div", { class: "row keys" });
  if (readOnly) return row;
  if (one.size > 1) row.append(button(["Accept ", element("kbd", {}, "y")], () => accept(one.id), about("Accept y")), button(["Split ", element("kbd", {}, "n")], () => split(one.id), about("Split n")));
  const words = merging === null ? "Merge ..." : merging === one.id ? "Don't merge" : "Merge into this";
  row.append(button([words, " ", element("kbd", {}, "m")], () => merge(one.id), about(`${words} m`)));
  return row;
}

function pages(answer) {
  const row = element("div", { class: "row keys pages" });
  const last = start + answer.groups.length;
  if (start) row.append(button("Back", () => turnTo(start - 20)));
  if (last < answer.found) row.append(button("Further", () => turnTo(last)));
  const shown = answer.groups.length ? `Groups ${number(start + 1, 0)} to ${number(last, 0)} of ${number(answer.found, 0)}` : "No group is left here.";
  row.append(element("span", { class: "facts" }, shown));
  return row;
}

const turnTo = (place) => tried(async () => {
  start = Math.max(0, place);
  await load({ focus: { id: "", place: 0 } });
});

const placeOf = (id) => ({ id, place: [...found.querySelectorAll(".group")].findIndex((one) => one.dataset.group === id) });

// A decision goes to the server's disk before groups are shown anew.
async function decide(body, id) {
  if (readOnly) return;
  const focus = placeOf(id);
  await tried(async () => {
    await ask("/dedupe", { run, by: field("by").value, ...body });
    merging = null;
    await load({ focus });
  });
}

const accept = (id) => decide({ do: "accept", group: id }, id);

function split(id) {
  const item = [...found.querySelectorAll(".group")].find((one) => one.dataset.group === id);
  const texts = [...item.querySelectorAll("input:checked")].map((box) => box.value);
  return decide({ do: "split", group: id, texts }, id);
}

async function merge(id) {
  if (readOnly) return;
  if (merging !== null && merging !== id) {
    await decide({ do: "merge", group: merging, into: id }, id);
    return;
  }
  merging = merging === id ? null : id;
  await tried(() => load({ focus: placeOf(id) }));
}

const undo = () => tried(async () => {
  const here = document.activeElement?.closest?.(".group");
  await ask("/dedupe/undo", { run });
  merging = null;
  await load({ focus: here ? placeOf(here.dataset.group) : null });
});

function go(event, step) {
  const all = [...found.querySelectorAll(".group")].filter((one) => one.checkVisibility());
  const here = event.target.closest(".group");
  all[Math.min(Math.max(all.indexOf(here) + (here || step > 0 ? step : 0), 0), all.length - 1)]?.focus();
}

// What a key does with the group that has the focus.
const ofGroup = (action) => (event) => {
  const id = event.target.closest(".group")?.dataset.group;
  return id === undefined || run === null ? false : action(id);
};

function fromStart() {
  start = 0;
  tried(load);
}

field("run").addEventListener("change", () => {
  choose(field("run").value);
  tried(load);
});
field("order").addEventListener("change", fromStart);
field("open").addEventListener("change", fromStart);
field("threshold").addEventListener("input", () => {
  const { value, min } = field("threshold");
  threshold = Number(value) > Number(min) ? Number(value) : null;
  turn++; // an answer on its way would move the slider back
  field("cut").textContent = number(Number(value), 4);
  clearTimeout(moved);
  moved = setTimeout(fromStart, PAUSE);
});
remembersName(field("by"));
field("undo").addEventListener("click", undo);
field("export").addEventListener("click", () => tried(async () => {
  const format = field("format").value;
  saved(await fetched(`/dedupe/export?${query({ run, format, threshold })}`), `final.${format}`);
}));
const MOVES = { j: (event) => go(event, 1), k: (event) => go(event, -1) };
const DECISIONS = {
  y: ofGroup(accept),
  n: ofGroup(split),
  m: ofGroup(merge),
  z: () => run !== null && undo(),
  Escape: () => merging !== null && merge(merging),
};

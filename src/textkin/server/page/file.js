// All rows of a file looked up: dropped in as a table, and saved with verdicts.

import { advance, ask, button, counted, element, folded, found, isNewest, newTurn, number, saved, tell, text, tried } from "./common.js";
import { leave as leaveText, options } from "./match.js";
import { asText, parsed, textOf, written } from "./table.js";

const AT_ONCE = 64; // texts of a request
const LIKELY = ["text", "question", "title", "subject", "sentence", "body", "query", "document", "message"];
const ADDED = ["verdict", "probability", "similarity", "nearest_id", "nearest_text"];
const SHOWN = 20; // rows
const LONGEST = 200; // characters of a cell that is shown
const BUSY = [429, 503];
const view = document.getElementById("match");
const form = document.querySelector("#match form");
const zone = document.getElementById("match-drop");
const chosen = document.getElementById("match-file");

const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
const short = (cell) => (cell.length > LONGEST ? `${cell.slice(0, LONGEST)} …` : cell);

// The column whose name says that it holds texts, or the one with the longest cells.
function guessed({ names, rows }) {
  const known = LIKELY.map((one) => names.findIndex((name) => name.trim().toLowerCase() === one)).find((place) => place >= 0);
  if (known !== undefined) return known;
  const lengths = names.map((_, place) => rows.slice(0, 200).reduce((sum, row) => sum + (row[place] ?? "").length, 0));
  return lengths.indexOf(Math.max(...lengths));
}

// The names of the columns with a number where two are the same.
const titles = (names) => names.map((name, place) => (name && names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (column ${place + 1})`));

// The names of the added columns, none of which the table has.
function added(names) {
  const taken = new Set(names);
  return ADDED.map((name) => {
    let free = name;
    while (taken.has(free)) free = `textkin_${free}`;
    taken.add(free);
    return free;
  });
}

// Asks in ever smaller parts while the server, or the key, takes no more at once.
async function matched(texts, given, isEnded) {
  try {
    return (await ask("/match", { texts, ...given })).matches;
  } catch (error) {
    if (isEnded()) return [];
    if (!BUSY.includes(error.status)) throw error;
    if (texts.length > 1) {
      const half = texts.length >> 1;
      return [...(await matched(texts.slice(0, half), given, isEnded)), ...(await matched(texts.slice(half), given, isEnded))];
    }
    tell(`The server is busy, or this key's texts of the minute are used up. Going on in ${counted(error.seconds, "second", "seconds")}.`);
    await wait(error.seconds);
    if (isEnded()) return [];
    const found = await matched(texts, given, isEnded);
    tell("");
    return found;
  }
}

// Looks up all rows, or as many as there is time for; what was found can be saved in any case.
async function answered(table, column, name) {
  if (!form.elements.precision.reportValidity() || !form.elements.threshold.reportValidity()) return;
  const now = newTurn();
  const given = options(Object.fromEntries(new FormData(form)));
  const asked = table.rows.map((row, place) => [place, row[column] ?? ""]).filter(([, cell]) => cell.trim());
  const results = new Map();
  let isStopped = false;
  const isEnded = () => isStopped || !isNewest(now);
  const progress = element("progress", { "aria-label": "Rows looked up" });
  const stop = button("Stop", () => {
    isStopped = true;
  });
  found.replaceChildren(element("div", { class: "row keys" }, element("p", { class: "advance" }, progress, element("span")), stop));
  stop.focus();
  tell("");
  busy(true);
  let failed = "";
  try {
    for (let start = 0; start < asked.length && !isEnded(); start += AT_ONCE) {
      advance(progress, start, asked.length, `${number(start, 0)} of ${counted(asked.length, "row", "rows")}`);
      const part = asked.slice(start, start + AT_ONCE);
      const matches = await matched(part.map(([, cell]) => cell), given, isEnded);
      matches.forEach((match, place) => results.set(part[place][0], match));
    }
  } catch (error) {
    failed = `${error.message} `;
  }
  if (!isNewest(now)) return;
  busy(false);
  finished(table, column, name, { results, failed, left: asked.length - results.size });
}

// Nothing else is asked in this view while a file is looked up.
function busy(isBusy) {
  for (const part of form.children) part.inert = isBusy;
}

const cells = (one) => [one.verdict, one.probability ?? "", one.score ?? "", one.nearest?.id ?? "", one.nearest?.text ?? ""].map((cell) => asText(String(cell)));

function finished(table, column, name, { results, failed, left }) {
  const counts = new Map();
  for (const one of results.values()) counts.set(one.verdict, (counts.get(one.verdict) ?? 0) + 1);
  const empty = table.rows.length - results.size - left;
  const told = [...counts].map(([verdict, count]) => `${number(count, 0)} ${verdict}`);
  const missing = [...(empty ? [`${number(empty, 0)} without a text`] : []), ...(left ? [`${number(left, 0)} not looked up`] : [])];
  tell(`${failed}${counted(table.rows.length, "row", "rows")}: ${[...told, ...missing].join(", ")}.`, { isError: failed !== "" });
  const rows = table.rows.map((row, place) => [...table.names.map((_, cell) => row[cell] ?? ""), ...(results.has(place) ? cells(results.get(place)) : ADDED.map(() => ""))]);
  const save = button("Save as CSV", () => saved(new Blob([written({ ...table, names: [...table.names, ...added(table.names)], rows })], { type: "text/csv" }), `${name.replace(/\.[^.]*$/, "")}-matched.csv`));
  const line = (row, one) => element("tr", {}, element("td", {}, one.verdict), element("td", {}, text(short(row[column]))), element("td", {}, text(short(one.nearest?.text ?? ""))), element("td", { class: "num" }, one.score === null ? "" : number(one.score, 2)));
  const head = ["Verdict", "Text", "Nearest text", "Similarity"].map((title) => element("th", { scope: "col", ...(title === "Similarity" && { class: "num" }) }, title));
  const shown = [...results].slice(0, SHOWN).map(([place, one]) => line(table.rows[place], one));
  const caption = shown.length < results.size ? `The first ${SHOWN} rows` : "All rows with a verdict";
  const list = element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...shown));
  found.replaceChildren(element("div", { class: "row keys" }, save), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, list));
  save.focus();
}

// Shows the columns of a file, the likely one chosen, and a button to begin; a bad file changes nothing.
async function take(file) {
  await tried(async () => {
    const table = parsed(await textOf(file), file.name);
    newTurn();
    leaveText();
    busy(false);
    form.elements.text.value = "";
    const select = element("select", { id: "match-column" }, ...titles(table.names).map((name, place) => element("option", { value: place }, name)));
    select.value = String(guessed(table));
    const begin = button(`Look up ${counted(table.rows.length, "row", "rows")}`, () => tried(() => answered(table, Number(select.value), file.name)));
    const field = element("p", {}, element("label", { for: "match-column" }, "Column with the texts"), select);
    const rows = table.rows.slice(0, 3).map((row) => row.map(short));
    const first = folded("The first rows", element("pre", {}, written({ ...table, rows }).slice(1)));
    found.replaceChildren(element("div", { class: "file" }, element("h3", {}, text(file.name)), element("div", { class: "fields" }, field), element("div", { class: "row" }, begin), first));
    tell("");
    begin.focus();
  });
}

chosen.addEventListener("change", () => {
  if (chosen.files.length) take(chosen.files[0]);
  chosen.value = "";
});

// A file may be dropped anywhere: beside the field, a browser would leave the page to show it.
for (const kind of ["dragenter", "dragover"]) {
  addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) addEventListener(kind, () => zone.classList.remove("over"));
addEventListener("drop", (event) => {
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  if (!view.hidden) take(event.dataTransfer.files[0]);
});

// Makes the view ready for another text, as another view is shown.
export function leave() {
  busy(false);
}

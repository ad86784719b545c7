// All rows of a file looked up: dropped in as a table, and saved with verdicts.

import { advance, ask, button, counted, element, folded, found, number, saved, tell, text, tried } from "./common.js";
import { leave, options } from "./match.js";
import { asText, parsed, textOf, written } from "./table.js";

const AT_ONCE = 64; // texts of a request
const LIKELY = ["text", "question", "title", "subject", "sentence", "body", "query", "document", "message"];
const ADDED = ["verdict", "probability", "similarity", "nearest_id", "nearest_text"];
const SHOWN = 20; // rows
const BUSY = [429, 503];
const form = document.querySelector("#match form");
const zone = document.getElementById("match-drop");
const chosen = document.getElementById("match-file");
let turn = 0; // so that a newer file ends the work on an older one

const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

// The column whose name says that it holds texts, or the one with the longest cells.
function guessed({ names, rows }) {
  const known = LIKELY.map((one) => names.findIndex((name) => name.trim().toLowerCase() === one)).find((place) => place >= 0);
  if (known !== undefined) return known;
  const lengths = names.map((_, place) => rows.slice(0, 200).reduce((sum, row) => sum + (row[place] ?? "").length, 0));
  return lengths.indexOf(Math.max(...lengths));
}

async function matched(texts, given, now) {
  while (now === turn) {
    try {
      return (await ask("/match", { texts, ...given })).matches;
    } catch (error) {
      if (!BUSY.includes(error.status)) throw error;
      tell(`The server is busy, or this key's texts of the minute are used up; going on in ${counted(error.seconds, "second", "seconds")}.`);
      await wait(error.seconds);
    }
  }
  return [];
}

const cells = (one) => [one.verdict, one.probability ?? "", one.score ?? "", one.nearest?.id ?? "", one.nearest?.text ?? ""].map((cell) => asText(String(cell)));

async function answered(table, column, name, now) {
  const given = options(Object.fromEntries(new FormData(form)));
  const asked = table.rows.map((row, place) => [place, row[column] ?? ""]).filter(([, cell]) => cell.trim());
  const results = new Map();
  const progress = element("progress", { "aria-label": "Rows looked up" });
  const stop = button("Stop", () => {
    turn += 1;
    tell(`Stopped after ${counted(results.size, "row", "rows")}.`);
  });
  found.replaceChildren(element("div", { class: "row keys" }, element("p", { class: "done" }, progress, element("span")), stop));
  for (let start = 0; start < asked.length; start += AT_ONCE) {
    advance(progress, start, asked.length, `${number(start, 0)} of ${counted(asked.length, "row", "rows")}`);
    const part = asked.slice(start, start + AT_ONCE);
    const matches = await matched(part.map(([, cell]) => cell), given, now);
    if (now !== turn) return;
    matches.forEach((match, place) => results.set(part[place][0], match));
  }
  finished(table, column, name, results);
}

function finished(table, column, name, results) {
  const counts = new Map();
  for (const one of results.values()) counts.set(one.verdict, (counts.get(one.verdict) ?? 0) + 1);
  const empty = table.rows.length - results.size;
  const told = [...counts].map(([verdict, count]) => `${number(count, 0)} ${verdict}`);
  tell(`${counted(table.rows.length, "row", "rows")}: ${[...told, ...(empty ? [`${number(empty, 0)} without a text`] : [])].join(", ")}.`);
  const added = ADDED.map((one) => (table.names.includes(one) ? `textkin_${one}` : one));
  const rows = table.rows.map((row, place) => [...table.names.map((_, cell) => row[cell] ?? ""), ...(results.has(place) ? cells(results.get(place)) : ADDED.map(() => ""))]);
  const save = button("Save as CSV", () => saved(new Blob([written({ ...table, names: [...table.names, ...added], rows })], { type: "text/csv" }), `${name.replace(/\.[^.]*$/, "")}-matched.csv`));
  const line = (row, one) => element("tr", {}, element("td", {}, one.verdict), element("td", {}, text(row[column])), element("td", {}, text(one.nearest?.text ?? "")), element("td", { class: "num" }, one.score === null ? "" : number(one.score, 2)));
  const head = ["Verdict", "Text", "Nearest text", "Similarity"].map((title) => element("th", { scope: "col", ...(title === "Similarity" && { class: "num" }) }, title));
  const shown = [...results].slice(0, SHOWN).map(([place, one]) => line(table.rows[place], one));
  const caption = shown.length < results.size ? `The first ${SHOWN} rows` : "All rows with a text";
  const list = element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...shown));
  found.replaceChildren(element("div", { class: "row keys" }, save), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, list));
  save.focus();
}

// Shows the columns of a file, the likely one chosen, and a button to begin.
async function take(file) {
  leave();
  form.elements.text.value = "";
  const now = ++turn;
  tell(`Reading ${file.name} ...`);
  await tried(async () => {
    const table = parsed(await textOf(file), file.name);
    const select = element("select", { id: "match-column" }, ...table.names.map((name, place) => element("option", { value: place }, name || `column ${place + 1}`)));
    select.value = String(guessed(table));
    const begin = button(`Look up ${counted(table.rows.length, "row", "rows")}`, () => tried(() => answered(table, Number(select.value), file.name, now)));
    const field = element("p", {}, element("label", { for: "match-column" }, "Column with the texts"), select);
    const first = folded("The first rows", element("pre", {}, written({ ...table, rows: table.rows.slice(0, 3) }).slice(1)));
    found.replaceChildren(element("div", { class: "file" }, element("h3", {}, text(file.name)), element("div", { class: "fields" }, field), element("div", { class: "row" }, begin), first));
    tell("");
    begin.focus();
  });
}

chosen.addEventListener("change", () => {
  if (chosen.files.length) take(chosen.files[0]);
  chosen.value = "";
});
for (const kind of ["dragenter", "dragover"]) {
  zone.addEventListener(kind, (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
});

// Ends the work on a file, as a text is typed or another view is shown.
export function end() {
  turn += 1;
}

form.elements.text.addEventListener("input", end);

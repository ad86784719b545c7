// The view of runs that lie in a folder, and of their reports.

import { ask, button, counted, element, facts, fetched, found, number, query, saved, tell, text, tried } from "./common.js";
import * as duplicates from "./duplicates.js";

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
let turn = 0; // so that a late answer doesn't overwrite a newer one

export const isShown = () => !document.getElementById("runs").hidden;

function line(run) {
  const when = new Date(run.changed * 1000);
  const about = element("p", { class: "facts" }, `${run.kind || "report"} · `, element("time", { datetime: when.toISOString() }, day.format(when)), " · ", text(run.name));
  const actions = element("p", { class: "actions" }, button("Report", () => open(run), { class: "quiet", "aria-label": `Report: ${run.title}` }));
  if (run.folder !== null) actions.append(button("Go through its groups", () => duplicates.open(run.folder), { class: "quiet", "aria-label": `Go through its groups: ${run.folder}` }));
  const verdict = run.verdict ? [element("p", {}, text(run.verdict))] : [];
  return element("li", {}, element("h3", { dir: "auto" }, text(run.title)), ...verdict, about, actions);
}

const orders = {
  "Latest first": (one, other) => other.changed - one.changed,
  "By title": (one, other) => one.title.localeCompare(other.title),
  "By kind": (one, other) => one.kind.localeCompare(other.kind) || other.changed - one.changed,
};
let order = "Latest first"; // these two stay while the page is open
let words = "";

// The runs whose title, verdict, kind or name hold all words, and how many of all these are.
function listed(runs, list) {
  const wanted = words.toLowerCase().split(/\s+/);
  const all = (run) => [run.title, run.verdict, run.kind, run.name].join(" ").toLowerCase();
  const shown = runs.filter((run) => wanted.every((word) => all(run).includes(word))).sort(orders[order]);
  list.replaceChildren(...shown.map(line));
  tell(shown.length < runs.length ? `${number(shown.length, 0)} of ${counted(runs.length, "run", "runs")}.` : `${counted(runs.length, "run", "runs")}.`);
}

export async function show() {
  const now = ++turn;
  await tried(async () => {
    const { runs } = await ask("/runs");
    if (now !== turn || !isShown()) return;
    if (!runs.length) {
      found.replaceChildren();
      tell("No run of textkin lies in this folder.");
      return;
    }
    const list = element("ol", { class: "hits runs" });
    const search = element("input", { type: "search", "aria-label": "Search runs", placeholder: "Search runs" });
    search.value = words;
    search.addEventListener("input", () => { words = search.value; listed(runs, list); });
    const sort = element("select", { "aria-label": "Sort runs" }, ...Object.keys(orders).map((name) => element("option", {}, name)));
    sort.value = order;
    sort.addEventListener("change", () => { order = sort.value; listed(runs, list); });
    found.replaceChildren(element("div", { class: "row" }, search, sort), list);
    listed(runs, list);
  });
}

// The policy allows the style of this version's reports by its hash. That of another version would have none, so
// that all are shown in this one; the report's own policy, which knows another hash, goes.
async function styled(content) {
  const style = await (await fetched("/page/report.css")).text();
  return content.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "").replace(/<style>[^]*?<\/style>/, () => `<style>${style}</style>`);
}

// A report may be anybody's. Its frame has no origin, and this page's policy holds there, too: scripts run by
// their hashes alone, nothing is loaded, and the frame leads nowhere else. A frame with scripts may also refresh
// itself, which is blocked, but for which browsers already connect. So a report with more than the one
// "http-equiv" of textkin's reports gets none.
async function open(run) {
  const now = ++turn;
  await tried(async () => {
    const file = await fetched(`/runs/report?${query({ run: run.name })}`);
    const content = await file.text();
    const shown = await styled(content);
    if (now !== turn || !isShown()) return;
    const back = button("Back to the list", async () => {
      await show();
      document.getElementById("view").focus();
    });
    const save = button("Save the file", () => saved(file, run.name.split("/").pop()));
    const isPlain = content.toLowerCase().split("http-equiv").length <= 2;
    const frame = element("iframe", { sandbox: isPlain ? "allow-scripts allow-downloads" : "", class: "report", title: `Report: ${run.title}` });
    frame.srcdoc = shown;
    found.replaceChildren(element("div", { class: "row keys" }, back, save), facts(run.name), frame);
    tell(run.title);
    back.focus();
  });
}

// The view of runs that lie in a folder, and of their reports.

import { ask, button, element, facts, fetched, found, query, saved, tell, text, tried } from "./common.js";
import * as duplicates from "./duplicates.js";

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
let turn = 0; // so that a late answer doesn't overwrite a newer one

export const isShown = () => !document.getElementById("runs").hidden;

function line(run) {
  const when = new Date(run.changed * 1000);
  const about = element("p", { class: "facts" }, `${run.kind || "report"} · `, element("time", { datetime: when.toISOString() }, day.format(when)), " · ", text(run.name));
  const actions = element("p", { class: "actions" }, button("Report", () => open(run), { class: "quiet", "aria-label": `Report: ${run.title}` }));
  if (run.folder !== null) actions.append(button("Go through its groups", () => duplicates.open(run.folder), { class: "quiet", "aria-label": `Go through the groups of ${run.folder}` }));
  const verdict = run.verdict ? [element("p", {}, text(run.verdict))] : [];
  return element("li", {}, element("h3", { dir: "auto" }, text(run.title)), ...verdict, about, actions);
}

export async function show() {
  const now = ++turn;
  await tried(async () => {
    const { runs } = await ask("/runs");
    if (now !== turn || !isShown()) return;
    found.replaceChildren(element("ol", { class: "hits runs" }, ...runs.map(line)));
    tell(runs.length ? `${runs.length.toLocaleString("en")} ${runs.length === 1 ? "run" : "runs"}, the latest first.` : "No run of textkin lies in this folder.");
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

"use strict";
{
  const table = document.querySelector("table.runs");
  const rows = Array.from(table.tBodies[0].rows);
  const kept = `textkin pins ${document.title}`;
  const names = ["verdict", "kind", "written"];
  const at = (row, head) => row.cells[Array.from(table.tHead.rows[0].cells).findIndex((one) => one.textContent === head)];
  const made = (name, ...children) => { const one = document.createElement(name); one.append(...children); return one; };
  const figures = (row) => new Map(Array.from(row.querySelectorAll("dt"), (one) => [one.textContent, one.nextElementSibling.textContent]));
  const pin = (row) => row.querySelector(".pin");
  const beside = made("section", made("h2", "Pinned runs, side by side"));
  beside.id = "beside";
  beside.hidden = true;
  document.getElementById("runs").after(beside);
  const compare = (pinned) => {
    const told = pinned.map(figures);
    const each = new Set(told.flatMap((one) => Array.from(one.keys())));
    const head = (words, scope) => { const one = made("th", words); one.scope = scope; return one; };
    const line = (name, values) => made("tr", head(name, "row"), ...values.map((one) => made("td", one ?? "")));
    const links = pinned.map((row) => { const one = made("th", row.querySelector("a").cloneNode(true)); one.scope = "col"; return one; });
    const found = made("table", made("caption", "Figures and verdicts of pinned runs"), made("thead", made("tr", head("of", "col"), ...links)), made("tbody",
      ...Array.from(each, (name) => line(name, told.map((one) => one.get(name)))),
      ...names.map((name) => line(name, pinned.map((row) => at(row, name).textContent)))));
    const frame = made("div", found);
    frame.className = "scroll";
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "table");
    beside.replaceChildren(beside.firstChild, frame);
    beside.hidden = pinned.length < 2;
  };
  const raise = () => {
    const pinned = Array.from(table.tBodies[0].rows).filter((row) => pin(row).checked);
    table.tBodies[0].prepend(...pinned);
    rows.forEach((row) => row.classList.toggle("pinned", pin(row).checked));
    compare(pinned);
    try { localStorage.setItem(kept, JSON.stringify(pinned.map((row) => row.dataset.run))); } catch { /* not kept */ }
  };
  let before = [];
  try { before = JSON.parse(localStorage.getItem(kept) ?? "[]"); } catch { /* not kept */ }
  rows.forEach((row) => { pin(row).checked = before.includes(row.dataset.run); });
  table.addEventListener("sorted", raise);
  table.addEventListener("change", raise);
  raise();
}

"use strict";
const words = (cell) => (cell ? (cell.innerText || cell.textContent).trim().replace(/\s+/g, " ") : "");
const figure = (text) => {
  const found = /^[<+]?\s*([-\u2212]?[\d,]*\.?\d+)/.exec(text);
  return found ? Number(found[1].replace(/,/g, "").replace("\u2212", "-")) : NaN;
};
const compared = (one, other) => {
  const [left, right] = [figure(one), figure(other)];
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1;
  return Number.isNaN(left) ? one.localeCompare(other) : left - right;
};
const sort = (table, heads, place) => {
  const body = table.tBodies[0];
  const up = heads[place].getAttribute("aria-sort") !== "ascending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[place].setAttribute("aria-sort", up ? "ascending" : "descending");
  Array.from(body.rows)
    .map((row, was) => [row, row.cells[place]?.dataset.sort ?? words(row.cells[place]), was])
    .sort((one, other) => (up ? 1 : -1) * compared(one[1], other[1]) || one[2] - other[2])
    .forEach(([row]) => body.append(row));
  table.dispatchEvent(new Event("sorted"));
};
const cell = (text) => {
  const plain = text.replace(/\u2212(?=[\d.])/g, "-");
  const isFigure = /^[+-][\d.,]+( [-+\d., to()%]*)?$/.test(plain);
  const safe = /^'*[=+\-@]/.test(plain) && !isFigure ? "'" + plain : plain;
  return '"' + safe.replace(/"/g, '""') + '"';
};
const save = (table, number) => {
  const rows = Array.from(table.rows, (row) => Array.from(row.cells, (each) => cell(words(each))).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff" + rows.join("\r\n") + "\r\n"], { type: "text/csv" }));
  link.download = "table-" + number + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
document.querySelectorAll("main table").forEach((table, place) => {
  const heads = Array.from(table.tHead.rows[0].cells);
  if (!table.classList.contains("heat") && table.tBodies[0].rows.length > 1) {
    heads.forEach((head, column) => {
      if (!head.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, heads, column));
      head.append(button);
    });
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "csv";
  button.textContent = "CSV";
  button.setAttribute("aria-label", "Save this table as CSV: " + words(table.caption));
  button.addEventListener("click", () => save(table, place + 1));
  table.parentElement.after(button);
});

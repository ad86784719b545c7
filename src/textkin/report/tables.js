"use strict";
const words = (cell) => (cell ? (cell.innerText || cell.textContent).trim().replace(/\s+/g, " ") : "");
const UNITS = { h: 3600, min: 60, s: 1, k: 1e3, M: 1e6, G: 1e9 }; // "2 min 11 s" is more than "58 s"
const figure = (text) => {
  const parts = /^(\d[\d.]* (h|min|s|k|M|G)( |$))+$/.test(text) ? text.split(" ") : [];
  if (parts.length) return parts.reduce((sum, part, at) => (at % 2 ? sum + parts[at - 1] * UNITS[part] : sum), 0);
  const found = /^[<+]?\s*([-\u2212]?[\d,]*\.?\d+)/.exec(text);
  return found ? Number(found[1].replace(/,/g, "").replace("\u2212", "-")) : NaN;
};
const compared = (one, other, up) => {
  if (!one !== !other) return one ? -1 : 1; // a cell without a value comes last either way
  return (up ? 1 : -1) * inOrder(one, other);
};
const inOrder = (one, other) => {
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
    .sort((one, other) => compared(one[1], other[1], up) || one[2] - other[2])
    .forEach(([row]) => body.append(row));
  table.dispatchEvent(new Event("sorted"));
};
const cell = (text) => {
  const plain = text.replace(/\u2212(?=[\d.])/g, "-");
  const isFigure = /^[+-][\d.,]+( [-+\d., to()%]*)?$/.test(plain);
  const safe = /^'*[=+\-@]/.test(plain) && !isFigure ? "'" + plain : plain;
  return '"' + safe.replace(/"/g, '""') + '"';
};
// The columns of a CSV: a column of the page may be two there, its small print apart, or none.
const columnsOf = (table) =>
  Array.from(table.tHead.rows[0].cells, (head) => head.dataset.csv?.split("\n").filter(Boolean) ?? [words(head)]);
const partsOf = (each, count) => {
  if (count < 2) return count ? [words(each)] : [];
  const main = each.cloneNode(true);
  const small = Array.from(main.querySelectorAll("small"), (one) => (one.remove(), words(one)));
  return [words(main), small.join("; ")];
};
const save = (table, number) => {
  const columns = columnsOf(table);
  const cells = (row) => Array.from(row.cells).flatMap((each, place) => partsOf(each, columns[place]?.length ?? 1));
  const lines = [columns.flat(), ...Array.from(table.rows).slice(1).map(cells)];
  const rows = lines.map((line) => line.map(cell).join(","));
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
      if (!head.textContent || head.dataset.csv === "") return;
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

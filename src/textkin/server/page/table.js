// Tables in files as spreadsheets write them: read and written without loss.

const DELIMITERS = [",", ";", "\t"];
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^'*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const most = (line) => DELIMITERS.map((one) => [line.split(one).length, one]).sort((a, b) => b[0] - a[0])[0][1];

// The text of a file: UTF-8, or what spreadsheets on Windows write.
export async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw new Error(`${file.name} is a workbook. Save its sheet as CSV, and drop that here.`);
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

// A table with a row of names: RFC 4180, by comma, semicolon or tab, as the first line has it.
export function parsed(whole, name) {
  if (whole.includes("\0")) throw new Error(`${name} holds NUL characters: save it as UTF-8.`);
  const told = whole.match(/^sep=(.)\r?\n/i); // as Excel writes it
  const content = told ? whole.slice(told[0].length) : whole;
  const delimiter = told?.[1] ?? most(content.slice(0, content.search(/[\r\n]|$/)).replace(/"[^"]*"/g, ""));
  const rows = [];
  let row = [];
  let place = 0;
  let line = 1;
  while (place < content.length) {
    let cell = "";
    if (content[place] === '"') {
      const begun = line;
      for (place += 1; ; place += 1) {
        if (place >= content.length) throw new Error(`${name}, line ${begun}: a quotation mark is never closed.`);
        if (content[place] === '"') {
          if (content[place + 1] !== '"') break;
          place += 1;
        }
        if (content[place] === "\n") line += 1;
        cell += content[place];
      }
      place += 1;
    }
    const start = place;
    while (place < content.length && content[place] !== delimiter && content[place] !== "\n" && content[place] !== "\r") place += 1;
    row.push(cell + content.slice(start, place));
    if (content[place] === delimiter) {
      place += 1;
      if (place < content.length) continue;
      row.push("");
    }
    if (content[place] === "\r") place += 1;
    if (content[place] === "\n") place += 1;
    line += 1;
    if (row.length > 1 || row[0] !== "" || rows[0]?.length === 1) rows.push(row); // else a blank line
    row = [];
  }
  const [names, ...others] = rows;
  if (!others.length) throw new Error(`${name} has no rows below its names of columns.`);
  const longer = others.findIndex((one) => one.length > names.length);
  if (longer >= 0) throw new Error(`${name}, row ${longer + 1} below the names: ${others[longer].length} cells, but ${names.length} names of columns.`);
  return { delimiter, names, rows: others };
}

// A text of somebody else, which no spreadsheet shall take for a formula.
export const asText = (cell) => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell);

export function written({ delimiter, names, rows }) {
  const quoted = (cell) => (/["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return `\ufeff${[names, ...rows].map((row) => row.map(quoted).join(delimiter)).join("\r\n")}\r\n`;
}

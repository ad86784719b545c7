// Tell whether a model is the one that a passport was made for; needs Node.js only. See README.md.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
const largest = (numbers) => numbers.reduce((most, one) => Math.max(most, one), -Infinity);
const length = (row) => Math.sqrt(sum(row.map((one) => one * one)));
const rowsOf = (numbers, [count, width = 1]) =>
  Array.from({ length: count }, (_, row) => numbers.slice(row * width, (row + 1) * width));

function floats(bytes, size) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = size === 4 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true);
  return Array.from({ length: bytes.byteLength / size }, (_, place) => read(place * size));
}

function stored({ shape, float32 }) {
  return rowsOf(floats(Buffer.from(float32, "base64"), 4), shape);
}

function given(path) {
  const bytes = readFileSync(path);
  if (!path.endsWith(".npy")) {
    const lines = bytes.toString("utf8").split(/\r?\n/).filter(Boolean);
    return lines.map((line) => [JSON.parse(line)].flat());
  }
  if (bytes.subarray(0, 6).toString("latin1") !== "\x93NUMPY") throw new Error(`${path} is no NumPy file`);
  const start = bytes[6] === 1 ? 10 : 12;
  const end = start + (bytes[6] === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  const header = bytes.subarray(start, end).toString("latin1");
  const kind = /'descr': '<f([48])'/.exec(header);
  const shape = /'shape': \((\d+),(?: (\d+))?\)/.exec(header);
  if (!kind || !shape || !header.includes("'fortran_order': False")) {
    throw new Error(`${path} holds no rows of float32 or float64`);
  }
  return rowsOf(floats(bytes.subarray(end), Number(kind[1])), [Number(shape[1]), Number(shape[2] ?? 1)]);
}

function compare(side, ours, theirs, rule) {
  const width = ours[0].length;
  if (theirs.length !== ours.length || theirs.some((row) => row.length !== width)) {
    return [`${side}: ${theirs.length} rows of ${theirs[0]?.length}, expected ${ours.length} of ${width}`, false];
  }
  if (!theirs.flat().every(Number.isFinite)) return [`${side}: a number is not finite`, false];
  if (rule.measure === "difference") {
    const worst = largest(ours.flatMap((row, i) => row.map((one, j) => Math.abs(one - theirs[i][j]))));
    return [`${side}: largest difference ${worst.toFixed(6)}, bound ${rule.bound}`, worst <= rule.bound];
  }
  const pairs = ours.map((row, i) => [row, theirs[i], length(row), length(theirs[i])]);
  const cosines = pairs.map(([a, b, x, y]) =>
    x * y > 0 ? sum(a.map((one, j) => one * b[j])) / (x * y) : x === 0 && y === 0 ? 1 : 0);
  const off = largest(pairs.map(([, , x, y]) => Math.abs(x - y) / (x > 0 ? x : 1)));
  const worst = -largest(cosines.map((one) => -one));
  const mean = sum(cosines) / cosines.length;
  const said = `${side}: mean cosine ${mean.toFixed(6)}, lowest ${worst.toFixed(6)} ` +
    `(canary ${cosines.indexOf(worst) + 1}), bound ${rule.bound}; ` +
    `lengths differ by ${(100 * off).toFixed(2)}%, bound ${(100 * rule.length).toFixed(2)}%`;
  return [said, worst >= rule.bound && off <= rule.length];
}

function differing(folder, files) {
  return Object.keys(files).sort().flatMap((name) => {
    const path = join(folder, name);
    if (!existsSync(path) || !statSync(path).isFile()) return [`${name} is missing`];
    return createHash("sha256").update(readFileSync(path)).digest("hex") === files[name] ? [] : [`${name} differs`];
  });
}

function main() {
  const names = ["vectors", "queries", "folder"];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length !== 1 || (!values.vectors && (!values.folder || values.queries))) {
    throw new Error("give PASSPORT with --vectors FILE, or --folder FOLDER, or both");
  }
  const passport = JSON.parse(readFileSync(positionals[0], "utf8"));
  if (passport.kind !== "passport" || passport.format !== 1) throw new Error("no passport of format 1");
  const { says, rule, model } = passport;
  let accepted = true;
  const report = (said, kept) => { console.log(said); accepted &&= kept; };
  for (const [side, path] of [["document", values.vectors], ["query", values.queries]]) {
    if (path) report(...compare(side, stored(says[side] ?? says.document), given(path), rule));
  }
  if (values.vectors && says.query && !values.queries) {
    report("query: not given, and the passport has vectors of queries; give --queries", false);
  }
  if (values.folder) {
    const changed = differing(values.folder, model.files);
    report(`files: ${changed.join("; ") || "all the same"}`, Boolean(values.vectors) || changed.length === 0);
  }
  console.log(accepted ? "accepted" : "refused");
  return accepted ? 0 : 1;
}

try { process.exitCode = main(); } catch (error) {
  console.error(`can't check: ${error.message}`);
  process.exitCode = 2;
}

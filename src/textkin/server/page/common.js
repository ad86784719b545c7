// What all views of the page share. Whatever comes from the server goes into the page as text, never as HTML.

export const found = document.getElementById("found");
const said = document.getElementById("said");

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export const text = (value, name = "span") => element(name, { dir: "auto", class: "said" }, value);
export const number = (value, places = 3) => value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });

// A probability; one that would round to 0 or 1 is neither.
export function likely(value) {
  if (value > 0 && value < 0.0005) return "under 0.001";
  if (value < 1 && value >= 0.9995) return "over 0.999";
  return number(value);
}

export const counted = (count, one, several) => `${number(count, 0)} ${count === 1 ? one : several}`;

let turn = 0;

// What is asked now makes all that was asked before out of date: its answers are not shown any more.
export const newTurn = () => ++turn;
export const isNewest = (one) => one === turn;

// Says something above what was found; what stands there in other words is only heard.
export function tell(message, { isError = false, isHeard = false } = {}) {
  said.textContent = message;
  said.classList.toggle("heard", isHeard);
  said.classList.toggle("error", isError);
}

function headersOf() {
  const key = sessionStorage.getItem("key");
  return key ? { authorization: `Bearer ${key}` } : {};
}

// The server's own address, which may lie below a path of a proxy.
const server = new URL("..", import.meta.url);

async function reached(path, options) {
  try {
    return await fetch(new URL(path.slice(1), server), options);
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
}

async function read(answer) {
  try {
    return await answer.json();
  } catch {
    throw new Error(`The answer is none of textkin's (status ${answer.status}). What stands between this page and the server?`);
  }
}

export async function ask(path, body) {
  const headers = headersOf();
  if (body !== undefined) headers["content-type"] = "application/json";
  const options = { headers, method: body === undefined ? "GET" : "POST" };
  if (body !== undefined) options.body = JSON.stringify(body);
  const answer = await reached(path, options);
  const content = await read(answer);
  if (answer.status === 401) askForKey();
  if (!answer.ok) {
    const error = new Error(content.error ?? `status ${answer.status}`);
    throw Object.assign(error, { status: answer.status, seconds: Number(answer.headers.get("retry-after") ?? 1) });
  }
  return content;
}

function askForKey() {
  document.getElementById("key-form").hidden = false;
  document.getElementById("views").hidden = true;
  document.getElementById("key").focus();
}

// A line of strings and elements, those that are there.
export function facts(...parts) {
  const there = parts.filter(Boolean);
  return element("p", { class: "facts" }, ...there.flatMap((part, place) => (place ? [" · ", part] : [part])));
}

let link = null; // the address of a text's own page, with {id} for its id

export function linkTo(address) {
  link = address;
}

// An id, which leads to the text's own page if the server knows of such pages.
export function named(id) {
  if (link === null) return element("bdi", {}, id);
  const href = link.replaceAll("{id}", () => encodeURIComponent(id));
  return element("a", { href, target: "_blank", rel: "noreferrer" }, element("bdi", {}, id));
}

const SVG = "http://www.w3.org/2000/svg";

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A value as a bar from 0 to `high`, with lines at limits; `said` is the value in words.
export function bar(name, value, { high = 1, limits = [], said = number(value, 2) } = {}) {
  const wide = (one) => 100 * Math.min(Math.max(one / (high || 1), 0), 1);
  const line = drawn("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
  line.append(drawn("rect", { class: "track", width: 100, height: 8 }), drawn("rect", { class: "fill", width: wide(value ?? 0), height: 8 }));
  for (const limit of limits) line.append(drawn("rect", { class: "limit", x: Math.min(wide(limit), 99.4), width: 0.6, height: 8 }));
  return element("div", {}, element("dt", {}, name), element("dd", {}, line, element("span", {}, said)));
}

export const bars = (...all) => element("dl", { class: "bars" }, ...all);

// How much of a task is done; hidden where the end isn't known.
export function advance(progress, done, all, said) {
  progress.parentElement.hidden = all === null;
  progress.max = Math.max(all ?? 1, 1);
  progress.value = done;
  progress.nextElementSibling.textContent = said;
}

// A text with some of its parts marked; `between` gives what stands for the others.
// Offsets of the server count characters; a string here may hold two units for one.
export function marked(value, spans, attributes = {}, between = (part) => part) {
  const points = Array.from(value);
  const line = element("p", { dir: "auto", class: "said", ...attributes });
  let last = 0;
  for (const [start, end] of spans) {
    line.append(between(points.slice(last, start).join("")), element("mark", {}, points.slice(start, end).join("")));
    last = end;
  }
  line.append(between(points.slice(last).join("")));
  return line;
}

export async function fetched(path) {
  const answer = await reached(path, { headers: headersOf() });
  if (answer.status === 401) askForKey();
  if (!answer.ok) throw new Error((await read(answer)).error ?? `status ${answer.status}`);
  return answer.blob();
}

export function saved(blob, name) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function folded(title, ...content) {
  return element("details", {}, element("summary", {}, title), ...content);
}

export const query = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null && value !== "")).toString();

// Runs something that a person asked for; what goes wrong is told.
export async function tried(work) {
  try {
    return await work();
  } catch (error) {
    tell(error.message, { isError: true });
    return null;
  }
}

const names = []; // the fields that ask who is there

// A tab remembers who is there until it is closed: answers after a reload are the same person's.
export function remembersName(input, changed = () => {}) {
  names.push(input);
  input.value = sessionStorage.getItem("name") ?? "";
  input.addEventListener("change", () => {
    sessionStorage.setItem("name", input.value);
    for (const other of names) other.value = input.value;
    changed();
  });
}

export function button(words, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, ...[words].flat());
  made.addEventListener("click", action);
  return made;
}

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

export function tell(message, { isError = false } = {}) {
  said.textContent = message;
  said.classList.toggle("error", isError);
}

function headersOf() {
  const key = sessionStorage.getItem("key");
  return key ? { authorization: `Bearer ${key}` } : {};
}

export async function ask(path, body) {
  const headers = headersOf();
  if (body !== undefined) headers["content-type"] = "application/json";
  const options = { headers, method: body === undefined ? "GET" : "POST" };
  if (body !== undefined) options.body = JSON.stringify(body);
  const answer = await fetch(path, options);
  const content = await answer.json();
  if (answer.status === 401) askForKey();
  if (!answer.ok) throw new Error(content.error ?? `status ${answer.status}`);
  return content;
}

function askForKey() {
  document.getElementById("key-form").hidden = false;
  document.getElementById("views").hidden = true;
  document.getElementById("key").focus();
}

export function facts(...parts) {
  return element("p", { class: "facts" }, parts.filter(Boolean).join(" · "));
}

// Offsets of the server count characters; a string here may hold two units for one.
export const pointed = (value, start, end) => Array.from(value).slice(start, end).join("");

export function marked(value, spans, attributes = {}) {
  const points = Array.from(value);
  const line = element("p", { dir: "auto", class: "said", ...attributes });
  let last = 0;
  for (const [start, end] of spans) {
    line.append(points.slice(last, start).join(""), element("mark", {}, points.slice(start, end).join("")));
    last = end;
  }
  line.append(points.slice(last).join(""));
  return line;
}

export async function fetched(path) {
  const answer = await fetch(path, { headers: headersOf() });
  if (answer.status === 401) askForKey();
  if (!answer.ok) throw new Error((await answer.json()).error ?? `status ${answer.status}`);
  return answer.blob();
}

export function saved(blob, name) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
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

export function button(words, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, ...[words].flat());
  made.addEventListener("click", action);
  return made;
}

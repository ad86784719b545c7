// The page of textkin serve. Whatever comes from the server goes into the page as text, never as HTML.

import { ask, counted, element, facts, found, isNewest, likely, linkTo, marked, newTurn, number, tell } from "./common.js";
import * as duplicates from "./duplicates.js";
import { explained } from "./explained.js";
import * as file from "./file.js";
import "./keys.js";
import * as label from "./label.js";
import * as match from "./match.js";
import * as phrases from "./phrases.js";
import * as runs from "./runs.js";
import * as search from "./search.js";

const views = {
  search: search.asked,
  match: match.asked,
  phrases: phrases.asked,

  async answer(given) {
    const passages = given.passages.split("\n").filter((line) => line.trim());
    const body = { question: given.question, k: 3, ...(passages.length ? { passages } : given.collection && { collection: given.collection }) };
    const answer = await ask("/answer", body);
    const none = answer.no_answer === null ? "" : ` That these passages have no answer has a probability of ${likely(answer.no_answer)}.`;
    const count = answer.answers.length;
    const verdict = answer.nothing_in_common ? "No passage has anything in common with the question." : answer.is_none ? `No answer.${count ? " Those below are less probable." : ""}` : `${counted(count, "answer", "answers")}.`;
    const list = element("ol", { class: "hits" });
    for (const one of answer.answers) {
      const whole = marked(one.passage, [[one.start, one.end]], { class: "answer said" });
      const said = one.probability === null ? `score ${number(one.score, 4)}` : `probability ${likely(one.probability)}`;
      list.append(element("li", {}, whole, facts(said, `passage ${one.passage_id}, ${one.start} to ${one.end}`)));
    }
    return { said: verdict + none, shown: list };
  },

  async compare(given) {
    const model = given.model ? { model: given.model } : {};
    const scored = await ask("/score", { pairs: [[given.a, given.b]], ...model });
    const why = await ask("/explain", { a: given.a, b: given.b, ...model });
    const [one] = scored.pairs;
    const probable = one.probability === undefined ? "" : `; the same with probability ${likely(one.probability)}`;
    const same = one.same === undefined ? "" : one.same ? "; at the threshold: the same" : "; at the threshold: not the same";
    return { said: `Score ${number(one.score, 4)}${probable}${same}.`, shown: element("div", {}, ...explained(why)) };
  },
};

async function submitted(event) {
  event.preventDefault();
  const form = event.target;
  const turn = newTurn();
  const button = form.querySelector("button");
  const wasThere = document.activeElement === button; // which loses the focus while it can't be pressed
  button.disabled = true;
  tell("Asking ...");
  found.replaceChildren();
  try {
    const { said, shown, isHeard = false } = await views[form.dataset.ask](Object.fromEntries(new FormData(form)));
    if (!isNewest(turn)) return;
    found.replaceChildren(shown);
    tell(said, { isHeard });
  } catch (error) {
    if (isNewest(turn)) tell(error.message, { isError: true });
  } finally {
    button.disabled = false;
    if (wasThere && document.activeElement === document.body) button.focus();
  }
}

// What a link holds; a bare % is taken as it stands.
function decoded(given) {
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

// Asks what a link such as #match=where%20to%20park says.
function follow(section, given) {
  const form = section.querySelector("form[data-ask]");
  const field = form?.querySelector("[required]");
  if (!field) return;
  field.value = given;
  form.requestSubmit();
}

function show() {
  const [view, given] = location.hash.split(/=(.*)/s);
  const links = [...document.querySelectorAll("#views a[href^='#']")].filter((link) => !link.hidden);
  const wanted = links.find((link) => link.hash === view) ?? links[0];
  for (const section of document.querySelectorAll("#view section")) section.hidden = `#${section.id}` !== wanted?.hash;
  for (const link of links) {
    if (link === wanted) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  newTurn();
  match.leave();
  file.leave();
  found.replaceChildren();
  tell("");
  if (wanted?.hash === "#label") label.show();
  if (wanted?.hash === "#runs") runs.show();
  if (wanted?.hash === "#duplicates") duplicates.show();
  if (given && wanted?.hash === view) follow(document.querySelector(view), decoded(given));
  document.title = wanted ? `${wanted.textContent} · textkin` : "textkin";
}

function choices(selector, names) {
  for (const place of document.querySelectorAll(selector)) {
    place.hidden = names.length < 2;
    place.querySelector("select").replaceChildren(...names.map((name) => element("option", { value: name }, name)));
  }
}

async function start() {
  const about = document.getElementById("about");
  try {
    const served = await ask("/about");
    linkTo(served.link);
    const collections = served.collections.map((one) => one.collection);
    const comparing = served.models.filter((one) => one.can.includes("scores")).map((one) => one.name);
    const reads = served.models.some((one) => one.can.includes("answers"));
    const can = { search: collections.length, match: collections.length, answer: reads, compare: comparing.length, label: served.label !== null, phrases: served.phrases.length, runs: served.runs, duplicates: served.runs };
    for (const link of document.querySelectorAll("#views a[href^='#']")) link.hidden = !can[link.hash.slice(1)];
    choices(".of-collections", collections);
    choices(".of-models", comparing);
    choices(".of-phrases", served.phrases.map((one) => one.index));
    const entries = served.collections.map((one) => `${one.collection} (${one.entries.toLocaleString("en")})`);
    const models = served.models.map((one) => one.name).join(", ");
    about.textContent = [models && `Models: ${models}.`, entries.length && `Collections: ${entries.join(", ")}.`, served.phrases.length && `Phrases: ${served.phrases.map((one) => one.index).join(", ")}.`, served.label !== null && "Pairs to judge."].filter(Boolean).join(" ");
    duplicates.begin({ readOnly: served.read_only });
    const form = document.getElementById("key-form");
    const wasAsked = !form.hidden;
    form.hidden = true;
    document.getElementById("views").hidden = false;
    show();
    if (wasAsked) document.getElementById("view").focus();
  } catch (error) {
    const wantsKey = !document.getElementById("key-form").hidden;
    const hadKey = sessionStorage.getItem("key") !== null;
    about.textContent = !wantsKey ? error.message : hadKey ? "This server knows no such key." : "This server answers those who have a key.";
  }
}

document.getElementById("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("key", document.getElementById("key").value);
  start();
});
for (const form of document.querySelectorAll("form[data-ask]")) form.addEventListener("submit", submitted);
addEventListener("hashchange", () => {
  show();
  document.getElementById("view").focus();
});
start();

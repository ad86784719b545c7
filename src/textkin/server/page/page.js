// The page of textkin serve. Whatever comes from the server goes into the page as text, never as HTML.

import { ask, counted, element, facts, found, likely, marked, number, pointed, tell, text } from "./common.js";
import * as duplicates from "./duplicates.js";
import * as label from "./label.js";
import * as phrases from "./phrases.js";
import * as runs from "./runs.js";

const STEPS = 8; // shades of a token
const MOST_TOKENS = 400; // that are shown of a text
let asked = 0; // so that a late answer doesn't overwrite a newer one

function tokens(listed) {
  const most = Math.max(...listed.map((one) => Math.abs(one.weight)), 1e-9);
  const line = element("p", { class: "tokens", dir: "auto" });
  for (const one of listed.slice(0, MOST_TOKENS)) {
    const shade = one.weight > 0 ? Math.ceil((STEPS * one.weight) / most) : 0;
    const mark = element("mark", shade ? { class: `h${shade}` } : {}, one.token);
    mark.title = number(one.weight, 4);
    line.append(mark, " ");
  }
  return line;
}

function weights(listed, caption) {
  const rows = listed.filter((one) => one.weight).sort((a, b) => b.weight - a.weight).slice(0, 10);
  const table = element("table", {}, element("caption", {}, caption));
  const head = element("tr", {}, element("th", { scope: "col" }, "Token"), element("th", { scope: "col", class: "num" }, "Weight"));
  table.append(element("thead", {}, head));
  const body = element("tbody");
  for (const one of rows) {
    body.append(element("tr", {}, element("th", { scope: "row" }, text(one.token)), element("td", { class: "num" }, number(one.weight, 4))));
  }
  table.append(body);
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
}

function folded(title, content) {
  return element("details", {}, element("summary", {}, title), content);
}

function explained(why) {
  const parts = [tokens(why.first_tokens), tokens(why.second_tokens)];
  const told = why.method === "shares" ? "What each token adds to the score" : "What the score loses without each token";
  const both = element("div", { class: "beside" }, weights(why.first_tokens, "First text"), weights(why.second_tokens, "Second text"));
  return [...parts, folded(told, both)];
}

function whyButton(query, hit, collection) {
  const place = element("div", { tabindex: "-1" });
  const button = element("button", { class: "quiet", type: "button" }, "Why this?");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const body = { query, ids: [hit.id], ...(collection && { collection }) };
      const [why] = (await ask("/explain", body)).explained;
      place.replaceChildren(...(why.cosine ? explained(why.cosine) : []));
      if (why.bm25) place.append(folded("What each word adds to BM25", weights(why.bm25.words, `BM25 ${number(why.bm25.score)}`)));
      if (!place.childNodes.length) place.append("Nothing explains this hit.");
      button.remove();
      place.focus();
    } catch (error) {
      tell(error.message, { isError: true });
      button.disabled = false;
    }
  });
  return [button, place];
}

const views = {
  async search(given) {
    const body = { query: given.query, mode: given.mode, k: Number(given.k), ...(given.collection && { collection: given.collection }) };
    const answer = await ask("/search", body);
    const list = element("ol", { class: "hits" });
    for (const hit of answer.hits) {
      const shown = hit.window ? pointed(hit.text, ...hit.window) : hit.text;
      const relevant = hit.probability === null ? "" : `relevant with probability ${likely(hit.probability)}`;
      const meta = Object.entries(hit.metadata).map(([name, value]) => `${name}: ${value}`).join(", ");
      const line = facts(`score ${number(hit.score, 4)}`, relevant, hit.id, meta);
      list.append(element("li", {}, element("p", {}, text(shown)), line, ...whyButton(given.query, hit, given.collection)));
    }
    const whether = answer.answered === null ? "" : `; probability that any answers: ${likely(answer.answered)}`;
    const remark = answer.remark && `${answer.remark[0].toUpperCase()}${answer.remark.slice(1)}.`;
    tell(answer.hits.length ? `${counted(answer.hits.length, "hit", "hits")}, ${answer.ranked_by}${whether}. ${remark}`.trim() : remark);
    return list;
  },

  async match(given) {
    const body = { texts: [given.text], ...(given.collection && { collection: given.collection }) };
    if (given.precision !== "") body.precision = Number(given.precision);
    if (given.threshold !== "") body.threshold = Number(given.threshold);
    const answer = await ask("/match", body);
    const [one] = answer.matches;
    const words = { duplicate: "Somebody said this before.", new: "This is new.", ask: "A person should decide." };
    const probable = one.probability === null ? "" : `probability ${likely(one.probability)}`;
    const card = element("div", { class: `verdict${one.verdict === "duplicate" ? " better" : ""}` });
    card.append(element("p", { class: "kind" }, one.verdict), element("p", { class: "sentence" }, words[one.verdict]));
    const parts = [card];
    if (one.nearest) {
      parts.push(element("h3", {}, "The nearest text"), element("p", {}, text(one.nearest.text ?? "")));
      const guards = one.guards.length ? `forbidden by: ${one.guards.join(", ")}` : "";
      parts.push(facts(one.score === null ? "" : `cosine ${number(one.score, 4)}`, probable, one.nearest.id, guards));
    }
    if (!answer.fitted && given.threshold === "") parts.push(element("p", { class: "unfitted" }, `${answer.rule.join("; ")}.`));
    const rule = element("details", {}, element("summary", {}, "By which rule"));
    for (const line of [...answer.rule, `passport ${answer.passport}`]) rule.append(element("p", {}, line));
    tell(words[one.verdict], { isHeard: true });
    return element("div", {}, ...parts, rule);
  },

  async answer(given) {
    const passages = given.passages.split("\n").filter((line) => line.trim());
    const body = { question: given.question, ...(passages.length ? { passages } : given.collection && { collection: given.collection }) };
    const answer = await ask("/answer", body);
    const none = answer.no_answer === null ? "" : ` That these passages have no answer has a probability of ${likely(answer.no_answer)}.`;
    const count = answer.answers.length;
    const verdict = answer.nothing_in_common ? "No passage has anything in common with the question." : answer.is_none ? `No answer.${count ? " Those below are less probable." : ""}` : `${counted(count, "answer", "answers")}.`;
    tell(verdict + none);
    const list = element("ol", { class: "hits" });
    for (const one of answer.answers) {
      const whole = marked(one.passage, [[one.start, one.end]], { class: "answer said" });
      const said = one.probability === null ? `score ${number(one.score, 4)}` : `probability ${likely(one.probability)}`;
      list.append(element("li", {}, whole, facts(said, `passage ${one.passage_id}, ${one.start} to ${one.end}`)));
    }
    return list;
  },

  phrases: phrases.asked,

  async compare(given) {
    const model = given.model ? { model: given.model } : {};
    const scored = await ask("/score", { pairs: [[given.a, given.b]], ...model });
    const why = await ask("/explain", { a: given.a, b: given.b, ...model });
    const [one] = scored.pairs;
    const probable = one.probability === undefined ? "" : `; the same with probability ${likely(one.probability)}`;
    const same = one.same === undefined ? "" : one.same ? "; at the threshold: the same" : "; at the threshold: not the same";
    tell(`Score ${number(one.score, 4)}${probable}${same}.`);
    return element("div", {}, ...explained(why));
  },
};

async function submitted(event) {
  event.preventDefault();
  const form = event.target;
  const turn = ++asked;
  const button = form.querySelector("button");
  const wasThere = document.activeElement === button; // which loses the focus while it can't be pressed
  button.disabled = true;
  tell("Asking ...");
  found.replaceChildren();
  try {
    const shown = await views[form.dataset.ask](Object.fromEntries(new FormData(form)));
    if (turn === asked) found.replaceChildren(shown);
  } catch (error) {
    if (turn === asked) tell(error.message, { isError: true });
  } finally {
    button.disabled = false;
    if (wasThere && document.activeElement === document.body) button.focus();
  }
}

function show() {
  const links = [...document.querySelectorAll("#views a[href^='#']")].filter((link) => !link.hidden);
  const wanted = links.find((link) => link.hash === location.hash) ?? links[0];
  for (const section of document.querySelectorAll("#view section")) section.hidden = `#${section.id}` !== wanted?.hash;
  for (const link of links) {
    if (link === wanted) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  found.replaceChildren();
  tell("");
  if (wanted?.hash === "#label") label.show();
  if (wanted?.hash === "#runs") runs.show();
  if (wanted?.hash === "#duplicates") duplicates.show();
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

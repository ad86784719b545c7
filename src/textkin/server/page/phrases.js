// The view that asks an index of phrases.

import { ask, element, facts, marked, number } from "./common.js";

const AROUND = 300; // characters before and after a phrase

function shown(hit) {
  const points = Array.from(hit.passage);
  const [from, to] = [Math.max(0, hit.start - AROUND), Math.min(points.length, hit.end + AROUND)];
  const before = from ? "… " : "";
  const after = to < points.length ? " …" : "";
  const value = before + points.slice(from, to).join("") + after;
  const start = hit.start - from + before.length;
  return marked(value, [[start, start + hit.end - hit.start]], { class: "answer said" });
}

function searched(answer) {
  const vectors = answer.bytes_per_vector ? `${answer.bytes_per_vector} bytes a vector` : "whole vectors";
  const how = answer.cells ? `nlist ${number(answer.cells, 0)} · nprobe ${number(answer.probe, 0)} · ${vectors}` : "exact search, without cells";
  const size = `${number(answer.phrases, 0)} phrases of ${number(answer.passages, 0)} passages, ${number(answer.bytes_per_phrase, 0)} bytes a phrase on the disk`;
  return element("div", { class: "searched" }, facts(`${number(answer.milliseconds, 1)} ms`, how), facts(size, `model ${answer.model}`), ...answer.recall.map((line) => facts(line)));
}

export async function asked(given) {
  const body = { question: given.question, k: Number(given.k), ...(given.index && { index: given.index }) };
  const answer = await ask("/phrases/search", body);
  const none = answer.no_answer_score === null ? "" : ` No answer scores ${number(answer.no_answer_score)}.`;
  const count = `${answer.hits.length} ${answer.hits.length === 1 ? "phrase" : "phrases"} in ${number(answer.milliseconds, 1)} ms.`;
  const said = (answer.is_none ? "No phrase scores above no answer. " : "") + count + none;
  const list = element("ol", { class: "hits" });
  for (const hit of answer.hits) list.append(element("li", {}, shown(hit), facts(`score ${number(hit.score)}`, `passage ${hit.passage_id}, ${hit.start} to ${hit.end}`)));
  return { said, shown: element("div", {}, searched(answer), list) };
}

// The view that searches a collection.

import { ask, bar, bars, counted, element, facts, likely, marked, named, number } from "./common.js";
import { whyButton } from "./explained.js";

// The part of a text that was found, with the words that the query has, too.
function shown(hit) {
  const points = Array.from(hit.text);
  const [from, to] = hit.window ?? [0, points.length];
  const inside = hit.highlights.filter(([start, end]) => start >= from && end <= to);
  return marked(points.slice(from, to).join(""), inside.map(([start, end]) => [start - from, end - from]), { class: "said shared" });
}

function measures(hit, highest, mode) {
  const none = hit.highlights.length ? "not among the best" : "none";
  const likelihood = hit.probability === null ? [] : [bar("Probability", hit.probability, { said: likely(hit.probability) })];
  const cosine = mode === "words" ? [] : [bar("Similar meaning", hit.cosine, hit.cosine === null ? { said: "not among the nearest" } : {})];
  const words = mode === "vectors" ? [] : [bar("Shared words", hit.bm25, { high: highest, said: hit.bm25 === null ? none : number(hit.bm25, 1) })];
  return bars(...likelihood, ...cosine, ...words);
}

export async function asked(given) {
  const body = { query: given.query, mode: given.mode, k: Number(given.k), highlight: true, ...(given.collection && { collection: given.collection }) };
  const answer = await ask("/search", body);
  const highest = Math.max(...answer.hits.map((hit) => hit.bm25 ?? 0));
  const list = element("ol", { class: "hits" });
  for (const hit of answer.hits) {
    const meta = Object.entries(hit.metadata).map(([name, value]) => `${name}: ${value}`).join(", ");
    list.append(element("li", {}, shown(hit), measures(hit, highest, given.mode), facts(named(hit.id), meta), ...whyButton(given.query, hit, given.collection)));
  }
  const whether = answer.answered === null ? "" : `; probability that any answers: ${likely(answer.answered)}`;
  const remark = answer.remark && `${answer.remark[0].toUpperCase()}${answer.remark.slice(1)}.`;
  const said = answer.hits.length ? `${counted(answer.hits.length, "result", "results")}, ${answer.ranked_by}${whether}. ${remark}`.trim() : remark;
  return { said, shown: list };
}

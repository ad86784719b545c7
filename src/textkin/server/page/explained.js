// Why two texts are similar: each token shaded by what it adds, and tables.

import { ask, element, folded, number, tell, text } from "./common.js";

const STEPS = 8; // shades of a token
const MOST_TOKENS = 400; // that are shown of a text

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

export function weights(listed, caption) {
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

export function explained(why) {
  const parts = [tokens(why.first_tokens), tokens(why.second_tokens)];
  const told = why.method === "shares" ? "What each token adds to the score" : "What the score loses without each token";
  const both = element("div", { class: "beside" }, weights(why.first_tokens, "First text"), weights(why.second_tokens, "Second text"));
  return [...parts, folded(told, both)];
}

// A button that asks why a query found a text, and the place for the answer.
export function whyButton(query, hit, collection) {
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

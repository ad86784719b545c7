"use strict";
// The page: what a person asks, and what is shown. Texts are set as text, never as markup.

const WAIT = 120; // milliseconds after the last key
const PER_PAGE = 10, FEW_VALUES = 30, MOST_FIELDS = 12, LONGEST_SHOWN = 600;
const VERDICTS = {
  duplicate: ["Somebody said this before.", "It is the same as a text here."],
  new: ["This is new.", "No text here says the same."],
  ask: ["A person should decide.", "It may be the same as a text here."],
};
const GUARD_WORDS = {
  numbers: "a number or an amount",
  negation: "a negation, such as “not”",
  names: "a name",
  order: "the order of names or words",
};

const at = (id) => document.getElementById(id);
const counted = (count, one, several) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
const rounded = (value, digits = 2) => value.toFixed(digits);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

// A control character has no picture: it is shown as the replacement character.
const visible = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd");
const said = (...parts) => element("p", { class: "said", dir: "auto" }, ...parts.map((part) => (typeof part === "string" ? visible(part) : part)));
const marked = (text, kind = "") => element("mark", kind ? { class: kind } : {}, visible(text));

// A text with some of its words marked; `kindOf` gives a word's mark: "", a class, or null for none.
function markedWords(text, kindOf) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(/[\p{L}\p{N}\p{M}_]+/gu)) {
    const kind = kindOf(found[0]);
    if (kind === null) continue;
    parts.push(text.slice(from, found.index), marked(found[0], kind));
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

// A long text is cut, with a way to read it all.
function shownText(text, kindOf) {
  if (text.length <= LONGEST_SHOWN) return said(...markedWords(text, kindOf));
  const line = said(...markedWords(text.slice(0, LONGEST_SHOWN).replace(/[\ud800-\udbff]$/, ""), kindOf), "… ");
  const button = element("button", { type: "button", class: "quiet" }, "Show all");
  button.addEventListener("click", () => line.replaceWith(said(...markedWords(text, kindOf))));
  line.append(button);
  return line;
}

class Page {
  constructor(collection) {
    this.collection = collection;
    this.k = PER_PAGE;
    this.form = at("ask");
    this.fields = [];
    this.timer = 0;
    this.shown = "";
    this.makeFields();
    this.listen();
    this.followLink();
    this.again();
  }

  // A link such as faq.html#search=parking asks at once; #match=... checks a text.
  followLink() {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const task of ["search", "match"]) {
      if (!asked.has(task)) continue;
      this.form.elements.task.value = task;
      at("text").value = asked.get(task);
    }
  }

  get task() {
    return this.form.elements.task.value;
  }

  get text() {
    return at("text").value;
  }

  listen() {
    const soon = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.again(), WAIT);
    };
    this.form.addEventListener("input", soon);
    this.form.addEventListener("change", soon);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.again();
    });
    at("text").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.again();
    });
    at("more").addEventListener("click", () => {
      const before = at("hits").children.length;
      this.k += PER_PAGE;
      this.show();
      at("hits").children[before]?.querySelector("summary")?.focus();
    });
    at("clear").addEventListener("click", () => {
      for (const field of this.form.querySelectorAll("#filters input, #filters select")) field.value = "";
      this.again();
    });
    addEventListener("hashchange", () => {
      this.followLink();
      this.again();
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = /^(?:input|textarea|select)$/i.test(event.target.tagName);
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      at("text").focus();
    });
  }

  // Show the results of what is asked now, unless they are shown: leaving a field changes nothing.
  again() {
    clearTimeout(this.timer);
    const asked = JSON.stringify([this.task, this.text, this.where()]);
    if (asked === this.shown) return;
    this.shown = asked;
    this.k = PER_PAGE;
    this.show();
  }

  tell(words) {
    if (at("said").textContent !== words) at("said").textContent = words;
  }

  show() {
    const isSearch = this.task === "search";
    at("text-label").textContent = isSearch ? "Search for" : "The new text";
    this.form.querySelector("button[type=submit]").textContent = isSearch ? "Search" : "Check";
    at("filters").hidden = !isSearch || !this.fields.length;
    at("verdict").replaceChildren();
    at("hits").replaceChildren();
    at("more-line").hidden = at("others").hidden = true;
    at("said").className = "";
    if (!this.text.trim()) {
      const count = counted(this.collection.facts.texts.length, "text", "texts");
      this.tell(isSearch ? `Type what you look for in ${count}.` : `Type or paste a text to see whether one of ${count} says the same.`);
    } else if (isSearch) {
      this.search();
    } else {
      this.match();
    }
  }

  search() {
    const hits = this.filtered((where) => this.collection.search(this.text, { k: this.k + 1, where }));
    if (!hits) return;
    const hasMore = hits.length > this.k;
    hits.length = Math.min(hits.length, this.k);
    const terms = new Set(this.collection.analyser.termsOf(this.text));
    const most = Math.max(...hits.map((hit) => hit.words), 0);
    at("hits").append(...hits.map((hit) => this.hit(hit, terms, most)));
    at("more-line").hidden = !hasMore;
    const answered = hits.answered === null ? "" : ` Probability that any of them answers: ${rounded(hits.answered)}.`;
    const count = hasMore ? `The ${counted(hits.length, "best text", "best texts")}.` : `${counted(hits.length, "text", "texts")} found.`;
    this.tell(hits.length ? count + answered : "Nothing found.");
  }

  hit(hit, terms, most) {
    const shares = (word) => (this.collection.analyser.termsOf(word).some((term) => terms.has(term)) ? "" : null);
    return element("li", {}, shownText(hit.text, shares), this.facts(hit), this.measures(hit, most), this.why(hit));
  }

  facts({ id, number }) {
    const shown = (name, text) => element("li", {}, `${name}: `, element("bdi", {}, visible(text)));
    const isHash = this.collection.matcher.isHashed(number);
    const own = isHash ? [] : [element("li", {}, element("bdi", {}, visible(id)))];
    const list = [...own, ...[...this.collection.metadata[number]].map(([name, { text }]) => shown(visible(name), text))];
    return list.length ? element("ul", { class: "facts" }, ...list) : null;
  }

  measures(hit, most) {
    const measure = (name, value, high, words) => element("div", {},
      element("dt", {}, name),
      element("dd", {}, element("meter", { min: 0, max: high || 1, value: Math.max(value, 0), "aria-label": name }), element("span", {}, words)));
    return element("dl", { class: "measures" },
      measure("Similar meaning", hit.cosine, 1, rounded(hit.cosine)),
      measure("Shared words", hit.words, most, rounded(hit.words, 1)),
      hit.probability === undefined || hit.probability === null ? null : measure("Probability", hit.probability, 1, rounded(hit.probability)));
  }

  // What agrees between a query and a hit, made when it is asked for.
  why(hit) {
    const asked = this.text, found = element("details", { class: "why" }, element("summary", {}, "Why this?"));
    found.addEventListener("toggle", () => {
      if (found.children.length > 1) return;
      const shares = this.collection.wordShares(asked, hit.number).filter(({ share }) => share > 0);
      found.append(this.shades(asked, hit.text, { isQuery: true }));
      if (!shares.length) return;
      const rows = shares.map(({ word, share }) => element("tr", {}, element("td", {}, element("bdi", {}, visible(word))), element("td", { class: "num" }, rounded(share))));
      found.append(element("table", {}, element("caption", {}, "What each shared word adds"), element("tbody", {}, ...rows)));
    });
    return found;
  }

  // Two texts, each part shaded by what it adds to their similarity.
  shades(text, other, options) {
    const sides = this.collection.agreement(text, other, options);
    const largest = Math.max(...sides.flatMap(({ parts }) => parts.map(({ share }) => Math.abs(share))), 1e-9);
    const line = ({ text: read, parts }) => {
      const characters = Array.from(read), shown = [];
      let from = 0;
      for (const { start, end, share } of parts) {
        if (start < from) continue;
        const level = Math.round((8 * Math.abs(share)) / largest);
        shown.push(characters.slice(from, start).join(""), marked(characters.slice(start, end).join(""), level ? `${share > 0 ? "h" : "c"}${level}` : ""));
        from = end;
      }
      return said(...shown, characters.slice(from).join(""));
    };
    return element("div", { class: "shades" },
      element("p", { class: "small muted" }, "The darker a word, the more it adds to the similarity; words in the other colour take from it."),
      ...sides.map(line));
  }

  match() {
    const found = this.collection.match(this.text), { nearest, verdict } = found;
    const rule = this.collection.facts.rule;
    at("verdict").replaceChildren(this.verdict(found, rule));
    const others = found.near.filter((one) => !nearest || one.number !== nearest.number).slice(0, 5);
    const terms = new Set(this.collection.analyser.termsOf(this.text));
    const shares = (word) => (this.collection.analyser.termsOf(word).some((term) => terms.has(term)) ? "" : null);
    at("hits").append(...others.map((one) => element("li", {}, shownText(one.text, shares), this.facts(one),
      element("p", { class: "small muted" }, `Similarity ${rounded(one.cosine)}${this.blocked(one)}`))));
    at("others").hidden = !others.length;
    at("said").className = "unseen"; // the verdict shows it
    const heading = verdict ? VERDICTS[verdict][0] : "The nearest text is shown.";
    this.tell(nearest ? `${heading} Similarity to the nearest text: ${rounded(nearest.cosine)}.` : "Nothing here is near.");
  }

  blocked({ guards }) {
    return guards.length ? `; they differ in ${guards.map((name) => GUARD_WORDS[name]).join(" and in ")}` : "";
  }

  verdict({ verdict, nearest, probability }, rule) {
    const [title, words] = verdict ? VERDICTS[verdict] : ["The nearest text", ""];
    const parts = [element("h2", {}, title)];
    if (words) parts.push(element("p", {}, `${words}${probability === null ? "" : ` Probability of a duplicate: ${rounded(probability)}.`}`));
    if (!verdict) parts.push(element("p", {}, `No rule was fitted for these texts, so this page gives no verdict${rule.why ? `: ${rule.why}` : ""}.`));
    if (nearest) {
      parts.push(this.scale(nearest.cosine, rule));
      if (nearest.guards.length) parts.push(element("p", {}, `The two texts differ in ${nearest.guards.map((name) => GUARD_WORDS[name]).join(" and in ")}.`));
      parts.push(this.differences(this.text, nearest), this.facts(nearest));
    }
    if (rule.lines) {
      const lines = rule.lines.map((line) => element("li", {}, line));
      parts.push(element("details", {}, element("summary", {}, "How this was decided"), element("ul", {}, ...lines)));
    }
    return element("div", { class: `answer ${verdict ?? ""}` }, ...parts);
  }

  // The similarity on a line from 0 to 1, with the rule's limits.
  scale(cosine, rule) {
    const percent = (value) => `${100 * Math.min(Math.max(value, 0), 1)}%`;
    const limits = [["ask", rule.ask_from], ["duplicate", rule.duplicate_from]].filter(([, value]) => value !== null && value !== undefined);
    const words = limits.map(([name, value]) => `${name} from ${rounded(value)}`).join(", ");
    const fill = element("span", { class: "fill" });
    fill.style.width = percent(cosine);
    const marks = limits.flatMap(([name, value]) => {
      const line = element("span", { class: "limit" }), label = element("span", { class: value > 0.85 ? "name high" : "name" }, name);
      line.style.left = label.style.left = percent(value);
      return [line, label];
    });
    if (marks.length === 4 && limits[1][1] - limits[0][1] < 0.18) marks[1].style.transform = "translateX(-100%)";
    if (marks.length === 4 && limits[1][1] - limits[0][1] < 0.18) marks[3].style.transform = "none";
    return element("div", { class: "scale", role: "img", "aria-label": `Similarity ${rounded(cosine)}${words && `; ${words}`}` },
      element("span", { class: "track" }, fill), ...marks,
      element("span", { class: "zero" }, `Similarity ${rounded(cosine)}`), element("span", { class: "one" }, "1"));
  }

  // Both texts, with the words marked that one of them lacks.
  differences(text, nearest) {
    const terms = [text, nearest.text].map((one) => new Set(this.collection.analyser.termsOf(one)));
    const differs = (lacking) => (word) => {
      const own = this.collection.analyser.termsOf(word);
      return own.length && !own.some((term) => lacking.has(term)) ? "differs" : null;
    };
    const side = (title, shown, lacking) => element("div", {}, element("h3", {}, title), shownText(shown, differs(lacking)));
    return element("div", { class: "two" }, side("Your text", text, terms[1]), side("Nearest text here", nearest.text, terms[0]));
  }

  // The result of a search behind the filters; what is wrong with them is told beside them.
  filtered(work) {
    const where = this.where(), error = at("where-error");
    at("filters-used").textContent = where ? " (in use)" : "";
    try {
      const found = work(where);
      error.textContent = visible(this.collection.filterNotes(where).join(" "));
      return found;
    } catch (problem) {
      if (!where) throw problem;
      error.textContent = problem.message;
      this.tell("The filter can't be read.");
      return null;
    }
  }

  where() {
    const own = this.fields.map((part) => part()).filter(Boolean), typed = at("where").value.trim();
    return [...own, ...(typed ? [`(${typed})`] : [])].join(" and ");
  }

  // A field for each name of the metadata: a choice, a range of numbers, or a part of a text.
  makeFields() {
    const values = new Map();
    for (const metadata of this.collection.metadata) {
      for (const [name, { value }] of metadata) {
        if (name.includes("`") || typeof value === "object") continue;
        if (!values.has(name)) values.set(name, new Map());
        const counts = values.get(name);
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    const often = [...values].sort(([, one], [, other]) => sumOf(other.values()) - sumOf(one.values()));
    for (const [name, counts] of often.slice(0, MOST_FIELDS)) this.makeField(name, counts);
  }

  makeField(name, counts) {
    const all = [...counts.keys()], areNumbers = all.every(isNumeric);
    const quoted = (value) => (typeof value === "string" ? `"${value.replace(/[\\"]/g, "\\$&")}"` : String(value));
    const made = element("fieldset", {}, element("legend", {}, element("bdi", {}, visible(name))));
    const input = (type, label) => element("input", { type, "aria-label": `${visible(name)}: ${label}`, autocomplete: "off", ...(type === "number" ? { step: "any", placeholder: label } : {}) });
    if (all.length <= FEW_VALUES) {
      const order = areNumbers ? numberOrder : (one, other) => String(one).localeCompare(String(other));
      const options = all.sort(order).map((value) => element("option", { value: quoted(value) }, `${visible(String(value))} (${counts.get(value).toLocaleString("en")})`));
      const choice = element("select", { "aria-label": visible(name) }, element("option", { value: "" }, "any"), ...options);
      made.append(choice);
      this.fields.push(() => choice.value && `\`${name}\` = ${choice.value}`);
    } else if (areNumbers) {
      const low = input("number", "from"), high = input("number", "to");
      made.append(element("div", { class: "range" }, low, high));
      this.fields.push(() => [[low, ">="], [high, "<="]].filter(([field]) => field.value).map(([field, sign]) => `\`${name}\` ${sign} ${field.value}`).join(" and "));
    } else {
      const part = input("text", "contains");
      part.placeholder = "contains";
      made.append(part);
      this.fields.push(() => part.value && `\`${name}\` contains ${quoted(part.value)}`);
    }
    at("fields").append(made);
  }
}

const sumOf = (numbers) => [...numbers].reduce((total, one) => total + one, 0);

async function openPage() {
  try {
    const collection = await openedCollection(at("contents").textContent.trim());
    at("contents").remove();
    globalThis.textkin = { search: (...asked) => collection.search(...asked), match: (text) => collection.match(text) };
    return new Page(collection);
  } catch (error) {
    at("said").textContent = typeof DecompressionStream === "undefined"
      ? "This browser is too old for this page: use Chrome or Edge from version 93, Firefox from 113, Safari from 16.4."
      : `The texts can't be opened: ${error.message}`;
    return null;
  }
}

globalThis.opened = openPage();

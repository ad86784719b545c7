"use strict";
// Differences that keep two texts apart, however near their vectors are, as textkin.vectors.groups.guards finds
// them: other numbers, a negation, other names, another order.

const LETTER = "[\\p{L}\\p{Nl}\\p{No}]", ALNUM = "[\\p{L}\\p{N}]";
const GUARD_DOTTED = new RegExp(`(?<!${ALNUM})${LETTER}(?:\\.${LETTER})+(?!${ALNUM})\\.?`, "gu");
const APOSTROPHE = new RegExp(`(?<=${LETTER})[\\u0060\u00b4\u02bc\u2018\u201b\u2032](?=${LETTER})`, "gu");
const GUARD_WORD = new RegExp(`${LETTER}+(?:['’]${LETTER}+)?`, "gu");
const GUARD_PARTS = new RegExp(`\\p{Nd}+|${LETTER}+(?:['’]${LETTER}+)?`, "gu");
const GUARD_PIECE = new RegExp(
  `(?<!${ALNUM})[A-Z]{2,3}[-−](?!${ALNUM})` +
    `|${ALNUM}+(?:['’]${LETTER}+)?(?:(?:[+#]+|(?<!${ALNUM}{2})[*\\-−])(?!${ALNUM}))?`,
  "gu",
);
const ENDING = /^\p{Nd}+(?:st|nd|rd|th|am|pm|s|e\p{Nd}+|x\p{Nd}+)$/iu;
const ROMAN = /^X{0,3}(?:IX|IV|V?I{0,3})$/;
const LONGEST_PIECE = 64;

const isLower = (text) => text === text.toLowerCase() && text !== text.toUpperCase();
const isUpper = (text) => text === text.toUpperCase() && text !== text.toLowerCase();
const isAlpha = (text) => /^\p{L}+$/u.test(text);
const isDigits = (text) => /^\p{Nd}+$/u.test(text);
const firstOf = (text) => String.fromCodePoint(text.codePointAt(0));
const lastOf = (text) => Array.from(text).pop();
const isSubset = (one, other) => [...one].every((each) => other.has(each));

// True if a word is within a sentence, where only names are capitalised.
function isWithin(text, start) {
  let place = start - 1;
  while (place >= 0 && " \"'([“‘*_".includes(text[place])) place--;
  return place >= 0 && !".!?:;\n…。！？".includes(text[place]);
}

class GuardWords {
  constructor(tables, forms) {
    this.tables = tables;
    this.forms = forms;
    this.sets = Object.fromEntries(["short", "by_case", "roman", "counting", "lengths", "of_time"].map((name) => [name, new Set(tables[name])]));
    this.signs = Object.fromEntries(["unseen", "superscript", "subscript", "trade", "circled"].map((name) => [name, anyOf(tables[name])]));
    this.negations = anyOf(`^(?:${tables.negation})$`, "u");
    this.unit = anyOf(`[${tables.alone}]|[^${BLANKS}${tables.alone}]+`);
  }

  get(table, word) {
    return Object.hasOwn(this.tables[table], word) ? this.tables[table][word] : undefined;
  }

  prepared(text) {
    const plain = this.cleaned(text.replace(APOSTROPHE, "'"));
    return plain.includes(".") ? plain.replace(GUARD_DOTTED, (found) => found.replaceAll(".", "")) : plain;
  }

  cleaned(given) {
    const { unseen, superscript, subscript, trade, circled } = this.signs;
    const text = given.replace(unseen, "");
    if (isAscii(text)) return text;
    const plain = (found) => found.normalize("NFKC").replaceAll("\u2212", "-");
    const countsBefore = (whole, place) => /[\p{Nd}\p{No}]$/u.test(whole.slice(Math.max(place - 2, 0), place));
    return text
      .replace(trade, "")
      .replace(superscript, (found) => `^${plain(found)}`)
      .replace(subscript, (found, place, whole) => (countsBefore(whole, place) ? "_" : "") + plain(found))
      .replace(circled, (found, place, whole) => {
        const after = /^\p{Nd}/u.test(whole.slice(place + found.length)) ? " " : "";
        return (countsBefore(whole, place) ? " " : "") + plain(found) + after;
      })
      .normalize("NFKC")
      .replaceAll("\u2044", "/");
  }

  folded(text) {
    if (isAscii(text)) return text.toLowerCase();
    return this.forms.casefold(text).normalize("NFKC").replaceAll("i\u0307", "i").replaceAll("\u0131", "i");
  }

  roman(word) {
    const numeral = word.toUpperCase();
    if (word.length < 2 || !(isUpper(word) || this.sets.roman.has(word)) || !ROMAN.test(numeral)) return null;
    const values = Array.from(numeral, (one) => ({ I: 1, V: 5, X: 10 })[one]);
    return String(values.reduce((total, one, at) => total + (one < (values[at + 1] ?? 0) ? -one : one), 0));
  }

  canonical(word) {
    const low = this.folded(word.replaceAll("’", "'")).replace(/'s$/, "");
    const small = this.get("small", low) ?? 0;
    return small > 0 && small <= 12 ? String(small) : this.roman(word) ?? low;
  }

  hasNegation(text) {
    return (text.match(GUARD_WORD) ?? []).some((word) => this.negations.test(word.toLowerCase().replaceAll("’", "'")));
  }

  units(text) {
    if (isAscii(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    const apart = this.folded(text.normalize("NFKC")).normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
    return apart.normalize("NFKC").replace(/[^\p{L}\p{N}\p{M}]/gu, " ").match(this.unit) ?? [];
  }

  measures(word) {
    const low = word.toLowerCase();
    const isWord = ["units", "currencies", "scales"].some((table) => this.get(table, low) !== undefined);
    return (word.length > 1 && isWord) || this.get("scale_letters", word) !== undefined || /^[gmlhswvx]$/.test(word);
  }

  addresses(text) {
    if (!/@|:\/\/|www\./.test(text)) return new Set();
    const found = text.split(anyOf(`[${BLANKS}<>"'()]+`)).filter((one) => /:\/\/|www\./.test(one) || one.slice(1, -1).includes("@"));
    const plain = (one) => this.folded(one).replace(/^(?:[a-z]+:\/\/)?(?:www\.)?/, "").replace(/^[.,;:!?/]+|[.,;:!?/]+$/g, "");
    return new Set(found.map(plain).filter(Boolean));
  }
}

// Runs of letters and digits of a prepared text, with the signs joined to them.
class Pieces {
  constructor(text, words) {
    this.text = text;
    this.about = words;
    const found = [...text.matchAll(GUARD_PIECE)];
    this.raw = found.map((one) => one[0]);
    this.key = this.raw.map((raw) => (raw.length < LONGEST_PIECE ? words.canonical(raw) : words.folded(raw)));
    this.spans = found.map((one) => [one.index, one.index + one[0].length]);
    const at = this.raw.map((_, place) => place);
    this.special = at.filter((place) => this.raw[place].length === 1 || !isLower(this.raw[place]) || !isAlpha(this.raw[place]));
    this.addresses = words.addresses(text);
    this.names = new Set([...this.named(), ...this.addresses]);
    this.words = new Set([...this.findable(), ...this.addresses]);
    this.letters = new Map();
    for (const place of this.special) {
      const raw = this.raw[place], key = this.key[place];
      if (raw.length === 1 && raw.toLowerCase() !== raw.toUpperCase()) this.letters.set(key, (this.letters.get(key) ?? 0) + 1);
    }
  }

  *named() {
    const count = this.raw.filter((raw) => isAlpha(firstOf(raw))).length;
    const capital = this.special.filter((place) => isUpper(firstOf(this.raw[place]))).length;
    const isTitle = count > 1 && capital * 3 > count * 2;
    for (const place of this.special) {
      const name = this.name(place, isTitle);
      if (name) yield name;
    }
  }

  *findable() {
    yield* this.key;
    for (const place of this.special) {
      const raw = this.raw[place], key = this.key[place];
      if (raw.length > 1 && !isAlpha(raw)) yield* (raw.match(GUARD_PARTS) ?? []).map((one) => this.about.canonical(one));
      if (raw.length === 1 || isDigits(raw)) {
        if (this.isBeside(place)) yield this.key[place - 1] + key;
        if (this.isBeside(place + 1)) yield key + this.key[place + 1];
      }
    }
  }

  name(place, isTitle) {
    const raw = this.raw[place], key = this.key[place];
    const isSign = raw.length > 1 && !/[\p{L}\p{N}]/u.test(lastOf(raw)) && !isDigits(firstOf(raw));
    if (isSign || this.isMixed(raw)) return key;
    if (isTitle || !isAlpha(firstOf(raw)) || this.isMeasure(place)) return null;
    if (raw.length === 1) return this.letter(place);
    const rest = raw.slice(firstOf(raw).length);
    const isCapital = isUpper(firstOf(raw)) && isWithin(this.text, this.spans[place][0]);
    return rest !== rest.toLowerCase() || isCapital ? key : null;
  }

  // A single letter that is a name by itself, as in "hepatitis B"; a person's initials are not.
  letter(place) {
    const raw = this.raw[place], key = this.key[place], [start, end] = this.spans[place];
    if (!isUpper(raw) || raw === "I") return null;
    if (this.text[end] === "." && !["", "\n"].includes(this.text[end + 1] ?? "")) return null;
    if (!isWithin(this.text, start) && (!isAscii(raw) || "aeiouy".includes(key))) return null;
    const isHyphened = this.isBeside(place + 1) && this.text[end] === "-" && isAlpha(this.raw[place + 1]);
    return isHyphened ? key + this.key[place + 1] : key;
  }

  isMixed(raw) {
    if (isAlpha(raw) || isDigits(raw) || !/\p{Nd}/u.test(raw) || !/\p{L}/u.test(raw) || ENDING.test(raw)) return false;
    const parts = raw.match(GUARD_PARTS) ?? [];
    return !(parts.length === 2 && isDigits(parts[0]) && this.about.measures(parts[1]));
  }

  isMeasure(place) {
    const raw = this.raw[place], low = raw.toLowerCase();
    const isCounted = this.isBeside(place) && isDigits(lastOf(this.raw[place - 1]));
    const isPriced = this.isBeside(place + 1) && isDigits(firstOf(this.raw[place + 1]));
    const measures = this.about.measures(raw) || low === "am" || low === "pm";
    return (isCounted && measures) || (isPriced && this.about.get("currencies", low) !== undefined);
  }

  // True if at most a space or a hyphen separates a piece from the one before it.
  isBeside(place) {
    if (!(place > 0 && place < this.raw.length)) return false;
    const end = this.spans[place - 1][1], start = this.spans[place][0];
    return start === end || (start === end + 1 && " -/\u2212".includes(this.text[end]));
  }

  shares(other) {
    if (!isSubset(this.names, other.words) || !isSubset(other.names, this.words)) return false;
    const more = (one, two) => [...one].filter(([letter, times]) => times > (two.get(letter) ?? 0)).map(([letter]) => letter);
    const ours = more(this.letters, other.letters), theirs = more(other.letters, this.letters);
    return !(ours.length && theirs.length && [...ours, ...theirs].some((one) => one !== "a" && one !== "i"));
  }
}

const ARTICLES = new Set(["the", "a", "an"]);
const JOINING = new Set(["and", "or", "vs", "versus", "nor", "with"]);
const MOST_NAMES = 40, FAR = 60, STEM = 4;
const ORDER_TOKEN = new RegExp(`\\p{Nd}+(?:[.,]\\p{Nd}+)*|${LETTER}+(?:['\\u2019]${LETTER}+)?`, "gu");

const isSameStem = (one, other) => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return one === other || (short.length > 2 && (long.startsWith(short) || long.slice(0, STEM) === short.slice(0, STEM)));
};
const isPassive = (words) => {
  const verb = words.filter((word) => !ARTICLES.has(word));
  return verb.length > 1 && verb[verb.length - 1] === "by";
};

// The order of names and numbers in a prepared text.
class OrderedText {
  constructor(text, words, pieces) {
    const found = [...text.matchAll(ORDER_TOKEN)];
    const folded = (token) => (isDigits(firstOf(token)) ? written(token) : token.length === 1 ? token : words.canonical(token));
    this.tokens = found.map((one) => folded(one[0]));
    const first = new Map(), last = new Map();
    this.tokens.forEach((token, place) => {
      if (!first.has(token)) first.set(token, place);
      last.set(token, place);
    });
    this.once = new Map([...last].filter(([token, place]) => first.get(token) === place));
    const letters = found.filter((one) => one[0].length === 1 && isUpper(one[0]) && one[0] !== "I" && isWithin(text, one.index));
    this.names = new Set([...pieces.names, ...letters.map((one) => one[0])]);
    this.numbers = new Set(this.tokens.filter((token) => isDigits(firstOf(token))));
  }

  beside(from, step, among) {
    let place = from + step;
    while (place >= 0 && place < this.tokens.length && (among.has(this.tokens[place]) || ARTICLES.has(this.tokens[place]))) place += step;
    return (this.tokens[place] ?? "").toLowerCase();
  }

  between([one, other]) {
    if (Math.abs(one - other) > FAR) return [];
    return this.tokens.slice(Math.min(one, other) + 1, Math.max(one, other)).map((token) => token.toLowerCase());
  }

  lists([one, other], among) {
    if (Math.abs(one - other) > FAR) return false;
    const unit = this.beside(Math.max(one, other), 1, among), before = this.beside(Math.min(one, other), -1, among);
    return this.between([one, other]).every((word) => JOINING.has(word) || ARTICLES.has(word) || word === unit || word === before || among.has(word));
  }

  // True if two names, or two numbers, are swapped between two texts.
  traded(other) {
    const numbers = new Set([...this.numbers].filter((one) => other.numbers.has(one)));
    return this.anyTraded(other, new Set([...this.names, ...other.names]), true) || this.anyTraded(other, numbers, false);
  }

  anyTraded(other, among, hasPassives) {
    const shared = [...among].filter((name) => this.once.has(name) && other.once.has(name));
    shared.sort((one, two) => this.once.get(one) - this.once.get(two)).splice(MOST_NAMES);
    return shared.some((first, at) => shared.slice(at + 1).some((second) => this.isTraded(other, first, second, among, hasPassives)));
  }

  isTraded(other, first, second, among, hasPassives) {
    const ours = [this.once.get(first), this.once.get(second)], theirs = [other.once.get(first), other.once.get(second)];
    if (this.lists(ours, among) && other.lists(theirs, among)) return false;
    const isTurned = theirs[0] > theirs[1], between = [this.between(ours), other.between(theirs)];
    if (hasPassives && isPassive(between[0]) !== isPassive(between[1])) {
      const isVerb = (word) => word.length > 2 && !JOINING.has(word);
      const isShared = between[0].some((word) => isVerb(word) && between[1].some((another) => isSameStem(word, another)));
      if (isShared) return !isTurned;
    }
    const isAkin = (here, there) =>
      [-1, 1].some((step) => isSameStem(this.beside(here, step, among), other.beside(there, step, among)));
    return isTurned && isAkin(ours[0], theirs[1]) && isAkin(ours[1], theirs[0]);
  }
}

// What guards compare of a text, found once.
class Guarded {
  constructor(text, words) {
    const prepared = words.prepared(text), units = words.units(prepared), pieces = new Pieces(prepared, words);
    this.features = {
      numbers: new Amounts(prepared, words),
      names: pieces,
      negation: words.hasNegation(prepared),
      sequence: units.join(""),
      bag: [...units].sort().join(" "),
      order: new OrderedText(prepared, words, pieces),
    };
  }
}

const PASSES = {
  numbers: (one, other) => one.numbers.isSame(other.numbers),
  negation: (one, other) => one.negation === other.negation,
  names: (one, other) => one.names.shares(other.names),
  order: (one, other) => (one.bag !== other.bag || one.sequence === other.sequence) && !one.order.traded(other.order),
};

class Guards {
  constructor(tables, forms) {
    this.words = new GuardWords(tables, forms);
    this.known = new Map();
  }

  of(text) {
    let found = this.known.get(text);
    if (found === undefined) {
      if (this.known.size > 5_000) this.known.clear();
      this.known.set(text, (found = new Guarded(text, this.words).features));
    }
    return found;
  }

  // The guards of these names that block a pair of texts.
  blocking(text, other, names) {
    return names.filter((name) => !PASSES[name](this.of(text), this.of(other)));
  }
}

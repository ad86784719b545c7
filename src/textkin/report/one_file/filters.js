"use strict";
// Filters of metadata, such as lang = "en" and year >= 2020, as textkin.collection.store.filters reads them.

const FILTER_TOKEN = new RegExp(
  `[${BLANKS}]*` + String.raw`(?:(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')` +
    String.raw`|(?<number>[+\-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+\-]?\d+)?(?![\p{L}\p{N}_.\-]))` +
    String.raw`|(?<sign><=|>=|!=|=|<|>|\(|\)|,)|(?<quoted>` + "`[^`]+`" +
    String.raw`)|(?<name>[\p{L}\p{N}_][\p{L}\p{N}_.\-]*))`,
  "yus",
);
const FILTER_WORDS = new Set(["and", "or", "not", "in", "exists", "contains", "true", "false"]);

// Texts in the order of their characters, which differs from that of JavaScript's units beyond U+FFFF.
function textOrder(one, other) {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    if (left[at] !== right[at]) return left[at].codePointAt(0) - right[at].codePointAt(0);
  }
  return left.length - right.length;
}

// The number of a text, to the last digit of whole ones.
function exactNumber(text) {
  const found = Number(text), isLong = /^[+\-]?\d{1,19}$/.test(text) && !Number.isSafeInteger(found);
  return isLong ? BigInt(text.replace("+", "")) : found;
}
const numberOrder = (one, other) => Number(one > other) - Number(one < other);

// The metadata of an entry by name: each value, and how filters read it as a text.
function readable(metadata, written = {}) {
  return new Map(Object.entries(metadata).map(([name, value]) => {
    const text = Object.hasOwn(written, name) ? written[name] : String(value);
    return [name, { value: typeof value === "number" ? exactNumber(text) : value, text }];
  }));
}

const isNumeric = (value) => typeof value === "number" || typeof value === "bigint";

const COMPARED = {
  "=": (order) => order === 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

class Filter {
  constructor(text, numberPattern) {
    this.text = text;
    this.isNumber = new RegExp(`^(?:${numberPattern})$`);
    this.tokens = this.cut();
    this.at = 0;
    this.names = new Set(); // that are compared with a value
    this.matches = this.either();
    if (this.next.kind !== "end") this.refuse("and, or, or the end");
  }

  cut() {
    const found = [], text = this.text.replace(AROUND, "");
    FILTER_TOKEN.lastIndex = 0;
    while (FILTER_TOKEN.lastIndex < text.length) {
      const from = FILTER_TOKEN.lastIndex, match = FILTER_TOKEN.exec(text);
      if (!match) {
        throw new Error(`The filter can't be read from “${text.slice(from).trim().slice(0, 20)}” on. Put texts into quotes.`);
      }
      const [kind, word] = Object.entries(match.groups).find(([, value]) => value !== undefined);
      const isWord = kind === "name" && FILTER_WORDS.has(word.toLowerCase());
      found.push(isWord ? { kind: "word", text: word.toLowerCase() } : { kind, text: word });
    }
    return [...found, { kind: "end", text: "" }];
  }

  get next() {
    return this.tokens[this.at];
  }

  take(...texts) {
    const token = this.next;
    if (!["word", "sign"].includes(token.kind) || !texts.includes(token.text)) return null;
    this.at++;
    return token.text;
  }

  refuse(expected) {
    const shown = this.next.kind === "end" ? "its end" : `“${this.next.text}”`;
    throw new Error(`The filter has ${shown} where ${expected} is expected. For example: lang = "en" and year >= 2020`);
  }

  either() {
    const parts = [this.both()];
    while (this.take("or")) parts.push(this.both());
    return (metadata) => parts.some((part) => part(metadata));
  }

  both() {
    const parts = [this.part()];
    while (this.take("and")) parts.push(this.part());
    return (metadata) => parts.every((part) => part(metadata));
  }

  part() {
    if (this.take("not")) {
      const negated = this.part();
      return (metadata) => !negated(metadata);
    }
    if (!this.take("(")) return this.comparison();
    const inner = this.either();
    if (!this.take(")")) this.refuse("“)”");
    return inner;
  }

  comparison() {
    const name = this.name();
    if (this.take("exists")) return (metadata) => metadata.has(name);
    this.names.add(name);
    if (this.take("contains")) {
      const part = this.value();
      if (typeof part !== "string") this.refuse("a text in quotes");
      return (metadata) => metadata.get(name)?.text.includes(part) ?? false;
    }
    const isNegated = Boolean(this.take("not"));
    if (this.take("in")) {
      const any = this.among(name);
      return isNegated ? (metadata) => !any(metadata) : any;
    }
    const sign = isNegated ? null : this.take("=", "!=", "<", "<=", ">", ">=");
    if (!sign) this.refuse(isNegated ? "in" : "=, !=, <, <=, >, >=, in, not in, contains or exists");
    const equal = this.compared(name, sign === "!=" ? "=" : sign, this.value());
    return sign === "!=" ? (metadata) => !equal(metadata) : equal;
  }

  name() {
    const { kind, text } = this.next;
    if (kind !== "name" && kind !== "quoted") this.refuse("the name of a field");
    this.at++;
    return text.replace(/^`+|`+$/g, "");
  }

  among(name) {
    if (!this.take("(")) this.refuse("“(”");
    const parts = [this.compared(name, "=", this.value())];
    while (this.take(",")) parts.push(this.compared(name, "=", this.value()));
    if (!this.take(")")) this.refuse("“,” or “)”");
    return (metadata) => parts.some((part) => part(metadata));
  }

  value() {
    const { kind, text } = this.next;
    if (kind !== "text" && kind !== "number" && text !== "true" && text !== "false") {
      this.refuse("a text in quotes, a number, true or false");
    }
    this.at++;
    if (kind === "text") return text.slice(1, -1).replace(/\\(.)/gs, "$1");
    return kind === "number" ? exactNumber(text) : text === "true";
  }

  compared(name, sign, value) {
    const passes = COMPARED[sign];
    if (typeof value === "boolean") {
      if (sign !== "=") this.refuse("a text in quotes or a number");
      return (metadata) => {
        const own = metadata.get(name)?.value;
        return own === value || (typeof own === "string" && own.toLowerCase() === String(value));
      };
    }
    if (typeof value === "string") {
      return (metadata) => {
        const own = metadata.get(name);
        return (isNumeric(own?.value) || typeof own?.value === "string") && passes(textOrder(own.text, value));
      };
    }
    return (metadata) => {
      const own = metadata.get(name)?.value;
      if (typeof own === "string") return this.isNumber.test(own) && passes(numberOrder(Number(own), value));
      return isNumeric(own) && passes(numberOrder(own, value));
    };
  }
}

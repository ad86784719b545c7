"use strict";
// Amounts of a text: numbers with the words and signs around them, as textkin.vectors.groups.amount_reader reads them.

const GROUPED = /^(?:\p{Nd}{1,3}(?:,\p{Nd}{3})+|\p{Nd}{1,2}(?:,\p{Nd}{2})+,\p{Nd}{3})(?:\.\p{Nd}+)?$/u;
const DATE = /^\p{Nd}+\/\p{Nd}+\/\p{Nd}+$/u;
const TO = new Set([..."-\u2010\u2011\u2012\u2013\u2014\u2212\u2192", "to", "till", "until", "through", "->", "=>"]);
const LISTING = new Set(["and", "or", ",", "&", "/", "vs"]);
const MOST_SCALES = 3; // "hundred thousand million"

// The value of a decimal digit: each script has its ten in a row.
function decimal(character) {
  const code = character.codePointAt(0);
  if (code < 128 || !/\p{Nd}/u.test(character)) return character;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10);
}

// A number in ASCII digits, without thousands separators; dates with hyphens.
function written(given) {
  let number = Array.from(given, decimal).join("");
  if (GROUPED.test(number)) number = number.replaceAll(",", "");
  if (DATE.test(number)) number = number.replaceAll("/", "-");
  if (number[0] === "0" && number[2] === ":") number = number.slice(1);
  return number[0] === "." ? `0${number}` : number;
}

const isPart = (number) => {
  const [, upper, lower] = /^(\d{1,2})\/(\d{1,3})$/.exec(number) ?? [];
  return upper !== undefined && Number(upper) < Number(lower);
};
const numberOf = (value, end, { sure = true, counts = true } = {}) => ({ value, end, sure, counts });

class AmountReader {
  constructor(text, words) {
    this.about = words;
    const han = words.tables.han_digits;
    const token = anyOf(
      "(?<number>(?:(?<![\\p{L}\\p{N}_.])\\.)?\\p{Nd}+(?:[.,:/_]\\p{Nd}+|\\^[-+]?\\p{Nd}+)*(?:[eE][-+]?\\p{Nd}+)?|\\^[-+]?\\p{Nd}+)" +
        `|(?<han>[${han}][\\u4e00${han}]*|\\u4e00[\\u4e00${han}]+)` +
        `|(?<word>(?:(?![${han}])${LETTER})+(?:['\\u2019]${LETTER}+)?)` +
        "|(?<sign>[-=]>|<=|>=|!=|<>|[A-Z]{1,2}\\$" + `|[^\\p{L}\\p{N}_${BLANKS}])`,
    );
    const found = [...text.matchAll(token)];
    this.raw = found.map((one) => one[0]);
    this.low = this.raw.map((raw) => raw.toLowerCase());
    this.kind = found.map((one) => Object.keys(one.groups).find((name) => one.groups[name] !== undefined));
    this.start = found.map((one) => one.index);
    this.end = found.map((one) => one.index + one[0].length);
    this.closing = new Set([...this.closed("'"), ...this.closed('"')]);
  }

  get(table, word) {
    return this.about.get(table, word);
  }

  word(place) {
    return this.low[place] ?? "";
  }

  follows(place) {
    return place > 0 && place < this.raw.length && this.end[place - 1] === this.start[place];
  }

  hyphen(place) {
    return Number(this.word(place) === "-" && this.follows(place) && this.follows(place + 1));
  }

  // The amount whose number starts at a token; none of its tokens is before `floor`.
  amount(place, floor) {
    const number = this.number(place);
    if (!number) return null;
    let { start, currency, comparison, sign } = this.before(place, floor);
    let unit = "", half = "", end = number.end;
    if (number.counts) {
      [unit, end] = this.unit(end);
      let after;
      [after, end] = this.after(end);
      [half, end] = this.half(end);
      comparison = comparison || after;
    }
    return { start, end, value: sign + number.value, unit: currency || unit, half, comparison, sure: number.sure || Boolean(half) };
  }

  number(place) {
    const kind = this.kind[place], word = this.low[place];
    if (kind === "number") {
      const value = written(this.raw[place]);
      const isJoined = this.follows(place) && ["word", "han"].includes(this.kind[place - 1]);
      return isJoined ? numberOf(value, place + 1, { counts: false }) : this.digits(value, place + 1);
    }
    if (kind === "han") return numberOf(this.han(word), place + 1);
    if (kind !== "word") return null;
    return this.get("small", word) !== undefined || this.get("tens", word) !== undefined ? this.spelt(place) : this.worded(word, place);
  }

  han(run) {
    if (run === "\u5341") return "10";
    const digits = Array.from(run, (one) => this.get("han", one) ?? 10);
    return digits.every((one) => one < 10) ? digits.join("") : run;
  }

  zeros(word) {
    return this.get("scales", word) ?? this.get("scales", word.replace(/s$/, ""));
  }

  worded(word, place) {
    const alone = { counts: false };
    const times = this.get("times", word), ordinal = this.get("ordinals", word);
    if (times !== undefined) return numberOf(times, place + 1, alone);
    if (["half", "quarter", "halves"].includes(word)) return numberOf(`1/${this.get("parts", word)}`, place + 1);
    if (word === "third" && this.word(place - 1) === "a" && this.word(place + 1) === "of") return numberOf("1/3", place + 1);
    if (ordinal !== undefined) {
      if (word === "second" && this.about.sets.of_time.has(this.word(place - 1))) return null;
      return numberOf(`${ordinal}th`, place + 1, { sure: word !== "first", counts: false });
    }
    if (this.zeros(word) !== undefined || word === "dozen" || word === "dozens") {
      if (word.endsWith("s") && this.word(place + 1) === "of") return numberOf(word, place + 1, alone);
      return numberOf(...this.scaled("1", place));
    }
    const tens = word.endsWith("ies") ? this.get("tens", `${word.slice(0, -3)}y`) : undefined;
    if (tens !== undefined) return numberOf(`${tens} s`, place + 1, alone);
    const roman = this.about.roman(this.raw[place]);
    if (roman !== null) return numberOf(roman, place + 1, alone);
    const isNumber = this.raw[place] === "I" && place && this.kind[place + 1] !== "word";
    return isNumber ? numberOf("1", place + 1, { sure: false, counts: false }) : null;
  }

  digits(value, from) {
    let after = from;
    const following = this.word(after), isWhole = isDigits(value);
    if (["st", "nd", "rd", "th"].includes(following) && this.follows(after)) return numberOf(`${value}th`, after + 1, { counts: false });
    if (isWhole && this.kind[after] === "number" && isPart(following)) return numberOf(...this.scaled(`${value} ${following}`, after + 1));
    const part = isWhole ? this.part(value, after) : undefined;
    if (part) return numberOf(...this.scaled(`${value}/${part}`, after + 1));
    const sides = [value];
    while (["x", "\u00d7"].includes(this.word(after)) && this.kind[after + 1] === "number") {
      sides.push(written(this.raw[after + 1]));
      after += 2;
    }
    return numberOf(...this.scaled(sides.join("x"), after));
  }

  spelt(place) {
    let [number, after] = this.belowHundred(place);
    if (this.word(after) === "hundred") {
      number *= 100;
      after++;
      const further = after + (this.word(after) === "and");
      if (this.get("small", this.word(further)) !== undefined || this.get("tens", this.word(further)) !== undefined) {
        const [tail, end] = this.belowHundred(further);
        number += tail;
        after = end;
      }
    }
    const step = after + this.hyphen(after), ordinal = this.get("ordinals", this.word(step)) ?? 10;
    if (number >= 20 && number < 100 && number % 10 === 0 && ordinal < 10) return numberOf(`${number + ordinal}th`, step + 1, { counts: false });
    const part = this.part(String(number), step);
    if (part) return numberOf(...this.scaled(`${number}/${part}`, step + 1));
    const [value, end] = this.scaled(String(number), after);
    return numberOf(value, end, { sure: value !== "1" });
  }

  belowHundred(place) {
    const word = this.low[place], small = this.get("small", word), tens = this.get("tens", word);
    if (small !== undefined) return [small, place + 1];
    const unit = place + 1 + this.hyphen(place + 1), ones = this.get("small", this.word(unit)) ?? 0;
    return ones > 0 && ones < 10 ? [tens + ones, unit + 1] : [tens, place + 1];
  }

  // The denominator of a fraction after a count: "one third", "two thirds".
  part(count, place) {
    const word = this.word(place);
    return word.endsWith("s") !== (count === "1") ? this.get("parts", word) : undefined;
  }

  scaled(given, from) {
    let value = given, place = from;
    for (let scale = 0; scale < MOST_SCALES; scale++) {
      const step = place + this.hyphen(place), word = this.word(step);
      const zeros = this.zeros(word) ?? (this.isScaleLetter(place) ? this.get("scale_letters", this.raw[place]) : undefined);
      if (word === "dozen" || word === "dozens") value = `${value} dozen`;
      else if (zeros === undefined) break;
      else value = isDigits(value) && value[0] !== "0" ? value + "0".repeat(zeros) : `${value} e${zeros}`;
      place = step + 1;
    }
    return [value, place];
  }

  // True if a letter after a number scales it: "5K", "5M", "5 B".
  isScaleLetter(place) {
    if (place >= this.raw.length || this.get("scale_letters", this.raw[place]) === undefined) return false;
    return this.follows(place) || isUpper(this.raw[place]);
  }

  // The unit or currency at a token, "" if there is none, and the token after it.
  unit(place) {
    const step = place + this.hyphen(place), word = this.word(step), prime = this.prime(place);
    if (prime) return [prime, place + 1 + (word === "\u2032" && this.word(step + 1) === "\u2032")];
    const power = this.get("powers", word), raised = power === undefined ? "" : this.unitWord(step + 1);
    if (raised) return [raised + power, step + 2];
    if (word === "per" && this.word(step + 1) === "cent") return ["%", step + 2];
    let unit = this.unitWord(step), end = step + 1;
    if (!unit) return ["", place];
    const heat = unit === "\u00b0" ? this.get("heat", this.word(end)) : undefined;
    if (heat) return [`\u00b0${heat}`, end + 1];
    const squared = this.get("squared", this.word(end));
    if (this.about.sets.lengths.has(unit) && this.follows(end) && squared !== undefined) {
      unit += squared;
      end++;
    }
    const divides = ["per", "a", "an"].includes(this.word(end)) || (this.word(end) === "/" && this.follows(end));
    const each = divides ? this.unitWord(end + 1) : "";
    return each ? [`${unit}/${each}`, end + 2] : [unit, end];
  }

  // The sign of feet, inches or minutes at a token; "" for other tokens and closing quotes.
  prime(place) {
    const word = this.word(place), sign = this.get("primes", word);
    if (sign === undefined || !this.follows(place) || this.closing.has(place)) return "";
    return word === "\u2032" && this.word(place + 1) === "\u2032" ? "\u2033" : sign;
  }

  // The places of closing quotes whose opening quote follows a space or a sign.
  closed(quote) {
    const found = [];
    let isOpen = false;
    this.low.forEach((word, place) => {
      if (word !== quote) return;
      if (!this.follows(place) || this.kind[place - 1] === "sign") {
        isOpen = true;
      } else if (isOpen) {
        found.push(place);
        isOpen = false;
      }
    });
    return found;
  }

  unitWord(place) {
    const word = this.word(place), raw = this.raw[place], { sets } = this.about;
    if (!word || sets.by_case.has(raw)) return word && raw;
    if (word.length === 1 && isAlpha(word) && !sets.short.has(raw) && word !== "x") return "";
    return this.get("units", word) ?? this.get("currencies", word) ?? "";
  }

  // The comparison after an amount, and the token after it: "18+", "18 or older".
  after(place) {
    if (this.word(place) === "+" && this.follows(place) && this.kind[place + 1] !== "number") return [">=", place + 1];
    const found = this.get("compared", `${this.word(place)} ${this.word(place + 1)}`);
    return found === undefined ? ["", place] : [found, place + 2];
  }

  // The half of the day after a time, and the token after it.
  half(place) {
    const step = place + (this.word(place) === "o'clock");
    for (const length of [3, 2, 1]) {
      const half = this.get("halves", this.low.slice(step, step + length).join(" "));
      if (half && !(this.word(step) === "am" && this.word(step + 1) === "i")) return [half, step + length];
    }
    return ["", place];
  }

  // The first token of an amount, with its currency, comparison and sign.
  before(place, floor) {
    let [start, currency] = this.currency(place, floor), sign;
    [sign, start] = this.sign(start, floor);
    if (!currency) [start, currency] = this.currency(start, floor);
    for (const length of [3, 2, 1]) {
      if (start - length < floor) continue;
      const comparison = this.get("comparing", this.low.slice(start - length, start).join(" "));
      if (comparison !== undefined) return { start: start - length, currency, comparison, sign };
    }
    return { start, currency, comparison: "", sign };
  }

  currency(place, floor) {
    const before = place - 1 - (this.word(place - 1) === "." && this.word(place - 2) === "rs");
    const currency = before >= floor ? this.get("currencies", this.low[before]) : undefined;
    return currency ? [before, currency] : [place, ""];
  }

  sign(place, floor) {
    const before = place - 1;
    if (before < floor) return ["", place];
    const word = this.low[before];
    if (word === "minus" || word === "negative") return ["-", before];
    if (word === "\u00b1") return ["\u00b1", before];
    const isMinus = "-\u2212\u2010\u2011\u2013".includes(word) && this.follows(place) && !this.joins(before, floor);
    return isMinus ? ["-", before] : ["", place];
  }

  // True if a dash joins a token to the one before it: "10-20", "COVID-19", "2 am -5 am".
  joins(place, floor) {
    if (place === floor && floor > 0) return true;
    const closes = place > 0 && (this.kind[place - 1] !== "sign" || "-)]}.".includes(this.raw[place - 1]));
    return this.follows(place) && closes;
  }
}

// All amounts of a prepared text: certain ones, and words such as "one" that count only if the other text has them.
class Amounts {
  constructor(text, words) {
    this.surely = [];
    this.perhaps = [];
    const hint = anyOf(`[\\p{Nd}${words.tables.han_digits}]|(?<![\\p{L}\\p{N}_])[IVX]+(?![\\p{L}\\p{N}_])`, "u");
    const isHinted = hint.test(text) || (text.toLowerCase().match(/[a-z]+/g) ?? []).some((word) => words.sets.counting.has(word));
    for (const one of isHinted ? this.found(new AmountReader(text, words)) : []) {
      const amount = [one.comparison, one.value, one.unit, one.half].filter(Boolean).join(" ");
      (one.sure ? this.surely : this.perhaps).push(amount);
    }
  }

  found(reader) {
    const found = [];
    for (let place = 0, floor = 0; place < reader.raw.length; ) {
      const one = reader.amount(place, floor);
      if (one) {
        found.push(one);
        place = floor = one.end;
      } else {
        place++;
      }
    }
    return this.ranges(reader, this.listed(reader, found));
  }

  // The amounts of a list have its unit: "500 and 1000 rupees".
  listed(reader, found) {
    const shared = (place, step) => {
      const one = found[place], other = found[place + step];
      const between = reader.low.slice(Math.min(one.end, other.end), Math.max(one.start, other.start));
      const isList = between.length <= 2 && between.every((word) => LISTING.has(word));
      if (one.unit && !other.unit && other.sure && isList) found[place + step] = { ...other, unit: one.unit };
    };
    for (let place = found.length - 1; place > 0; place--) shared(place, -1);
    for (let place = 0; place < found.length - 1; place++) shared(place, 1);
    return found;
  }

  // Two amounts joined by "to" or a dash are one: "5 to 10 mg" is "5-10 mg".
  ranges(reader, found) {
    const chains = [];
    for (const one of found) {
      const chain = chains[chains.length - 1], before = chain?.[chain.length - 1];
      if (before && one.sure && before.sure && this.isRange(reader, before, one)) chain.push(one);
      else chains.push([one]);
    }
    return chains.map((chain) => {
      if (chain.length === 1) return chain[0];
      const value = chain.map((one) => (one.half ? `${one.value} ${one.half}` : one.value)).join("-");
      return { ...chain[0], end: chain[chain.length - 1].end, value, unit: chain.find((one) => one.unit)?.unit ?? "", half: "" };
    });
  }

  isRange(reader, one, other) {
    const between = reader.low.slice(one.end, other.start);
    if (between.length !== 1 || (one.unit && other.unit && one.unit !== other.unit)) return false;
    return TO.has(between[0]) || (between[0] === "and" && reader.word(one.start - 1) === "between");
  }

  isSame(other) {
    const lacking = (one, two, allowed) => {
      const left = [...two, ...allowed];
      return one.every((amount) => {
        const place = left.indexOf(amount);
        if (place >= 0) left.splice(place, 1);
        return place >= 0;
      });
    };
    return lacking(this.surely, other.surely, other.perhaps) && lacking(other.surely, this.surely, this.perhaps);
  }
}

"use strict";
// Words of a text for the search by words, as textkin.text.baselines.analysers finds them.
// What a character is comes from the file's tables, which Python made.

// Blanks as Python's \s has them, for a class of characters: JavaScript's lacks some, and has U+FEFF.
const BLANKS = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const BLANK = new RegExp(`[${BLANKS}]`), UNBROKEN = new RegExp(`[^${BLANKS}]+`, "gu");
const AROUND = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, "g");

const anyOf = (pattern, flags = "gu") => new RegExp(pattern, flags);
const isAscii = (text) => !/[^\x00-\x7f]/.test(text);

class WordForms {
  constructor(tables) {
    this.folds = new Map(tables.folds);
    this.dropped = anyOf(tables.dropped);
    this.apart = anyOf(tables.apart);
    this.digits = anyOf(tables.digits);
    this.points = anyOf(tables.points);
  }

  casefold(text) {
    const low = text.replace(/[A-Z]+/g, (found) => found.toLowerCase());
    return isAscii(low) ? low : low.replace(/[^\x00-\x7f]/gu, (one) => this.folds.get(one) ?? one);
  }

  compatible(text) {
    if (text.normalize("NFKC") === text) return text;
    return text.replace(this.apart, " $& ").replace(this.digits, " ").normalize("NFKC");
  }

  of(text) {
    if (isAscii(text)) return text.toLowerCase();
    const folded = this.casefold(this.compatible(text.replace(this.dropped, ""))).replaceAll("i\u0307", "i");
    return folded.replace(this.points, "").normalize("NFC");
  }
}

class Analyser {
  constructor(tables, stemmer) {
    this.forms = new WordForms(tables);
    this.runs = anyOf(`[A-Za-z0-9_${tables.letters}][A-Za-z0-9_${tables.letters}${tables.marks}]*`);
    this.leadingMarks = anyOf(`^[${tables.marks}]+`, "u");
    this.paired = anyOf(tables.paired, "u");
    this.word = anyOf(tables.word, "u");
    this.parts = anyOf(`${tables.paired}+|[^${tables.paired.slice(1)}+`);
    this.accents = new Map(tables.accents);
    this.language = tables.language;
    this.leftOut = new Set(tables.stop_words);
    this.stemmer = stemmer;
    this.known = new Map();
  }

  words(text) {
    const form = this.forms.of(text);
    if (isAscii(form)) return form.match(/\w+/g) ?? [];
    const runs = form.match(this.runs) ?? [];
    return this.paired.test(form) ? runs.flatMap((run) => this.cut(run)) : runs;
  }

  cut(run) {
    return run.match(this.parts).flatMap((part) => {
      if (this.paired.test(part)) return this.pairs(Array.from(part));
      const word = part.replace(this.leadingMarks, "");
      return word ? [word] : [];
    });
  }

  pairs(characters) {
    const found = [];
    characters.forEach((one, place) => {
      if (place) found.push(characters[place - 1] + one);
      if (characters.length === 1 || this.word.test(one)) found.push(one);
    });
    return found;
  }

  terms(word) {
    let found = this.known.get(word);
    if (found === undefined) this.known.set(word, (found = this.analysed(word)));
    return found;
  }

  analysed(word) {
    if (!this.stemmer) return [word.replaceAll("\u0131", "i")];
    if (this.leftOut.has(word)) return [];
    return [this.withoutAccents(this.stemmer(this.language === "english" ? this.withoutAccents(word) : word))];
  }

  withoutAccents(word) {
    if (isAscii(word)) return word;
    const plain = Array.from(word, (one) => this.accents.get(one) ?? one).join("");
    return Array.from(plain, (one) => {
      const base = String.fromCodePoint(one.normalize("NFD").codePointAt(0));
      return isAscii(base) ? base : one;
    }).join("");
  }

  termsOf(text) {
    return this.words(text).flatMap((word) => this.terms(word));
  }
}

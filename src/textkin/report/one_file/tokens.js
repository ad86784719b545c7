"use strict";
// Tokens of a text, and its unknown parts, as textkin.text.tokenizer_pipeline reads them.
// Places count characters, not the units of JavaScript's strings.

class UnknownParts {
  constructor(tables, forms) {
    this.forms = forms;
    this.invisible = anyOf(tables.invisible);
    this.suspect = anyOf(tables.suspect, "u");
    this.counting = anyOf(`^[0-9A-Za-z${tables.counting}]`, "u");
  }

  isSuspect(text) {
    return !isAscii(text) && this.suspect.test(text);
  }

  counts(character) {
    return this.counting.test(character);
  }

  // The form in which parts of texts are compared.
  partOf(raw) {
    return this.forms.casefold(raw.replace(this.invisible, "").normalize("NFKC")).replace(AROUND, "") || raw;
  }

  // The unknown parts of a text of these characters with these tokens.
  in(characters, spans) {
    const found = [];
    let isTouching = false;
    for (const { start, end, known, size } of this.withDropped(characters, spans)) {
      const last = found[found.length - 1];
      if (known) {
        isTouching = false;
      } else if (isTouching && !characters.slice(last.end, start).some((one) => BLANK.test(one))) {
        last.end = end;
        last.size += size;
      } else if (start < end) {
        found.push({ start, end, size: 1 });
        isTouching = true;
      }
    }
    return found.map((one) => ({ ...one, part: this.partOf(characters.slice(one.start, one.end).join("")) }));
  }

  // The tokens, and the dropped characters between them that count, which have size 0.
  *withDropped(characters, spans) {
    let from = 0;
    for (const span of [...spans, { start: characters.length, end: characters.length, isEnd: true }]) {
      for (let place = from; place < span.start; place++) {
        if (this.counts(characters[place])) yield { start: place, end: place + 1, known: false, size: 0 };
      }
      if (!span.isEnd) yield { ...span, size: 1 };
      from = Math.max(from, span.end);
    }
  }
}

class WordPiece {
  constructor(tables, unknown) {
    this.parts = unknown;
    this.ids = new Map(tables.tokens.map((token, id) => [token, id]));
    this.unknownId = this.ids.get(tables.unknown) ?? -1;
    this.prefix = tables.prefix;
    this.longest = tables.longest;
    this.added = tables.added.length ? anyOf(tables.added.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")) : null;
    this.changes = new Map(tables.changes);
    this.dropped = anyOf(tables.dropped, "u");
    this.blank = anyOf(tables.blank, "u");
    this.spaced = anyOf(tables.spaced, "u");
    this.alone = anyOf(tables.alone, "u");
    this.splitsHangul = tables.hangul;
    this.known = new Map();
  }

  normalised(character) {
    const changed = this.changes.get(character);
    if (changed !== undefined || isAscii(character)) return changed ?? character;
    if (this.dropped.test(character)) return "";
    if (this.spaced.test(character)) return ` ${character} `;
    return this.splitsHangul && /[\uac00-\ud7a3]/.test(character) ? character.normalize("NFD") : character;
  }

  // The words of a piece of text between added tokens: their letters, and the place of each.
  *split(characters, start, end) {
    let word = [];
    for (let place = start; place < end; place++) {
      for (const letter of this.normalised(characters[place])) {
        const isAlone = this.alone.test(letter);
        if (word.length && (isAlone || this.blank.test(letter))) {
          yield word;
          word = [];
        }
        if (isAlone) yield [{ letter, place }];
        else if (!this.blank.test(letter)) word.push({ letter, place });
      }
    }
    if (word.length) yield word;
  }

  pieces(word) {
    const whole = [{ id: this.unknownId, start: word[0].place, end: word[word.length - 1].place + 1 }];
    if (word.length > this.longest) return whole;
    const found = [];
    for (let start = 0; start < word.length; ) {
      let end = word.length, id;
      for (; end > start; end--) {
        const letters = word.slice(start, end).map((one) => one.letter).join("");
        id = this.ids.get(start ? this.prefix + letters : letters);
        if (id !== undefined) break;
      }
      if (id === undefined) return whole;
      found.push({ id, start: word[start].place, end: word[end - 1].place + 1, letters: end - start });
      start = end;
    }
    return found;
  }

  // The tokens of a text in words.
  words(characters) {
    const text = characters.join(""), found = [];
    let from = 0;
    const upTo = (place) => {
      for (const word of this.split(characters, from, place)) found.push(this.pieces(word));
    };
    for (const match of this.added ? text.matchAll(this.added) : []) {
      const start = Array.from(text.slice(0, match.index)).length, end = start + Array.from(match[0]).length;
      upTo(start);
      found.push([{ id: this.ids.get(match[0]), start, end }]);
      from = end;
    }
    upTo(characters.length);
    return found;
  }

  isKnown(word, token, characters) {
    if (token.id === this.unknownId) return false;
    const held = characters.slice(word[0].start, word[word.length - 1].end).join("");
    if (word.length > 1 && word.every((one) => one.letters === 1) && this.parts.isSuspect(held)) return false;
    const own = characters.slice(token.start, token.end);
    return !own.some((one) => this.parts.isSuspect(one) && this.parts.counts(one) && this.normalised(one) === "");
  }

  // The tokens of a piece between spaces, and its unknown parts. Texts repeat their words, so these are kept.
  piece(text) {
    let found = this.known.get(text);
    if (found === undefined) {
      if (this.known.size > 100_000) this.known.clear();
      this.known.set(text, (found = this.read(Array.from(text))));
    }
    return found;
  }

  read(characters) {
    const words = this.words(characters), tokens = words.flat();
    const isOdd = this.parts.isSuspect(characters.join("")) || tokens.some((one) => one.id === this.unknownId);
    if (!isOdd) return { tokens, unknown: [], size: characters.length };
    const spans = words.flatMap((word) =>
      word.map((token) => ({ ...token, known: this.isKnown(word, token, characters) })));
    const unknown = this.parts.in(characters, spans);
    return { tokens: spans.filter((one) => one.known), unknown, size: characters.length };
  }

  pieced(text) {
    const tokens = [], unknown = [];
    let from = 0;
    const moved = (one) => ({ ...one, start: one.start + from, end: one.end + from });
    for (const piece of text.split(" ")) {
      const read = this.piece(piece);
      for (const one of read.tokens) tokens.push(moved(one));
      for (const one of read.unknown) unknown.push(moved(one));
      from += read.size + 1;
    }
    return { text, tokens, unknown };
  }

  // The tokens of a text. Unknown words are looked up again in their compatible form.
  of(text) {
    const first = this.pieced(text);
    if (!first.unknown.length || text.normalize("NFKC") === text) return first;
    const again = text.replace(UNBROKEN, (word) => {
      const form = this.parts.forms.compatible(word);
      return form !== word && this.piece(word).unknown.length ? form : word;
    });
    return again === text ? first : this.pieced(again);
  }
}

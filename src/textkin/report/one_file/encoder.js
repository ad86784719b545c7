"use strict";
// Vectors of texts: the mean of the vectors of their tokens, unknown ones included, with unit length.

const OWN_SPELLING = 0.2; // the least part of an unknown word's vector that comes from its spelling alone
const MOST_SPELT = 50_000; // letters of a part whose n-grams count
const UTF8 = new TextEncoder();

function ngramsOf(word, low, high) {
  const marked = ["<", ...Array.from(word).slice(0, MOST_SPELT), ">"], found = [];
  for (let start = 0; start < marked.length; start++) {
    for (let end = start + low; end <= Math.min(start + high, marked.length); end++) {
      const ngram = marked.slice(start, end).join("");
      if (!"<>".includes(ngram)) found.push(ngram);
    }
  }
  return found;
}

class StaticEncoder {
  constructor(file, tokens) {
    this.tokens = tokens;
    this.facts = file.facts.encoder;
    this.dim = this.facts.dim;
    this.rows = file.tensor("rows");
    this.scales = file.has("scales") ? file.tensor("scales") : null;
    this.ngrams = file.has("ngrams") ? file.tensor("ngrams") : null;
    this.made = new Map();
    this.directions = new Map();
  }

  // Add a token's vector to a sum.
  add(id, sum) {
    const scale = this.scales ? this.scales[id] : 1;
    for (let at = 0, from = id * this.dim; at < this.dim; at++) sum[at] += Math.fround(this.rows[from + at] * scale);
  }

  vectorOf(id) {
    const found = new Float64Array(this.dim);
    this.add(id, found);
    return found;
  }

  direction(text) {
    let found = this.directions.get(text);
    if (found === undefined) {
      if (this.directions.size > 20_000) this.directions.clear();
      found = Float64Array.from(shake(UTF8.encode(text), this.dim), (word) => word / 2 ** 31 - 1);
      this.directions.set(text, found);
    }
    return found;
  }

  spelt(part) {
    const total = this.direction(`whole ${part}`).map((one) => 4 * one);
    for (const ngram of ngramsOf(part, 1, 3)) {
      const weight = Array.from(ngram).length, own = this.direction(ngram);
      for (let at = 0; at < this.dim; at++) total[at] += weight * own[at];
    }
    const length = Math.max(Math.hypot(...total), 1e-9);
    return total.map((one) => Math.fround(one / length));
  }

  fitted(part) {
    const { scale, lengths: [low, high], buckets } = this.facts.ngrams;
    const found = new Float64Array(this.dim), ngrams = ngramsOf(part, low, high);
    for (const ngram of ngrams) {
      const from = Number(blake64(UTF8.encode(ngram)) % BigInt(buckets)) * this.dim;
      for (let at = 0; at < this.dim; at++) found[at] += Math.fround(this.ngrams[from + at] * scale);
    }
    return ngrams.length ? found.map((one) => one / ngrams.length) : found;
  }

  // The vector of an unknown part of so many tokens.
  unknown(part, size) {
    const key = `${size} ${part}`;
    let found = this.made.get(key);
    if (found === undefined) {
      if (this.made.size > 10_000) this.made.clear();
      this.made.set(key, (found = this.makeUnknown(part, size)));
    }
    return found;
  }

  makeUnknown(part, size) {
    const length = this.facts.length * Math.sqrt(size), own = this.spelt(part);
    if (!this.ngrams || this.tokens.parts.isSuspect(part)) return own.map((one) => one * length);
    const found = this.fitted(part).map((one) => one * Math.sqrt(size));
    const there = Math.min(Math.hypot(...found) / length, 1);
    const missing = Math.max(OWN_SPELLING, Math.sqrt(1 - there ** 2));
    return found.map((one, at) => one + length * missing * own[at]);
  }

  // The tokens of a text and their vectors.
  addends(text, prompt = "") {
    const read = this.tokens.of(prompt + text);
    const known = read.tokens.map((one) => ({ ...one, vector: this.vectorOf(one.id) }));
    const more = read.unknown.map((one) => ({ ...one, vector: this.unknown(one.part, one.size) }));
    return { text: read.text, parts: [...known, ...more].sort((one, other) => one.start - other.start) };
  }

  encode(text, prompt = "") {
    const read = this.tokens.of(prompt + text);
    const sum = new Float64Array(this.dim);
    for (const { id } of read.tokens) this.add(id, sum);
    for (const { part, size } of read.unknown) {
      const own = this.unknown(part, size);
      for (let at = 0; at < this.dim; at++) sum[at] += own[at];
    }
    return unit(sum);
  }
}

function unit(sum) {
  const length = Math.sqrt(sum.reduce((total, one) => total + one * one, 0));
  return Float32Array.from(sum, (one) => (length ? one / length : 0));
}

"use strict";
// A collection as the file holds it, ready for questions.

class Collection {
  constructor(file, makeStemmer) {
    const { facts } = file;
    this.facts = facts;
    this.metadata = facts.metadata.map((own, number) => readable(own, facts.written[number]));
    this.analyser = new Analyser(facts.words, makeStemmer);
    const unknown = new UnknownParts(facts.encoder.unknown, this.analyser.forms);
    this.encoder = new StaticEncoder(file, new WordPiece(facts.encoder.tokenizer, unknown));
    this.ranker = new Ranker(file, this.encoder, this.analyser, this.vectors(file));
    this.matcher = new Matcher(file, this.ranker, new Guards(facts.guards, this.analyser.forms));
  }

  // The vectors of all entries, from their tokens; those with unknown tokens stand in the file as they are.
  vectors(file) {
    const tokens = file.tensor("tokens"), ends = file.tensor("ends"), { dim } = this.encoder;
    const found = new Float32Array(ends.length * dim), sum = new Float64Array(dim);
    for (let number = 0, at = 0; number < ends.length; number++) {
      sum.fill(0);
      for (; at < ends[number]; at++) this.encoder.add(tokens[at], sum);
      found.set(unit(sum), number * dim);
    }
    const rows = file.tensor("own_rows"), own = file.tensor("own_vectors");
    rows.forEach((number, place) => found.set(own.subarray(place * dim, (place + 1) * dim), number * dim));
    return found;
  }

  // True for each entry that a filter lets through; null for all.
  allowed(where) {
    if (!where || !where.trim()) return null;
    const filter = new Filter(where, this.facts.number);
    return this.metadata.map((metadata) => filter.matches(metadata));
  }

  // Names in a filter that no entry has, in words.
  filterNotes(where) {
    const names = where && where.trim() ? new Filter(where, this.facts.number).names : [];
    const missing = [...names].filter((name) => !this.metadata.some((metadata) => metadata.has(name))).sort(textOrder);
    return missing.map((name) => `No entry has the metadata “${name}”, which the filter asks for.`);
  }

  entry(number) {
    return { id: this.facts.ids[number], text: this.facts.texts[number], metadata: this.facts.metadata[number] };
  }

  // The hits of a query, best first. Options are k, mode ("hybrid", "words" or "vectors") and where.
  search(query, { k = 10, mode = "hybrid", where = "" } = {}) {
    const hits = this.ranker.search(query, { k, mode, allowed: this.allowed(where) });
    return Object.assign(hits.map((hit) => ({ ...this.entry(hit.number), ...hit })), { answered: hits.answered ?? null });
  }

  // The verdict on a new text, and the entries near it.
  match(text) {
    const found = this.matcher.match(text);
    const whole = (one) => one && { ...this.entry(one.number), ...one };
    return { ...found, nearest: whole(found.nearest), near: found.near.map(whole) };
  }

  // What each part of two texts adds to their cosine.
  agreement(text, other, { isQuery = false } = {}) {
    const { facts } = this.encoder;
    const sides = [this.encoder.addends(text, isQuery ? facts.query : facts.text), this.encoder.addends(other, facts.text)];
    const sums = sides.map(({ parts }) => {
      const sum = new Float64Array(this.encoder.dim);
      for (const { vector } of parts) vector.forEach((one, at) => { sum[at] += one; });
      return sum;
    });
    const lengths = sums.map((sum) => Math.hypot(...sum) || 1);
    return sides.map(({ text: read, parts }, place) => ({
      text: read,
      parts: parts.map(({ start, end, vector }) => {
        const product = vector.reduce((total, one, at) => total + one * sums[1 - place][at], 0);
        return { start, end, share: product / (lengths[0] * lengths[1]) };
      }),
    }));
  }

  // What each word of a query adds to an entry's score by words.
  wordShares(query, number) {
    const { postings } = this.ranker, words = this.analyser.words(query), shares = new Map();
    for (const word of words) {
      const share = this.analyser.terms(word).reduce((total, term) => total + postings.share(term, number), 0);
      shares.set(word, (shares.get(word) ?? 0) + share);
    }
    return [...shares].map(([word, share]) => ({ word, share }));
  }
}

async function openedCollection(base64) {
  const makeStemmer = typeof LanguageStemmer === "undefined" ? null : (word) => new LanguageStemmer().stem(word);
  return new Collection(await unpacked(base64), makeStemmer);
}

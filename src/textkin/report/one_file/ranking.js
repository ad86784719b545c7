"use strict";
// Rankings of entries by words, by vectors and by both, as textkin.collection.search makes them.

const K1 = 1.5, B = 0.75, RRF_K = 60;

// Entries are numbered by falling id, so that the lower number comes first among equal scores.
const ranked = (numbers, scores) => numbers.sort((one, other) => scores[other] - scores[one] || one - other);

// The numbers with the best scores, best first. Few of many are among the best so far, so they are put in place.
function bestOf(scores, count, allowed) {
  const best = [];
  let least = -Infinity;
  for (let number = 0; number < scores.length; number++) {
    const score = scores[number];
    if (!(score > least) || (allowed && !allowed[number])) continue;
    let low = 0;
    for (let high = best.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (scores[best[middle]] >= score) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, number);
    if (best.length > count) best.pop();
    if (best.length === count) least = scores[best[count - 1]];
  }
  return best;
}

class Postings {
  constructor(file) {
    this.numbers = new Map(file.facts.terms.map((term, number) => [term, number]));
    this.offsets = file.tensor("offsets");
    this.documents = file.tensor("documents");
    this.counts = file.tensor("counts");
    this.lengths = file.tensor("lengths");
    for (let term = 0; term < this.offsets.length - 1; term++) {
      for (let at = this.offsets[term] + 1; at < this.offsets[term + 1]; at++) this.documents[at] += this.documents[at - 1];
    }
    const words = this.lengths.reduce((total, one) => total + one, 0);
    this.flat = K1 * (1 - B);
    this.slope = (K1 * B) / (words ? words / this.lengths.length : 1);
    this.scores = new Float64Array(this.lengths.length);
  }

  holders(number) {
    return number === undefined ? 0 : this.offsets[number + 1] - this.offsets[number];
  }

  weight(term) {
    const held = this.holders(this.numbers.get(term));
    return Math.log1p((this.lengths.length - held + 0.5) / (held + 0.5));
  }

  // What a term adds to an entry's score.
  share(term, document) {
    const number = this.numbers.get(term);
    for (let at = this.offsets[number]; number !== undefined && at < this.offsets[number + 1]; at++) {
      if (this.documents[at] === document) return this.gain(this.weight(term), this.counts[at], document);
    }
    return 0;
  }

  gain(weight, count, document) {
    return (weight * count) / (count + (this.flat + this.slope * this.lengths[document]));
  }

  // The score of each entry by these terms, minus infinity without any of them.
  score(terms) {
    const clauses = terms.filter((term) => this.numbers.has(term)).map((term) => [this.numbers.get(term), this.weight(term)]);
    clauses.sort((one, other) => other[1] - one[1]);
    this.scores.fill(0);
    for (const [number, weight] of clauses) {
      for (let at = this.offsets[number]; at < this.offsets[number + 1]; at++) {
        this.scores[this.documents[at]] += this.gain(weight, this.counts[at], this.documents[at]);
      }
    }
    const found = new Float32Array(this.scores.length);
    for (let document = 0; document < found.length; document++) found[document] = this.scores[document] || -Infinity;
    return found;
  }
}

class Ranker {
  constructor(file, encoder, analyser, vectors) {
    this.encoder = encoder;
    this.analyser = analyser;
    this.postings = new Postings(file);
    this.fitted = file.facts.fitted;
    this.vectors = vectors;
    this.count = file.facts.ids.length;
    this.squares = new Float64Array(this.count);
    for (let number = 0; number < this.count; number++) this.squares[number] = this.product(vectors, vectors, number, number);
  }

  product(one, other, row = 0, column = 0) {
    const { dim } = this.encoder;
    let total = 0;
    for (let at = 0, from = row * dim, to = column * dim; at < dim; at++) total += one[from + at] * other[to + at];
    return total;
  }

  // The cosine of a vector with each entry; minus infinity for a zero vector.
  cosines(vector) {
    const square = this.product(vector, vector), found = new Float32Array(this.count);
    if (!square) return found.fill(-Infinity);
    const { vectors, squares } = this, { dim } = this.encoder, asked = Float64Array.from(vector);
    for (let number = 0, from = 0; number < this.count; number++, from += dim) {
      let even = 0, odd = 0; // two sums, since each addition waits for the one before it
      for (let at = 0; at < dim; at += 2) {
        even += asked[at] * vectors[from + at];
        odd += asked[at + 1] * vectors[from + at + 1];
      }
      found[number] = squares[number] ? (even + odd) / Math.sqrt(square * squares[number]) : 0;
    }
    return found;
  }

  // Both rankings to a depth. More entries than that may tie at the last score by words; those that are near
  // by their vectors are listed, too.
  both(query, depth, allowed) {
    const words = this.postings.score(this.analyser.termsOf(query));
    const cosines = this.cosines(this.encoder.encode(query, this.encoder.facts.query));
    const byWords = bestOf(words, depth + 1, allowed);
    const byVectors = bestOf(cosines, depth, allowed);
    if (byWords.length > depth) {
      const last = words[byWords[depth - 1]], isTied = words[byWords[depth]] === last;
      byWords.length = depth;
      const listed = new Set(byWords);
      if (isTied) byWords.push(...byVectors.filter((number) => !listed.has(number) && words[number] === last));
    }
    return { words, cosines, byWords, byVectors };
  }

  search(query, { k = 10, mode = "hybrid", allowed = null } = {}) {
    if (mode === "words") {
      const scores = this.postings.score(this.analyser.termsOf(query));
      return this.hits(bestOf(scores, k, allowed), scores, { words: scores });
    }
    if (mode === "vectors") {
      const scores = this.cosines(this.encoder.encode(query, this.encoder.facts.query));
      return this.hits(bestOf(scores, k, allowed), scores, { cosines: scores });
    }
    const depth = this.fitted && k <= this.fitted.depth ? this.fitted.depth : Math.max(2 * k, 100);
    const found = this.both(query, depth, allowed);
    const pool = new Pool(found, this.fitted);
    const ranking = ranked([...pool.numbers], pool.scores);
    const isTold = this.fitted && k <= this.fitted.depth;
    const told = isTold ? pool.probabilities(ranking.slice(0, this.fitted.hits), query) : null;
    const hits = this.hits(ranking.slice(0, k), pool.scores, found);
    if (told) hits.forEach((hit, place) => { hit.probability = told.hits[place] ?? null; });
    return Object.assign(hits, { answered: told && told.answered });
  }

  hits(numbers, scores, { words, cosines }) {
    return numbers.map((number) => ({
      number,
      score: scores[number],
      words: words && words[number] > -Infinity ? words[number] : 0,
      cosine: cosines ? cosines[number] : null,
    }));
  }
}

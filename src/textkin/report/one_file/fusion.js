"use strict";
// Two rankings as one, and the probabilities of its hits, as textkin.collection.search.rank_fusion has them.

const BITS = new DataView(new ArrayBuffer(4));
const SURE = 1e-6, LEAST_LOG = 1e-4;

// Whole numbers in the order of single-precision scores, and back.
const rising = (score) => {
  BITS.setFloat32(0, score + 0);
  const bits = BITS.getUint32(0);
  return bits & 0x80000000 ? ~bits >>> 0 : (bits | 0x80000000) >>> 0;
};
const ofRising = (number) => {
  BITS.setUint32(0, number & 0x80000000 ? (number ^ 0x80000000) >>> 0 : ~number >>> 0);
  return BITS.getFloat32(0);
};

// The rank of each entry from 1; ties share their mean.
function places(numbers, scores) {
  const sorted = [...numbers].sort((one, other) => scores[other] - scores[one]), found = new Map();
  for (let start = 0, end; start < sorted.length; start = end) {
    for (end = start; end < sorted.length && scores[sorted[end]] === scores[sorted[start]]; ) end++;
    for (let at = start; at < end; at++) found.set(sorted[at], start + (end - start + 1) / 2);
  }
  return found;
}

const linear = ({ locations, scales, weights, intercept, logs }, values) =>
  weights.reduce((total, weight, at) => {
    const own = logs ? Math.log(Math.max(values[at], LEAST_LOG)) : values[at];
    return total + weight * ((own - locations[at]) / scales[at]);
  }, intercept);
const logistic = (model, values) => 1 / (1 + Math.exp(-linear(model, values)));

class Pool {
  constructor({ words, cosines, byWords, byVectors }, fitted) {
    this.fitted = fitted;
    this.rankings = [[byWords, words], [byVectors, cosines]].map(([numbers, scores]) => ({
      numbers: new Set(numbers),
      scores,
      places: places(numbers, scores),
      lowest: numbers.length ? Math.min(...numbers.map((number) => scores[number])) : 0,
    }));
    this.numbers = new Set([...byWords, ...byVectors]);
    this.scores = this.decided();
  }

  value(ranking, number) {
    return ranking.numbers.has(number) ? ranking.scores[number] : ranking.lowest;
  }

  combined(number) {
    if (this.fitted) return linear(this.fitted.combination, this.rankings.map((one) => this.value(one, number)));
    return this.rankings.reduce((total, one) => {
      const place = one.places.get(number);
      return place === undefined ? total : total + 1 / (RRF_K + place);
    }, 0);
  }

  // Combined scores; ties are broken by the cosine, to the next lower number.
  decided() {
    const vectors = this.rankings[1];
    const rows = [...this.numbers].map((number) => {
      const last = vectors.numbers.has(number) ? vectors.scores[number] : -Infinity;
      return { number, key: rising(this.combined(number)), last };
    });
    rows.sort((one, other) => other.key - one.key || other.last - one.last || 0);
    const found = {}; // by number
    let before = null, value = Infinity;
    for (const row of rows) {
      const differs = !before || row.key !== before.key || row.last !== before.last;
      value = Math.min(row.key, differs ? value - 1 : value);
      found[row.number] = ofRising(value);
      before = row;
    }
    return found;
  }

  // The probability that each hit is relevant, and that any is.
  probabilities(numbers, query) {
    const { hit, answer } = this.fitted;
    const asked = Math.log1p((query.match(UNBROKEN) ?? []).length);
    const leads = this.rankings.map((one) => this.leads(one));
    const told = numbers.map((number) => {
      const features = this.rankings.flatMap((one, at) => {
        const listed = one.numbers.has(number);
        const place = listed ? one.places.get(number) : one.numbers.size + 1;
        return [this.value(one, number), leads[at].get(number), Math.log(place), listed ? 0 : 1];
      });
      return logistic(hit, [...features, asked]);
    });
    if (!told.length) return { hits: [], answered: 0 };
    const bounded = told.map((one) => Math.min(Math.max(one, SURE), 1 - SURE));
    const best = Math.max(...bounded.map((one) => Math.log(one) - Math.log1p(-one)));
    const none = bounded.reduce((total, one) => total + Math.log1p(-one), 0);
    return { hits: told, answered: logistic(answer, [best, Math.log(-Math.expm1(none)) - none]) };
  }

  // Each score minus that of the best other entry; 0 if there is none.
  leads(ranking) {
    const rows = [...this.numbers].map((number) => [number, this.value(ranking, number)]);
    const sorted = rows.map(([, score]) => score).sort((one, other) => other - one);
    if (rows.length < 2) return new Map(rows.map(([number]) => [number, 0]));
    let isFirst = true;
    return new Map(rows.map(([number, score]) => {
      const leads = score === sorted[0] && isFirst;
      if (leads) isFirst = false;
      return [number, score - (leads ? sorted[1] : sorted[0])];
    }));
  }
}

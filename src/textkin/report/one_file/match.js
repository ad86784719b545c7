"use strict";
// The verdict on a new text, as textkin.collection.match finds it: duplicate, new, or ask a person.

const FIRST = 16, MORE = 4, ROUNDING = 1e-6;

class Matcher {
  constructor(file, ranker, guards) {
    this.ranker = ranker;
    this.guards = guards;
    this.rule = file.facts.rule;
    this.texts = file.facts.texts;
    this.linked = file.tensor("linked");
    this.hashed = file.tensor("hashed");
    this.sameText = new Map();
    this.texts.forEach((text, number) => {
      if (this.isHashed(number)) this.sameText.set(text, number);
    });
  }

  // True if an entry's id says no more than its text.
  isHashed(number) {
    return this.hashed[number] === 1;
  }

  get hasRule() {
    return this.rule.guards !== undefined;
  }

  // The entries nearest to a text, linked ones left out, with the guards that block each.
  near(text, count, floor) {
    const { encoder } = this.ranker;
    const cosines = this.ranker.cosines(encoder.encode(text, encoder.facts.text));
    const names = this.hasRule ? this.rule.guards : [];
    const own = this.sameText.get(text);
    for (let depth = count; ; depth *= MORE) {
      const hits = bestOf(cosines, depth, null);
      const near = hits
        .filter((number) => !this.linked[number] && number !== own)
        .map((number) => ({ number, cosine: cosines[number], guards: this.guards.blocking(text, this.texts[number], names) }));
      const allowed = near.find((one) => !one.guards.length) ?? null;
      const last = hits.length ? cosines[hits[hits.length - 1]] : -1;
      const mayFollow = hits.length === depth && last >= floor - ROUNDING && (!allowed || last > allowed.cosine);
      if (!mayFollow) return { near, allowed, forbidden: near.find((one) => one.guards.length) ?? null };
    }
  }

  // The probability of a duplicate at a cosine, between those that the file tells.
  probability(cosine) {
    if (!this.rule.probabilities) return null;
    const [cosines, probabilities] = this.rule.probabilities;
    const after = Math.min(Math.max(cosines.findIndex((one) => one >= cosine), 1), cosines.length - 1);
    const part = (cosine - cosines[after - 1]) / (cosines[after] - cosines[after - 1]);
    return probabilities[after - 1] + Math.min(Math.max(part, 0), 1) * (probabilities[after] - probabilities[after - 1]);
  }

  match(text) {
    const known = this.sameText.get(text), rule = this.rule;
    const { near, allowed, forbidden } = this.near(text, FIRST, this.hasRule ? rule.floor : 1);
    const one = (found, verdict, probability = null) => ({ verdict, nearest: found, probability, near });
    if (known !== undefined) return one({ number: known, cosine: 1, guards: [] }, this.hasRule ? "duplicate" : null);
    if (!this.hasRule) return one(near[0] ?? null, null);
    const cosine = allowed ? allowed.cosine : -Infinity;
    const isLinked = rule.duplicate_from !== null && cosine >= rule.duplicate_from;
    const isAsked = rule.ask_from !== null && cosine >= rule.ask_from;
    const verdict = isLinked ? "duplicate" : isAsked ? "ask" : "new";
    if (verdict === "new" && forbidden && forbidden.cosine >= rule.floor) return one(forbidden, "ask");
    return one(allowed ?? forbidden, verdict, allowed ? this.probability(allowed.cosine) : null);
  }
}

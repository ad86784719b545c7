"""Pairs of sentences and their negations, made from SNLI's training sample, for the built-in inference model.

    python benchmarks/nli_negations.py snli/snli_train_sample.jsonl --out nli.jsonl

"not" goes behind the first auxiliary verb of a text. A text and its negation contradict each other; a negated
text follows from itself. What follows from a premise is contradicted by it once it is negated, and what
contradicts it follows from it then. The opposite of a word makes a contradiction, too, and so does another
number; that the opposite is not so follows. Of SNLI's own pairs --own are mixed in, so that nothing else is
forgotten.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

_AUXILIARY = re.compile(r"\b(is|are|was|were|can|will|has|have|should)\b(?! not\b|n't)", re.IGNORECASE)
_OPPOSITES = """
black white, young old, big small, happy sad, fast slow, tall tiny, clean dirty, up down, before after,
near far, first last, loud quiet, alone together, day night, summer winter, male female, alive dead,
awake asleep, heavy light, new used, rich poor, safe dangerous, smiling frowning, winning losing,
arriving leaving, pushing pulling, buying selling, remembering forgetting, walking driving, loves hates,
above below, left right, many no
"""
_PAIRS = [pair.split() for pair in _OPPOSITES.split(",")]
_SWAPPED = {word: other for pair in _PAIRS for word, other in (pair, pair[::-1])}
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty")
ENTAILED, NEUTRAL, CONTRADICTED = "entailment", "neutral", "contradiction"
_OF_NEGATED = {ENTAILED: CONTRADICTED, CONTRADICTED: ENTAILED, NEUTRAL: NEUTRAL}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("snli", type=Path)
    parser.add_argument("--own", type=int, default=16_000, help="pairs of SNLI that are mixed in")
    parser.add_argument("--negated", type=int, default=2_000, help="pairs of each kind and label")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    dice = random.Random(0)
    rows = [json.loads(line) for line in asked.snli.read_text(encoding="utf-8").splitlines()]
    pairs = [(row["sentence1"], row["sentence2"], row["gold_label"]) for row in rows]
    pairs = [pair for pair in pairs if pair[2] in _OF_NEGATED]
    dice.shuffle(pairs)
    made = [*pairs[: asked.own]]
    kinds: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for pair in pairs[asked.own :]:
        for kind, found in made_of(*pair, dice):
            kinds.setdefault((kind, found[2]), []).append(found)
    for (kind, label), several in sorted(kinds.items()):
        made += several[: asked.negated]
        print(f"{kind}, {label}: {min(len(several), asked.negated):,}")
    dice.shuffle(made)
    with asked.out.open("w", encoding="utf-8") as out:
        for first, second, label in made:
            out.write(json.dumps({"sentence1": first, "sentence2": second, "gold_label": label}) + "\n")
    print(f"{len(made):,} pairs in all")


def made_of(
    premise: str, text: str, label: str, dice: random.Random
) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The pairs made of one of SNLI's, each with its kind."""
    if (negated := negation(text)) is not None:
        yield "premise and negation", (premise, negated, _OF_NEGATED[label])
        yield "text and negation", (text, negated, CONTRADICTED)
        yield "negation and text", (negated, text, CONTRADICTED)
        yield "negation twice", (negated, negated, ENTAILED)
    if (other := opposite(text)) is not None:
        yield "text and opposite", (text, other, CONTRADICTED)
        yield "opposite twice", (other, other, ENTAILED)
        if (denied := negation(other)) is not None:
            yield "text and opposite denied", (text, denied, ENTAILED)
    if (other := other_number(text, dice)) is not None:
        yield "text and other number", (text, other, CONTRADICTED)
        yield "number twice", (other, other, ENTAILED)
        if label == ENTAILED:
            yield "premise and other number", (premise, other, CONTRADICTED)


def negation(text: str) -> str | None:
    """A text with "not" behind its first auxiliary verb; None without one."""
    found = _AUXILIARY.search(text)
    return None if found is None else f"{text[: found.end()]} not{text[found.end() :]}"


def opposite(text: str) -> str | None:
    """A text with its first word that has an opposite replaced by that; None without such a word."""
    words = text.split(" ")
    for place, word in enumerate(words):
        bare = word.rstrip(".,!?")
        if (other := _SWAPPED.get(bare)) is not None:
            return " ".join([*words[:place], other + word[len(bare) :], *words[place + 1 :]])
    return None


def other_number(text: str, dice: random.Random) -> str | None:
    """A text with its first number drawn anew; None without one."""
    words = text.split(" ")
    for place, word in enumerate(words):
        if word.lower() in _NUMBERS:
            other = dice.choice([one for one in _NUMBERS if one != word.lower()])
            drawn = other.capitalize() if word[0].isupper() else other
            return " ".join([*words[:place], drawn, *words[place + 1 :]])
    return None


if __name__ == "__main__":
    main()

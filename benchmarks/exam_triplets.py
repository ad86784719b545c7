"""Facts with the questions that rest on them, of which an encoder learns what supports an answer.

    python benchmarks/exam_triplets.py DATA --out exam.tsv

DATA is a folder with science-text and qa-pairs. A row is a fact, a question that rests on it, and another
text that does not:

- a question of OpenBookQA's training file, together with the right choice, and with a wrong one drawn;
- a question of QASC or SciTail, and one of the four most similar questions with other facts, drawn.

Draws have seed 0.
"""

import argparse
import csv
import random
from collections.abc import Iterator
from pathlib import Path

from ranker_data import places_by_words

_AMONG, _FOUND = 4, 30


def of_choices(path: Path, drawn: random.Random) -> Iterator[tuple[str, str, str]]:
    """The training questions of OpenBookQA with their facts, each with the right and with a wrong choice."""
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["split"] != "train":
                continue
            choices = row["choices"].split("|")
            right = choices.pop("ABCD".index(row["answer"]))
            wrong = drawn.choice(choices)
            yield row["fact"], f"{row['question']} {right}", f"{row['question']} {wrong}"


def of_pairs(path: Path, drawn: random.Random) -> Iterator[tuple[str, str, str]]:
    """Questions with the fact that answers them, each with a similar question of another fact."""
    cells = [line.split("\t") for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    questions, facts = ([row[place] for row in cells] for place in (1, 2))
    for number, near in enumerate(places_by_words(questions, questions, _FOUND)):
        others = [
            place
            for place in near
            if all(of[place].lower() != of[number].lower() for of in (facts, questions))
        ]
        if others:
            yield facts[number], questions[number], questions[drawn.choice(others[:_AMONG])]


def main() -> None:
    """Write the triplets in random order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    drawn = random.Random(0)
    rows = list(of_choices(options.data / "science-text/openbookqa-with-fact.tsv", drawn))
    for name in ("qasc", "scitail"):
        rows += of_pairs(options.data / f"qa-pairs/{name}.tsv", drawn)
    drawn.shuffle(rows)
    with options.out.open("w", encoding="utf-8", newline="") as out:
        for row in [("anchor", "positive", "negative"), *rows]:
            print(*(" ".join(cell.split()) for cell in row), sep="\t", file=out)
    print(f"{options.out}: {len(rows):,} triplets")


if __name__ == "__main__":
    main()

"""A part of a file of questions with candidates, in WikiQA's form, for trainings that must cost less.

    python benchmarks/fewer_candidates.py squad.tsv --questions 5250 --out part.tsv
    python benchmarks/fewer_candidates.py WikiQA-train.tsv --wrong 5 --out part.tsv

--questions draws so many of the questions. --wrong keeps the right candidates of each question and draws so
many of the others; questions without a right or without a wrong one are dropped, since a list of one kind
teaches nothing. Rows stay in their order. Draws have seed 0.
"""

import argparse
import random
from pathlib import Path

_QUESTION, _LABEL = 0, 6


def drawn_questions(rows: list[list[str]], count: int) -> list[list[str]]:
    """The rows of some of the questions."""
    kept = set(random.Random(0).sample(sorted({row[_QUESTION] for row in rows}), count))
    return [row for row in rows if row[_QUESTION] in kept]


def drawn_wrong(rows: list[list[str]], count: int) -> list[list[str]]:
    """The rows of the right candidates, and of some wrong ones of each question."""
    by_question: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        by_question.setdefault(row[_QUESTION], []).append(place)
    draws, kept = random.Random(0), set[int]()
    for places in by_question.values():
        wrong = [place for place in places if rows[place][_LABEL] != "1"]
        if 0 < len(wrong) < len(places):
            kept.update(set(places) - set(wrong), draws.sample(wrong, min(count, len(wrong))))
    return [row for place, row in enumerate(rows) if place in kept]


def main() -> None:
    """Write the part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--questions", type=int)
    parser.add_argument("--wrong", type=int)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    head, *lines = options.file.read_text(encoding="utf-8").rstrip("\n").split("\n")
    rows = [line.split("\t") for line in lines]
    if options.questions is not None:
        rows = drawn_questions(rows, options.questions)
    if options.wrong is not None:
        rows = drawn_wrong(rows, options.wrong)
    options.out.write_text("\n".join([head, *map("\t".join, rows)]) + "\n", encoding="utf-8", newline="")
    print(f"{options.out}: {len({row[_QUESTION] for row in rows}):,} questions, {len(rows):,} candidates")


if __name__ == "__main__":
    main()

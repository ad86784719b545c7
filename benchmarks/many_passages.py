"""Answers out of all paragraphs of an article, and "no answer" where those that hold it are left out.

    python benchmarks/many_passages.py SQUAD.json [--reader reader] [--questions 9] [--powers 0 1 2 3]

Some questions are drawn from each article, and asked of all its paragraphs. Then they are asked of those that
neither are their own nor have the words of an answer, so that "no answer" is right. The odds that a paragraph
holds an answer are divided by a power of its rank by BM25; with 0 a paragraph counts as the only one. Printed
are the questions answered, those whose best answer is right (has the words of an answer in it, or is among
them), those of "no answer" that are told so, and the mean of both with weights 2 and 1, since a third of the
questions that the threshold was fitted on have no answer. Intervals draw articles.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from setting import show_setting
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.span_answers import answers_by
from textkin.data.span_records import SpanAnswer
from textkin.kinds.systems import load_reader, reader_of
from textkin.models.span_reading import PointsAtSpans
from textkin.verbs.answer.among_passages import none_among, passages_to_read

ROUNDS = 10_000


@dataclass(frozen=True)
class Asked:
    """A question asked of all paragraphs of its article, with the places of those that hold no answer."""

    article: str
    answers: Sequence[str]
    found: Sequence[Sequence[SpanAnswer]]
    ranks: Mapping[int, int]
    others: Sequence[int]

    def best(self, places: Sequence[int], power: float) -> tuple[float, str]:
        """The probability of no answer in some paragraphs, and the best answer."""
        order = sorted(places, key=lambda place: self.ranks[place])
        told = []
        for rank, place in enumerate(order, 1):
            none = next(span.probability for span in self.found[place] if not span.text) or 0.0
            text = next(span.text for span in self.found[place] if span.text)
            told.append((none_among(none, rank, power), text))
        return min(told, default=(1.0, ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--reader", default="reader")
    parser.add_argument("--questions", type=int, default=9, help="of each article")
    parser.add_argument("--powers", type=float, nargs="+", default=[0, 1, 2, 3])
    asked = parser.parse_args()
    show_setting("numpy", "tokenizers")
    questions = ask(asked.data, asked.reader, asked.questions)
    reader = load_reader(asked.reader)
    if not isinstance(reader, PointsAtSpans) or reader.no_answer is None:
        raise SystemExit(f"{asked.reader} has no rule for no answer")
    threshold = reader.no_answer.threshold
    articles = sorted({one.article for one in questions})
    print(f"{len(questions):,} questions of {len(articles)} articles")
    for power in asked.powers:
        rows = np.array([[articles.index(one.article), *judged(one, power, threshold)] for one in questions])
        print(f"power {power:g}: " + ", ".join(figures(rows)), flush=True)


def ask(path: Path, reader_name: str, count: int) -> list[Asked]:
    """Ask questions of each article."""
    data, reader, drawn = read_squad(path).data, reader_of(reader_name, fit_texts=()), random.Random(0)
    asked = []
    articles: dict[str, list[str]] = {}
    for key, passage in data.passages.items():
        articles.setdefault(passage.title, []).append(key)
    for name, keys in sorted(articles.items()):
        texts = [data.passages[key].text for key in keys]
        own = [one for one in data.questions if one.passage_id in set(keys) and one.answers]
        own = drawn.sample(own, min(count, len(own)))
        ranks = passages_to_read([one.question for one in own], texts, None)
        for one, ranked in zip(own, ranks, strict=True):
            answers = sorted({answer.text for answer in one.answers})
            others = [
                place
                for place, (key, text) in enumerate(zip(keys, texts, strict=True))
                if key != one.passage_id and not any(answer.lower() in text.lower() for answer in answers)
            ]
            found = answers_by(reader, [one.question] * len(texts), texts, k=2)
            asked.append(Asked(name, answers, found, ranked, others))
    return asked


def judged(one: Asked, power: float, threshold: float) -> tuple[bool, bool, bool]:
    """Whether an answer is given, whether it is right, and whether "no answer" is told where it is."""
    none, text = one.best(range(len(one.found)), power)
    said = text.lower()
    is_right = any(said in answer.lower() or answer.lower() in said for answer in one.answers)
    return none <= threshold, is_right and none <= threshold, one.best(one.others, power)[0] > threshold


def figures(rows: np.ndarray) -> list[str]:
    """The means with intervals over articles."""
    given, right, none = rows[:, 1:].T
    parts = {"answered": given, "right": right, "no answer told": none, "both": (2 * right + none) / 3}
    articles = np.unique(rows[:, 0])
    draws = np.random.default_rng(0).choice(len(articles), (ROUNDS, len(articles)))
    said = []
    for name, values in parts.items():
        sums = np.array([[values[rows[:, 0] == one].sum(), (rows[:, 0] == one).sum()] for one in articles])
        totals = sums[draws].sum(axis=1)
        low, high = np.quantile(totals[:, 0] / totals[:, 1], [0.025, 0.975])
        said.append(f"{name} {values.mean():.3f} ({low:.3f} to {high:.3f})")
    return said


if __name__ == "__main__":
    main()

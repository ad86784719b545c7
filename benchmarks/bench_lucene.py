"""Exam questions answered by Lucene's classic similarity over a corpus of questions and answers.

Run: ``python benchmarks/bench_lucene.py --corpus qa-pairs/*.tsv --questions training_set.tsv test_set.tsv``

CORPUS: files of id, question, answer. QUESTIONS: the tables of the Allen AI science challenge, with a header.
Printed are the number of excluded leaks; the seconds to index, and for 500 questions with 4 choices each at
the largest K, as the median of turns; then accuracy on all questions for each K, with a 95 % Wilson interval,
and the number of questions without any score, for which the first choice is taken. Last comes the baseline of
the best pair. Absolute seconds depend on the machine and its load.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from setting import show_setting
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import Scores, answers_of, chosen
from textkin.data.readers.question_answers import read_question_answers
from textkin.data.splits.corpus_leaks import corpus_leaks
from textkin.models.choosers.evidence import AnswerCorpus
from textkin.models.choosers.question_answer import (
    BestPairChooser,
    QuestionAnswerChooser,
    Searched,
    Voting,
    silent,
)

KS = (10, 100, 500, 1000, 2000)
TIMED = 500


def questions_of(path: Path) -> Iterator[ChoiceQuestion]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            choices = tuple(row[f"answer{letter}"] for letter in "ABCD")
            yield ChoiceQuestion(row["id"], row["question"], choices, "ABCD".index(row["correctAnswer"]))


def told(name: str, scores: Scores, questions: Sequence[ChoiceQuestion]) -> None:
    """Accuracy with its interval, and the questions without a score."""
    right, count = int((chosen(scores) == answers_of(questions)).sum()), len(questions)
    share, z = right / count, 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    print(
        f"{name:>24}  {100 * share:5.2f} % ({100 * (middle - half):.1f} to {100 * (middle + half):.1f})  "
        f"{int(silent(scores).sum()):5,} without a score",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--questions", type=Path, nargs="+", required=True)
    parser.add_argument("--keep-leaks", action="store_true")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    show_setting("numpy", "scipy", "numba")
    corpus = AnswerCorpus.of(one.data for one in read_question_answers(options.corpus))
    questions = [one for path in options.questions for one in questions_of(path)]
    found = corpus_leaks([one.question for one in questions], corpus.questions)
    print(f"{len(questions):,} questions, {len(corpus):,} pairs")
    told_leaks = f"{len(found.same)} pairs the same, {len(found.near)} nearly"
    print(f"{len(found.questions)} of the questions are in the corpus: {told_leaks}")
    if not options.keep_leaks:
        corpus = corpus.without(found.texts)
    start = time.perf_counter()
    chooser = QuestionAnswerChooser(corpus)
    indexed = time.perf_counter() - start
    seconds = []
    for _ in range(options.turns + 1):  # the first one loads the compiled loops
        start = time.perf_counter()
        chooser.choose_each(questions[:TIMED], KS[-1:])
        seconds.append(time.perf_counter() - start)
    print(
        f"index {indexed:.1f} s; {min(TIMED, len(questions))} questions, K = {KS[-1]:,}: "
        f"{statistics.median(seconds[1:]):.2f} s ({min(seconds[1:]):.2f} to {max(seconds[1:]):.2f})"
    )
    for looked in Searched:
        ready = QuestionAnswerChooser(corpus, voting=Voting(searched=looked))
        for k, scores in zip(KS, ready.choose_each(questions, KS), strict=True):
            told(f"by {looked}, K = {k:,}", scores, questions)
    start = time.perf_counter()
    scores = BestPairChooser(corpus).choose(questions)
    told(f"best pair, {time.perf_counter() - start:.0f} s", scores, questions)


if __name__ == "__main__":
    main()

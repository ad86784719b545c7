from __future__ import annotations

import pytest

from textkin.base.errors import DataError
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.models.choosers.evidence import AnswerCorpus


def test_pairs_of_several_files_and_without_leaks() -> None:
    one = PairSet((Pair("q1", "a1", id_a="7"), Pair("q1", "a1", row=3)), LabelKind.NONE, name="one.tsv")
    other = PairSet((Pair("q2", "a2", row=1),), LabelKind.NONE, name="other.tsv")
    corpus = AnswerCorpus.of([one, other])
    ids = ("one.tsv:7", "one.tsv:3", "other.tsv:1")
    questions, answers = ("q1", "q1", "q2"), ("a1", "a1", "a2")
    assert corpus == AnswerCorpus(ids, questions, answers, "one.tsv, other.tsv")
    assert len(corpus) == 3
    assert corpus.without({0, 1}).ids == ("other.tsv:1",)
    with pytest.raises(DataError, match=r"one.tsv, other.tsv holds questions of the exam and no others"):
        corpus.without(range(3))
    with pytest.raises(DataError, match="the corpus holds no question"):
        AnswerCorpus.of([])

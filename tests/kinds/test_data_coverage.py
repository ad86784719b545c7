"""Truncation and unknown tokens of systems on each kind of data."""

from collections.abc import Sequence

import numpy as np
import pytest

from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.protocols import Side
from textkin.data.records import (
    Candidates,
    CandidateSet,
    DuplicateSet,
    LabelKind,
    Pair,
    PairSet,
    RetrievalSet,
)
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.models.choosers.support import SupportChooser
from textkin.text.baselines import build
from textkin.text.baselines.choosers import FirstChoice, ScoredChoices
from textkin.text.truncation_account import Truncation
from textkin.text.unknown_tokens import Unknown
from textkin.vectors.unknown_token_report import Coverage


class Limited:
    """A system with a limit of two words, which knows those without an x."""

    name, dim, max_tokens, reads_pairs = "limited", 2, 2, False

    def lengths(self, texts: Sequence[str], *, side: Side = Side.DOCUMENT) -> np.ndarray:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def unknown(self, texts: Sequence[str]) -> dict[int, Unknown]:
        found = {place: [word for word in text.split() if "x" in word] for place, text in enumerate(texts)}
        return {
            place: Unknown(tuple(words), (1,) * len(words), len(texts[place].split()))
            for place, words in found.items()
            if words
        }

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.zeros(len(pairs), dtype=np.float32)


class Plain:
    """A system that reports nothing about its input."""

    name = "plain"

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.zeros(len(pairs), dtype=np.float32)


PAIRS = PairSet((Pair("a b c", "a x", 1.0), Pair("a x", "a", 0.0)), LabelKind.BINARY)
COLLECTION = RetrievalSet({"q": "a x"}, {"1": "a b c", "2": "a"}, {"q": {"1": 1}})
DUPLICATES = DuplicateSet({"1": "a b c", "2": "a x", "3": "a"}, (("1", "2"),))


@pytest.mark.parametrize("data", [PAIRS, COLLECTION, DUPLICATES], ids=["pairs", "collection", "duplicates"])
def test_each_kind_of_data_is_counted(data: object) -> None:
    found = accounts_on(data, {"few": [Limited(), Plain()], "plain": [Plain()]})
    (cut,), (known,) = found.truncations, found.coverages
    assert (cut.model, cut.texts, cut.cut, cut.longest) == ("few", 3, 1, 3)
    assert known == Coverage("few", texts=3, with_unknown=1, noticeable=1, unknown_tokens=1)
    first, second = found.sentences()
    assert first.startswith("1 of 3 texts are longer than the 2 tokens that few reads")
    assert second.startswith("few doesn't know 20 % or more of the tokens of 1 of 3 texts")


def test_candidates_are_counted_as_pairs() -> None:
    data = CandidateSet((Candidates("1", "a x", ("2", "3"), ("a b c", "a"), (1, 0)),))
    (known,) = accounts_on(data, {"few": [Limited()]}).coverages
    assert (known.texts, known.noticeable) == (3, 1)


def test_accounts_add_up_and_leave_out_what_is_none() -> None:
    cut, known = Truncation("one", 2, cut=1, limit=2, longest=3, unread=1), Coverage("two", texts=2)
    both = DataCoverage.of([(cut, None)]) + DataCoverage.of([(None, known)])
    assert both == DataCoverage((cut,), (known,))
    assert list(both.sentences()) == [f"{cut.sentence()}."]  # good coverage needs no sentence


def test_choosers_are_accounted_for_by_their_members() -> None:
    exam = ChoiceSet((ChoiceQuestion("1", "a b c", ("a x", "a")),))
    two = SupportChooser(build("bm25", fit_texts=["a b", "c"]), ["a b", "c"], judge=Limited())
    two.choose(exam.questions)
    found = accounts_on(exam, {"alone": [ScoredChoices(Limited())], "two": [two], "nothing": [FirstChoice()]})
    assert [(one.model, one.texts, one.cut) for one in found.truncations] == [("alone", 3, 1), ("two", 4, 2)]
    assert [one.model for one in found.coverages] == ["alone", "two, member limited"]

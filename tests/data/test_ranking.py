from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.reference import trec
from textkin.base.errors import DataError
from textkin.data.ranking import best_first, order, qrels_of, rank_candidates
from textkin.data.records import Candidates, CandidateSet, Hit, Qrels, Run

IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
SCORES = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1e300, np.inf]), st.floats(allow_nan=False))


def ranked(run: Run) -> list[list[str]]:
    ids = [name.decode() for name in run.doc_ids[order(run)].tolist()]
    return [ids[start:end] for start, end in zip(run.offsets[:-1], run.offsets[1:], strict=True)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(IDS, st.dictionaries(IDS, SCORES, max_size=8), max_size=5))
def test_equals_the_plain_rule(scores: dict[str, dict[str, float]]) -> None:
    assert ranked(Run.from_dict(scores)) == [trec.ranking(docs) for docs in scores.values()]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text("ab-01", min_size=1), st.integers(0, 2), min_size=1, max_size=30))
def test_does_not_depend_on_the_order_of_rows(scores: dict[str, int]) -> None:
    backwards = dict(reversed(scores.items()))
    assert ranked(Run.from_dict({"q": scores})) == ranked(Run.from_dict({"q": backwards}))


@pytest.mark.parametrize("difference", [0.0, 1e-9, 3e-8, 1e-7, 1e-6])
def test_near_scores_are_ties_exactly_when_the_c_code_says_so(difference: float) -> None:
    scores = {"a": 1.0, "b": 1.0 - difference}
    theirs = pytrec_eval.RelevanceEvaluator({"q": {"b": 1}}, {"recip_rank"}).evaluate({"q": scores})
    [docs] = ranked(Run.from_dict({"q": scores}))
    assert 1 / (docs.index("b") + 1) == theirs["q"]["recip_rank"]


def test_bytes_decide_ties() -> None:
    assert ranked(Run.from_dict({"q": dict.fromkeys(["D0-10", "D0-9", "é", "z", "D0"], 0.5)})) == [
        ["é", "z", "D0-9", "D0-10", "D0"]
    ]


def test_a_score_that_is_not_a_number_is_named() -> None:
    with pytest.raises(DataError) as error:
        run = Run.from_dict({"1": {"x": 1.0}, "2": {"x": 0.0, "y": 0.5}}, name="bm25")
        order(replace(run, scores=np.array([1.0, 0.0, np.nan])))
    assert (error.value.params, error.value.value) == (("bm25",), ("2", "y"))


class Lengths:
    name = "lengths"

    def __init__(self) -> None:
        self.calls = 0

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.calls += 1
        return np.array([len(query) * len(text) for query, text in pairs], dtype=np.float32)


SET = CandidateSet(
    (
        Candidates("q1", "??", ("a", "b"), ("one", "three"), (0, 1)),
        Candidates("q0", "?", (), (), ()),
        Candidates("q2", "?", ("a",), ("seven",), (2,)),
    )
)


def test_candidates_become_a_run_and_judgements() -> None:
    scorer = Lengths()
    run = rank_candidates(scorer, SET)
    assert run.to_dict() == {"q1": {"a": 6.0, "b": 10.0}, "q0": {}, "q2": {"a": 5.0}}
    assert (run.name, scorer.calls) == ("lengths", 1)
    assert qrels_of(SET).to_dict() == {"q1": {"a": 0, "b": 1}, "q0": {}, "q2": {"a": 2}}
    assert rank_candidates(Lengths(), CandidateSet(())).to_dict() == {}
    assert isinstance(qrels_of(CandidateSet(())), Qrels)


def test_a_scorer_that_loses_scores_is_an_error() -> None:
    class Short(Lengths):
        def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
            return super().score(pairs)[1:]

    with pytest.raises(DataError) as error:
        rank_candidates(Short(), SET)
    assert (error.value.params, error.value.value) == (("lengths",), (2,))


def test_hits_stand_by_the_tie_rule():
    hits = [Hit("a", 1.0), Hit("ä", 1.0), Hit("b", 2.0)]
    assert [hit.doc_id for hit in best_first(hits)] == ["b", "ä", "a"]

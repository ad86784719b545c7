from __future__ import annotations

import pytest

from textkin.data.protocols import Scorer
from textkin.data.records import Qrels, RetrievalSet, Run
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.ranking_judge import RetrievalJudge
from textkin.kinds.systems import resolve
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks
from textkin.models.ensembles.ranking import rank_together
from textkin.vectors.index.corpus_ranking import rank_collection
from textkin.vectors.index.rank_fusion import fuse

DATA = RetrievalSet(
    {"d1": "ice melts in the sun", "d2": "fire burns wood", "d3": "the sun is a star", "d4": "wood floats"},
    {"q1": "what burns wood", "q2": "the sun"},
    Qrels.from_dict({"q1": {"d2": 1}, "q2": {"d3": 1, "d1": 1}}),
)
TEXTS = list(DATA.corpus.values())


def test_a_hybrid_over_a_corpus_is_the_fusion_of_its_members():
    one, other = (resolve(name, fit_texts=TEXTS) for name in ("bm25", "default"))
    expected = fuse([rank_collection(each, DATA) for each in (one, other)], ReciprocalRanks(2))
    hybrid = resolve("hybrid:default", fit_texts=TEXTS)
    found = rank_together(hybrid, lambda each: rank_collection(each, DATA), depth=1000)
    assert found.to_dict() == expected.to_dict() and found.name == "hybrid:default"


def test_hybrids_of_hybrids():
    hybrid = resolve("hybrid:tfidf+hybrid:default", fit_texts=TEXTS)
    assert [one.name for one in hybrid.members] == ["tfidf", "hybrid:default"]
    found = rank_together(hybrid, lambda each: rank_collection(each, DATA), depth=3)
    assert found.query_ids == ("q1", "q2") and len(found.scores) == 6


def test_a_judge_ranks_by_each_scorer_once(monkeypatch):
    asked: list[Scorer] = []

    def counted(scorer: Scorer, *rest: object, **options: object) -> Run:
        asked.append(scorer)
        return rank_collection(scorer, *rest, **options)

    monkeypatch.setattr("textkin.kinds.ranking_judge.rank_collection", counted)
    judge = RetrievalJudge(DATA, measures=("AP",), sampling=Sampling(10, 10))
    opened: dict[str, Scorer] = {}
    for name in ("default", "hybrid:default", "bm25"):
        judge.take(name, resolve(name, fit_texts=TEXTS, opened=opened))
    assert [one.name for one in asked] == ["default", "bm25"]
    assert judge.value("hybrid:default") == pytest.approx(1.0)
    assert list(opened) == ["default", "bm25", "hybrid:default"]

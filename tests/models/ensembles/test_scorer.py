from __future__ import annotations

import numpy as np
import pytest

import textkin as tk
from tests.models.ensembles.making import Picks, Says, Sorts
from textkin.base.errors import DataError, UsageError
from textkin.data.choice_scores import scores_by
from textkin.data.protocols import Scorer
from textkin.data.ranking import rank_candidates
from textkin.data.records import Candidates, CandidateSet, Qrels, RetrievalSet, Run
from textkin.kinds.ranking_judge import RetrievalJudge
from textkin.kinds.systems import resolve
from textkin.measures.decisions.combination import Linear, Probabilities, Ranks
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.scorer import EnsembleChooser, EnsembleClassifier, EnsembleScorer, rank_together
from textkin.vectors.index.corpus_ranking import rank_corpus
from textkin.vectors.index.rank_fusion import fuse

PAIRS = [("q", "a"), ("q", "b"), ("q", "c"), ("r", "a"), ("r", "d")]
ONE = Says("one", dict(zip(PAIRS, [3.0, 2.0, 1.0, 5.0, 4.0], strict=True)))
TWO = Says("two", dict(zip(PAIRS, [0.0, 0.2, 0.1, 0.9, 0.9], strict=True)))
MEAN = EnsembleScorer([ONE, TWO], Linear((2.0, 0.5), (1.0, 0.1), (0.5, 0.5)), name="mean")
RANK = EnsembleScorer([ONE, TWO], Ranks(2), name="rank")


def test_a_scorer_of_scorers():
    assert isinstance(MEAN, tk.Scorer)
    assert MEAN.score([("q", "b")]) == pytest.approx([0.5 * 0 + 0.5 * (0.2 - 0.5) / 0.1])
    assert MEAN.score(PAIRS).dtype == np.float32 and MEAN.score([]).shape == (0,)


def test_a_pair_scores_the_same_in_any_company():
    whole = MEAN.score(PAIRS)
    assert whole.tolist() == [float(MEAN.score([pair])[0]) for pair in PAIRS]


def test_ranks_are_among_the_candidates_of_one_first_text():
    # Of q: ranks 1, .5, 0 and 0, 1, .5; of r: 1, 0, and both in the middle.
    assert RANK.score(PAIRS).tolist() == [0.5, 0.75, 0.25, 0.75, 0.25]
    mixed = [PAIRS[place] for place in (3, 0, 4, 2, 1)]
    assert RANK.score(mixed).tolist() == [0.75, 0.5, 0.25, 0.25, 0.75]


def test_queries_of_one_text_are_ranked_apart():
    worth = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 4.0, "e": 0.0}

    class By:
        name = "by"

        def __init__(self, sign):
            self.sign = sign

        def score(self, pairs):
            return np.array([self.sign * worth[b] for _, b in pairs], dtype=np.float32)

    one = EnsembleScorer([By(1.0), By(2.0)], Ranks(2), name="e")

    def ranked(*docs):
        queries = [
            Candidates(str(n), "q", tuple(own), tuple(own), (1,) * len(own)) for n, own in enumerate(docs)
        ]
        return rank_candidates(one, CandidateSet(tuple(queries))).scores.tolist()

    assert ranked("abc", "bde", "d") == [*ranked("abc"), *ranked("bde"), 0.5]
    assert ranked("abc", "abc") == [*ranked("abc"), *ranked("abc")]


def test_a_candidate_that_comes_twice_counts_once():
    assert RANK.score([*PAIRS, PAIRS[0]]).tolist() == [*RANK.score(PAIRS).tolist(), 0.5]


def test_where_there_is_nothing_to_rank_it_says_so():
    with pytest.raises(UsageError, match="stands beside two others"):
        RANK.score([("q", "a"), ("r", "a")])


def test_a_member_that_gives_no_numbers_is_named():
    broken = Says("broken", dict.fromkeys(PAIRS, np.nan))
    with pytest.raises(DataError, match="broken gave"):
        EnsembleScorer([ONE, broken], Ranks(2), name="e").score(PAIRS)


LABELS = ("no", "yes")
A = Sorts("a", LABELS, {PAIRS[0]: [0.2, 0.8], PAIRS[1]: [0.6, 0.4]})
B = Sorts("b", ("Yes", "No"), {PAIRS[0]: [0.6, 0.4], PAIRS[1]: [0.1, 0.9]})


def test_a_classifier_of_classifiers_whose_labels_stand_in_another_order():
    one = EnsembleClassifier([A, B], Probabilities((0.5, 0.5)), labels=LABELS, name="e")
    assert isinstance(one, tk.Classifier)
    assert one.classify(PAIRS[:2]) == pytest.approx(np.array([[0.3, 0.7], [0.75, 0.25]]))
    assert one.classify([]).shape == (0, 2)


def test_what_is_no_probability_becomes_one():
    one = EnsembleClassifier([A, B], Linear((0, 0), (1, 1), (1, 1), logs=True), labels=LABELS, name="e")
    found = one.classify(PAIRS[:2])
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found[0, 1] == pytest.approx(0.8 * 0.6 / (0.8 * 0.6 + 0.2 * 0.4))


def test_members_of_other_classes_are_refused():
    with pytest.raises(UsageError, match="know the same classes"):
        EnsembleClassifier([A, Sorts("c", ("no", "maybe"), {})], Ranks(2), labels=LABELS, name="e")


DATA = RetrievalSet(
    {"d1": "ice melts in the sun", "d2": "fire burns wood", "d3": "the sun is a star", "d4": "wood floats"},
    {"q1": "what burns wood", "q2": "the sun"},
    Qrels.from_dict({"q1": {"d2": 1}, "q2": {"d3": 1, "d1": 1}}),
)
TEXTS = list(DATA.corpus.values())


def test_a_hybrid_over_a_corpus_is_the_fusion_of_its_members():
    one, other = (resolve(name, fit_texts=TEXTS) for name in ("bm25", "default"))
    expected = fuse([rank_corpus(each, DATA) for each in (one, other)], ReciprocalRanks(2))
    hybrid = resolve("hybrid:default", fit_texts=TEXTS)
    found = rank_together(hybrid, lambda each: rank_corpus(each, DATA), depth=1000)
    assert found.to_dict() == expected.to_dict() and found.name == "hybrid:default"


def test_hybrids_of_hybrids():
    hybrid = resolve("hybrid:tfidf+hybrid:default", fit_texts=TEXTS)
    assert [one.name for one in hybrid.members] == ["tfidf", "hybrid:default"]
    found = rank_together(hybrid, lambda each: rank_corpus(each, DATA), depth=3)
    assert found.query_ids == ("q1", "q2") and len(found.scores) == 6


def test_a_judge_ranks_by_each_scorer_once(monkeypatch):
    asked: list[Scorer] = []

    def counted(scorer: Scorer, *rest: object, **options: object) -> Run:
        asked.append(scorer)
        return rank_corpus(scorer, *rest, **options)

    monkeypatch.setattr("textkin.kinds.ranking_judge.rank_corpus", counted)
    judge = RetrievalJudge(DATA, measures=("MAP",), sampling=Sampling(10, 10))
    opened: dict[str, Scorer] = {}
    for name in ("default", "hybrid:default", "bm25"):
        judge.take(name, resolve(name, fit_texts=TEXTS, opened=opened))
    assert [one.name for one in asked] == ["default", "bm25"]
    assert judge.value("hybrid:default") == pytest.approx(1.0)
    assert list(opened) == ["default", "bm25", "hybrid:default"]


QUESTIONS = (
    tk.ChoiceQuestion("1", "q", ("a", "b", "c"), answer=0),
    tk.ChoiceQuestion("2", "r", ("a", "b"), answer=1),
)
PICKS = Picks("picks", {"1": [3.0, 2.0, 1.0], "2": [0.0, 1.0]})
SAYS = Says("says", {("q", "a"): 0.1, ("q", "b"): 0.3, ("q", "c"): 0.2, ("r", "a"): 0.9, ("r", "b"): 0.9})


def test_choosers_and_scorers_together():
    one = EnsembleChooser([PICKS, SAYS], Ranks(2), name="e")
    assert isinstance(one, tk.Chooser)
    found = scores_by(one, QUESTIONS)
    assert found[0].tolist() == [0.5, 0.75, 0.25]
    assert found[1, :2].tolist() == [0.25, 0.75] and np.isnan(found[1, 2])
    assert one.choose([]).shape == (0, 0)


def test_a_question_shares_one_probability():
    one = EnsembleChooser([PICKS, SAYS], Probabilities((0.5, 0.5), slopes=(1.0, 10.0)), name="e")
    assert np.allclose(np.nansum(one.choose(QUESTIONS), axis=1), 1)


def test_a_linear_combination_does_not_need_the_other_questions():
    one = EnsembleChooser([PICKS, SAYS], Linear((0, 0), (1, 1), (0.25, 0.75)), name="e")
    assert one.choose(QUESTIONS)[1, :2].tolist() == one.choose(QUESTIONS[1:])[0].tolist()

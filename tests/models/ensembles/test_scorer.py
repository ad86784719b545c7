from __future__ import annotations

import numpy as np
import pytest

import textkin as tk
from tests.models.ensembles.making import Says, Sorts
from textkin.base.errors import DataError, UsageError
from textkin.measures.decisions.combination import Linear, Probabilities, Ranks
from textkin.models.ensembles.scorer import EnsembleClassifier, EnsembleScorer

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

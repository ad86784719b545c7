from __future__ import annotations

import numpy as np

import textkin as tk
from tests.models.ensembles.making import Picks, Says
from textkin.data.choice_scores import scores_by
from textkin.measures.decisions.combination import Linear, Probabilities, Ranks
from textkin.models.ensembles.chooser import EnsembleChooser

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

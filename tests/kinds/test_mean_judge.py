import numpy as np
import pytest

from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.kinds.choice_judge import ChoiceJudge
from textkin.kinds.mean_judge import mean_interval
from textkin.measures.intervals.paired_tests import compare_shares
from textkin.measures.intervals.sampling import Sampling


def test_questions_that_hang_together_make_wider_intervals():
    values = np.repeat([0.0, 1.0, 1.0, 0.0, 1.0] * 6, 10)
    alone = mean_interval(values, np.arange(300), sampling=Sampling(500))
    together = mean_interval(values, np.repeat(np.arange(30), 10), sampling=Sampling(500))
    assert alone.value == together.value == pytest.approx(0.6)
    assert together.high - together.low > 2.5 * (alone.high - alone.low)
    part = mean_interval(values, np.arange(300), inside=values > 0, sampling=Sampling(100))
    assert (part.value, part.n) == (1.0, 180)


def test_a_difference_is_that_of_shares():
    rng = np.random.default_rng(2)
    groups = np.arange(60) // 3
    questions = [ChoiceQuestion(str(n), f"what {group}", ("a", "b"), 0) for n, group in enumerate(groups)]
    judge = ChoiceJudge(ChoiceSet(tuple(questions)), sampling=Sampling(50, seed=4))
    scores = [rng.standard_normal((60, 2)).astype(np.float32) for _ in range(3)]
    judge.take_scores("mine", *scores[:2])
    judge.take_scores("theirs", scores[2])
    right = [(one.argmax(axis=1) == 0) * 1.0 for one in scores]
    mine, theirs = (right[0] + right[1]) / 2, right[2]
    found = judge.difference("mine", "theirs")
    assert found == compare_shares(mine, theirs, groups, rounds=10_000, resamples=50, seed=4)
    assert judge.by_seed("mine") == [right[0].mean(), right[1].mean()]
    assert judge.value("mine") == pytest.approx(mine.mean())
    assert judge.sizes() == {"questions": 60, "components": 20}
    assert judge.difference("mine", "theirs", tests=1_000).rounds == 40_000

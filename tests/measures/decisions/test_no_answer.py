"""No-answer rules: probability and threshold against a search over all thresholds."""

import json

import numpy as np
import pytest

from textkin.base.errors import DataError, ModelError, PromiseError, UsageError
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.no_answer import NoAnswerRule, ReadQuestions, SavedNoAnswer, fit_no_answer


def questions(count=300, *, seed=0, steps=None):
    """Margins that are higher without an answer; optionally rounded, so that some are equal."""
    rng = np.random.default_rng(seed)
    answerable = rng.random(count) < 0.6
    margins = rng.normal(size=count) + np.where(answerable, -1.0, 1.0)
    if steps:
        margins = np.round(margins * steps) / steps
    # The surer of an answer, the likelier it is right.
    exact = (answerable & (rng.random(count) < 1 / (1 + np.exp(margins)))).astype(float)
    f1 = np.where(answerable, np.maximum(exact, rng.random(count) * 0.5), 0.0)
    return ReadQuestions(margins, answerable, exact, f1, np.arange(count) // 4)


def earned(read, answered, values):
    """The scores by SQuAD's rules, question by question."""
    total = 0.0
    for given, has, value in zip(answered, read.answerable, values, strict=True):
        total += value if given and has else float(not given and not has)
    return total / len(read)


@pytest.mark.parametrize("steps", [None, 2])
@pytest.mark.parametrize(("goal", "name"), [("f1", "f1"), ("accuracy", "exact")])
def test_no_threshold_is_better(goal, name, steps):
    read = questions(steps=steps)
    values = getattr(read, name)
    rule = fit_no_answer(read, Goal.parse(goal))
    told = rule.probability(read.margins)
    reached = earned(read, ~rule.withholds(told), values)
    every = [earned(read, told <= cut, values) for cut in [-1.0, *told]]
    assert reached == pytest.approx(max(every))
    assert min(every) < reached - 0.05
    assert 0 < rule.threshold < 1 and rule.threshold not in told


def test_the_probability_is_the_sigmoid_of_the_margin_and_holds():
    rule, other = fit_no_answer(questions(20_000), Goal.parse("f1")), questions(20_000, seed=1)
    told = rule.probability(other.margins)
    line = rule.calibration
    assert told[:5].tolist() == pytest.approx(
        [1 / (1 + np.exp(-(line.slope * margin + line.intercept))) for margin in other.margins[:5]]
    )
    for low in (0.1, 0.4, 0.7):
        here = (told > low) & (told < low + 0.2)
        assert np.mean(~other.answerable[here]) == pytest.approx(told[here].mean(), abs=0.04)


def test_precision_of_answers_is_promised_or_refused():
    read = questions(3_000)
    rule = fit_no_answer(read, Goal.parse("precision=0.7"))
    answered = ~rule.withholds(rule.probability(read.margins))
    estimate = fit_no_answer(read, Goal.parse("precision=0.7:estimate"))
    more = ~estimate.withholds(estimate.probability(read.margins))
    assert read.exact[more].mean() >= 0.7 and read.exact[answered].mean() > 0.7
    assert 0.05 < answered.mean() < more.mean()
    other = questions(3_000, seed=5)
    assert other.exact[~rule.withholds(rule.probability(other.margins))].mean() >= 0.7
    with pytest.raises(PromiseError):
        fit_no_answer(questions(60), Goal.parse("precision=0.99"))


def test_all_or_nothing_may_be_answered():
    read = questions(100)
    wrong = ReadQuestions(read.margins, read.answerable, 0 * read.exact, 0 * read.f1, read.groups)
    rule = fit_no_answer(wrong, Goal.parse("f1"))
    assert rule.withholds(rule.probability(read.margins)).all() and rule.threshold > 0
    # Where nearly all have an answer and the surest of none has one, too, all are answered.
    margins = np.concatenate((np.linspace(-3, 3, 40), [1.0, 2.0]))
    right = np.concatenate((np.ones(40), np.zeros(2)))
    rule = fit_no_answer(ReadQuestions(margins, right > 0, right, right, np.arange(42)), Goal.parse("f1"))
    assert rule.threshold == 1 and not rule.withholds(rule.probability(np.append(margins, 1e9))).any()


def test_what_tells_nothing_is_refused():
    read = questions(200)
    turned = ReadQuestions(-read.margins, read.answerable, read.exact, read.f1, read.groups)
    with pytest.raises(DataError, match="tells nothing"):
        fit_no_answer(turned, Goal.parse("f1"))
    with pytest.raises(DataError) as error:
        fit_no_answer(read.only(read.answerable), Goal.parse("f1"))
    assert (error.value.params, error.value.value) == (("labels",), 110)
    with pytest.raises(UsageError) as error:
        fit_no_answer(read, Goal.parse("recall=0.9"))
    assert error.value.params == ("goal",)


def test_what_is_written_is_read_for_the_same_model_only(tmp_path):
    path = tmp_path / "decision.json"
    saved = SavedNoAnswer(
        NoAnswerRule(Platt(2.0, -1.0), 0.4, "f1"), "dev.json", "ab", {"F1": (0.5, 0.4, 0.6)}
    )
    saved.write(path, model="mine", model_sha256="cd")
    assert SavedNoAnswer.read(path, model="mine", model_sha256="cd") == saved
    with pytest.raises(ModelError) as error:
        SavedNoAnswer.read(path, model="other", model_sha256="ef")
    assert error.value.value == "other"
    with pytest.raises(DataError) as error:
        SavedNoAnswer.read(tmp_path / "none.json", model="mine", model_sha256="cd")
    assert str(error.value.path).endswith("none.json")
    good = json.loads(path.read_text())
    for change, words in (
        ({"kind": "decision"}, "no decision of tk.calibrate for a reader"),
        ({"format": 2}, "has format 2"),
        ({"threshold": 1.5}, "is 1.5, expected 0 to 1"),
        ({"threshold": "x"}, "is damaged"),
        ({"goal": "best"}, "is damaged"),
        ({"calibration": {"method": "platt", "slope": -1, "intercept": 0}}, "does not rise"),
        ({"calibration": {"method": "platt", "slope": float("nan"), "intercept": 0}}, "not finite"),
        ({"figures": [1]}, "is damaged"),
        ({"threshold": 10**400}, "is damaged"),
        ({"figures": {"F1": [10**400, 0, 0]}}, "is damaged"),
        ({"calibration": {"method": "platt", "slope": 10**400, "intercept": 0}}, "is damaged"),
        ({"calibration": {}}, "slope is missing"),
    ):
        path.write_text(json.dumps({**good, **change}))
        with pytest.raises(DataError, match=words):
            SavedNoAnswer.read(path, model="mine", model_sha256="cd")
    path.write_text("[")
    with pytest.raises(DataError) as error:
        SavedNoAnswer.read(path, model="mine", model_sha256="cd")
    assert str(error.value.path).endswith("decision.json")

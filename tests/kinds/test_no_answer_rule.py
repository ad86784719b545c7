"""No-answer rules on dev questions, and their expected metrics on others."""

import numpy as np
import pytest

from tests.making_spans import spans
from textkin.base.errors import DataError
from textkin.data.span_records import SpanAnswer
from textkin.kinds.no_answer_rule import FIGURES, Decided, expected, figures, read_margins
from textkin.kinds.span_grouping import GroupedBy
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.no_answer import NoAnswerRule, ReadQuestions, fit_no_answer
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.calibration import expected_calibration_error
from textkin.report.content import ends_of

SAMPLING = Sampling(200, 99)


def questions(count, *, seed=0):
    rng = np.random.default_rng(seed)
    answerable = rng.random(count) < 0.5
    margins = rng.normal(size=count) + np.where(answerable, -0.7, 0.7)
    right = (answerable & (rng.random(count) < 0.7)).astype(float)
    return ReadQuestions(margins, answerable, right, right, np.arange(count) // 3)


class Fixed:
    """Answers with the third word; the margin depends on the length of the question; nothing if blank."""

    def margins(self, questions, passages):
        found = []
        for question, passage in zip(questions, passages, strict=True):
            word = passage.split()[1] if passage.strip() else ""
            start = passage.find(word)
            answer = SpanAnswer(start, start + len(word), word, 0.0, 0.5)
            found.append((float(len(question)), answer) if word else None)
        return found


def test_what_is_read_is_scored_by_the_rules_of_squad():
    data = spans(3, impossible=True)
    read = read_margins(Fixed(), data, by=GroupedBy.PARAGRAPH)
    assert read.answerable.tolist() == [True, True, False] * 3
    assert read.margins.tolist() == [len(one.question) for one in data]
    assert read.exact.tolist() == [0.0] * 9 and read.groups.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    for part, words in ((spans(2), "no question without an answer"), (None, "no question with an answer")):
        wrong = part or type(data)(data.passages, tuple(one for one in data if not one.answers), name="x")
        with pytest.raises(DataError, match=words):
            read_margins(Fixed(), wrong, by=GroupedBy.PARAGRAPH)


def test_figures_are_those_of_a_loop():
    read = questions(120)
    rule = NoAnswerRule(Platt(1.3, 0.2), 0.4, "f1")
    decided = Decided.by(rule, read.margins)
    found = figures(read, decided, sampling=SAMPLING)
    told = [1 / (1 + np.exp(-(1.3 * margin + 0.2))) for margin in read.margins]
    given = [one <= 0.4 for one in told]
    rows = list(zip(given, read.answerable, read.exact, strict=True))
    assert tuple(found) == FIGURES
    assert found["F1"].value == pytest.approx(
        np.mean([right if answered else float(not has) for answered, has, right in rows])
    )
    assert found["F1"].value == found["EM"].value
    assert found["answered"].value == pytest.approx(np.mean(given))
    assert found["precision"].value == pytest.approx(np.mean([row[2] for row in rows if row[0]]))
    none = (~read.answerable).astype(float)
    assert found["ECE"].value == pytest.approx(expected_calibration_error(none, np.array(told)))
    for name, (value, low, high) in ends_of(found).items():
        assert low <= value <= high and name in FIGURES
    nothing = Decided(decided.told, np.zeros(120, dtype=bool))
    assert "precision" not in figures(read, nothing, sampling=SAMPLING)


@pytest.mark.slow
def test_the_expectation_is_that_of_other_questions():
    goal, fresh = Goal.parse("f1"), questions(60_000, seed=99)
    gaps, flattered = [], []
    for seed in range(40):
        read = questions(45, seed=seed)
        try:
            rule = fit_no_answer(read, goal)
        except DataError:
            continue
        there = figures(fresh, Decided.by(rule, fresh.margins), sampling=Sampling(1, 1))["F1"].value
        here = figures(read, Decided.by(rule, read.margins), sampling=Sampling(1, 1))["F1"].value
        gaps.append(expected(read, rule, sampling=Sampling(1, 1))["F1"].value - there)
        flattered.append(here - there)
    assert np.mean(flattered) > 0.03 and abs(np.mean(gaps)) < np.mean(flattered) / 2


def test_a_promise_is_judged_by_its_own_threshold_and_one_paragraph_by_itself():
    read = questions(900)
    rule = fit_no_answer(read, Goal.parse("precision=0.6:estimate"))
    whole = figures(read, Decided.by(rule, read.margins), sampling=SAMPLING)
    found = expected(read, rule, sampling=SAMPLING)
    assert found["precision"] == whole["precision"] and found["ECE"] != whole["ECE"]
    single = ReadQuestions(read.margins, read.answerable, read.exact, read.f1, np.zeros(900, dtype=np.int64))
    alone = expected(single, fit_no_answer(single, Goal.parse("f1")), sampling=SAMPLING)
    assert (alone["F1"].low, alone["F1"].high) == (0.0, 1.0)

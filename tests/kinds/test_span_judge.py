import json

import numpy as np
import pytest

from tests.kinds.spans import TEXT, asked, spans
from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import SpanReader
from textkin.data.span_records import SpanAnswer
from textkin.kinds.predicted_answers import SystemAnswers
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.span_judge import SpanJudge
from textkin.kinds.squad_measures import SpanPredictions, measure_predictions
from textkin.measures.intervals.paired_tests import holm
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.calibration import expected_calibration_error
from textkin.text.baselines.span_readers import FirstTokens, NoAnswer, build_span_reader
from textkin.text.baselines.tfidf import TfIdf

SAMPLING = Sampling(100, 299)


class Fake:
    """Answers with the given words for each question, the most certain first."""

    name = "fake"

    def __init__(self, told, chances=(0.7, 0.3)):
        self.told, self.chances, self.asked = told, chances, []

    def read(self, questions, passages, *, k=1):
        self.asked.append(k)
        found = []
        for question, passage in zip(questions, passages, strict=True):
            answers = []
            for text, chance in zip(self.told[question], self.chances, strict=False):
                start = passage.index(text) if text else 0
                answers.append(SpanAnswer(start, start + len(text), text, chance, chance))
            found.append(answers[:k])
        return found


def data(version="1.1", count=24):
    """Answers "red fish" (which occurs twice), "bird" and, in 2.0, none in turn."""
    questions = []
    for number in range(count):
        answers = [("red fish",), ("bird",), () if version == "2.0" else ("The red fish left",)][number % 3]
        questions.append(
            asked(f"q{number}", number // 4, answers, question=f"?{number}", is_impossible=not answers)
        )
    return spans(*questions)


def told(count=24, seed=0):
    rng = np.random.default_rng(seed)
    return {
        f"?{number}": [str(rng.choice(["red fish", "a bird", ""])), "fish left"] for number in range(count)
    }


def test_figures_are_those_of_the_predictions():
    for version in ("1.1", "2.0"):
        judge = SpanJudge(data(version), sampling=SAMPLING)
        reader = Fake(told())
        assert isinstance(reader, SpanReader)
        judge.take("fake", reader)
        assert reader.asked == [1 if version == "1.1" else 20]
        answers = judge.given["fake"][0].answers
        found = measure_predictions(SpanPredictions(judge.data, answers), sampling=SAMPLING)
        official, figures = found.official, judge.figures("fake")
        assert next(iter(figures)) == judge.main == "F1"
        assert 100 * figures["F1"].value == pytest.approx(official["f1"])
        assert 100 * figures["EM"].value == pytest.approx(
            official["exact_match" if version == "1.1" else "exact"]
        )
        assert figures["F1"].value == pytest.approx(judge.value("fake"))
        wide = {one.name: one for one in found.figures}["f1"]
        assert (100 * figures["F1"].low, 100 * figures["F1"].high) == pytest.approx((wide.low, wide.high))
        if version == "2.0":
            assert 100 * figures["F1 HasAns"].value == pytest.approx(official["HasAns_f1"])
            assert 100 * figures["NoAns"].value == pytest.approx(official["NoAns_exact"])
        else:
            assert "NoAns" not in figures and "F1 HasAns" not in figures


def test_ambiguous_questions_are_left_out_beside():
    judge = SpanJudge(data(), sampling=SAMPLING)
    answers = {f"q{n}": "red fish" if n % 3 == 0 else "bird" for n in range(24)}
    judge.take_answers("x", [SystemAnswers(answers, {})])
    figures = judge.figures("x")
    assert figures["EM"].value == pytest.approx(2 / 3)
    assert figures["EM without ambiguous"].value == pytest.approx(8 / 16)
    assert any("8 of 24 questions are ambiguous" in note for note in judge.notes())


def test_seeds_are_averaged_and_differences_tested_over_groups():
    judge = SpanJudge(data(), sampling=SAMPLING)
    judge.take("three", *(Fake(told(seed=seed)) for seed in range(3)))
    judge.take("first", FirstTokens())
    assert judge.value("three") == pytest.approx(np.mean(judge.by_seed("three")))
    assert len(judge.by_seed("three")) == 3
    found = judge.difference("three", "first")
    assert found.value == pytest.approx(judge.value("three") - judge.value("first"))
    assert found.n == 6
    table = judge.table("first", trained=["three"])
    assert (table.questions, table.components) == (24, 6)
    (row,) = [one for one in table.rows if one.name == "three"]
    assert row.against["first"].p == pytest.approx(holm(np.array([found.p]))[0])
    assert row.seeds_sd == pytest.approx(np.std(judge.by_seed("three"), ddof=1))
    assert SpanJudge(data(), sampling=SAMPLING, by=GroupedBy.ARTICLE).sizes() == {
        "questions": 24,
        "components": 3,
    }


def test_baselines_fit_the_version():
    first, second = (SpanJudge(data(version), sampling=SAMPLING) for version in ("1.1", "2.0"))
    assert "no-answer" not in first.baselines and "no-answer" in second.baselines
    assert first.texts == [TEXT]
    second.take("no-answer", NoAnswer())
    figures = second.figures("no-answer")
    assert (figures["NoAns"].value, figures["F1 HasAns"].value) == (1.0, 0.0)
    assert figures["EM"].value == pytest.approx(1 / 3)


def test_abstaining_is_measured_by_its_probability():
    judge = SpanJudge(data("2.0"), sampling=SAMPLING)
    answers = {f"?{n}": ["", "bird"] if n % 3 == 2 else ["bird", ""] for n in range(24)}
    judge.take("knows", Fake(answers, (0.9, 0.1)))
    found = judge.abstention("knows")
    no_answer = np.array([0.9 if n % 3 == 2 else 0.1 for n in range(24)])
    labels = np.array([float(n % 3 == 2) for n in range(24)])
    assert found.calibration_error.value == pytest.approx(expected_calibration_error(labels, no_answer))
    assert found.calibration_error.low <= found.calibration_error.value <= found.calibration_error.high
    # Two thirds are answered first, half of them with the right word; then come those without answer.
    assert found.coverage == pytest.approx((2 / 3, 1.0))
    assert found.risk == pytest.approx((0.5, 2 / 3))
    assert found.risk_area.value == pytest.approx(2 / 3 * 0.5 + 1 / 3 * 2 / 3)
    assert "knows's probability of no answer: expected calibration error 0.100 (" in found.sentence()
    judge.take("first", FirstTokens())
    assert judge.abstention("first").calibration_error.value == pytest.approx(1 / 3)
    judge.take("both", Fake(answers, (0.9, 0.1)), FirstTokens())
    assert 0.1 < judge.abstention("both").calibration_error.value < 1 / 3
    plain = SpanJudge(data(), sampling=SAMPLING)
    plain.take("first", FirstTokens())
    assert plain.abstention("first") is None


def test_what_is_written_is_read(tmp_path):
    for version in ("1.1", "2.0"):
        judge, folder = SpanJudge(data(version), sampling=SAMPLING), tmp_path / version
        folder.mkdir()
        judge.take("one", Fake(told()))
        judge.take("two", *(Fake(told(seed=seed)) for seed in (1, 2)))
        judge.write(folder)
        names = {path.name for path in folder.iterdir()}
        assert {"one.json", "two-seed0.json", "two-seed1.json"} <= names
        assert ("one.na.json" in names) == (version == "2.0")
        assert list(json.loads((folder / "one.json").read_text())) == [f"q{n}" for n in range(24)]
        again = SpanJudge(data(version), sampling=SAMPLING)
        again.read(folder, ["one", "two"])
        for name in ("one", "two"):
            assert again.figures(name) == judge.figures(name)
            assert again.abstention(name) is None
        with pytest.raises(DataError) as error:
            again.read(folder, ["three"])
        assert error.value.path == folder


def test_what_is_refused():
    judge = SpanJudge(data("2.0"), sampling=SAMPLING)
    with pytest.raises(UsageError) as error:
        judge.take("tfidf", TfIdf.fit(["a word"]))
    assert error.value.params == ("models",)
    with pytest.raises(DataError, match="no questions"):
        SpanJudge(spans(), sampling=SAMPLING)
    with pytest.raises(DataError, match="lacks 23 answers"):
        judge.take_answers("x", [SystemAnswers({"q0": ""}, {})])

    class Wrong:
        name = "wrong"

        def __init__(self, answers):
            self.answers = answers

        def read(self, questions, passages, *, k=1):
            return [self.answers] * len(questions)

    class Short(Wrong):
        def read(self, questions, passages, *, k=1):
            return []

    for reader, words in (
        (Short([]), "gave 0 lists of answers to 24 questions"),
        (Wrong([SpanAnswer(1, 4, "The", 0.0, 0.5)]), "does not stand at 1 to 4"),
        (Wrong([SpanAnswer(-3, 4, "", 0.0, 0.5)]), "does not stand at -3 to 4"),
        (Wrong([SpanAnswer(0, 3, "The", 0.0, 1.5)]), "probability 1.5, expected 0 to 1"),
        (Wrong([SpanAnswer(0, 3, "The", 0.0, float("nan"))]), "probability nan, expected 0 to 1"),
    ):
        with pytest.raises(UsageError, match=words):
            judge.take("wrong", reader)
    judge.take("window", build_span_reader("sliding-window", fit_texts=[]))

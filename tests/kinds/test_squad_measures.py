import numpy as np
import pytest

from tests.kinds.spans import asked, spans
from tests.reference import squad as slow
from textkin.base.errors import DataError, LeakError, UsageError
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.squad_measures import MISSING, TUNED, SpanPredictions, measure_predictions
from textkin.measures.intervals.sampling import Sampling

SAMPLING = Sampling(200)


def made(count=24, *, version="2.0", seed=0, prefix="q"):
    """Questions of which a third has no answer, with slightly informative answers and probabilities."""
    rng = np.random.default_rng(seed)
    gold, answers, no_answer = [], {}, {}
    for number in range(count):
        key = f"{prefix}{number}"
        impossible = version == "2.0" and number % 3 == 0
        gold.append(asked(key, number // 4, () if impossible else ("red fish",), is_impossible=impossible))
        answers[key] = str(rng.choice(["red fish", "fish", "bird", ""]))
        no_answer[key] = float(np.round(rng.random() * 0.6 + 0.4 * impossible, 1))
    return SpanPredictions(spans(*gold), answers, no_answer if version == "2.0" else None)


def by_name(found):
    return {one.name: one for one in found.figures}


def test_figures_are_the_official_ones_with_intervals():
    given = made()
    gold = {one.question_id: [answer.text for answer in one.answers] for one in given.data}
    found = measure_predictions(given, threshold=0.5, sampling=SAMPLING)
    assert found.official == slow.evaluate_2(gold, given.answers, given.no_answer, 0.5)
    assert list(by_name(found)) == list(found.official)
    for one in found.figures:
        assert one.value == found.official[one.name]
        tuned, counted = one.name.startswith("best_"), one.name.endswith("total")
        assert one.note == (TUNED if tuned else "")
        assert (one.low is None) == (tuned or counted)
        if one.low is not None:
            assert 0 <= one.low <= one.value <= one.high <= 100
    assert (found.version, found.questions, found.groups, found.missing) == ("2.0", 24, 6, ())
    assert found.rows()[0] == {
        "figure": "exact",
        "value": found.official["exact"],
        "low": found.figures[0].low,
        "high": found.figures[0].high,
        "note": "",
    }
    exact = [row["exact"] for row in found.per_question().values()]
    assert 100 * np.mean(exact) == pytest.approx(found.official["exact"])


def test_articles_are_fewer_units_than_paragraphs():
    given = made(48, version="1.1")
    close = by_name(measure_predictions(given, sampling=SAMPLING))["f1"]
    found = measure_predictions(given, by=GroupedBy.ARTICLE, sampling=SAMPLING)
    wide = by_name(found)["f1"]
    assert found.groups == 6
    assert wide.value == close.value
    assert wide.high - wide.low != close.high - close.low


def test_missing_and_unknown_predictions_are_told():
    first = made(8, version="1.1")
    answers = {key: value for key, value in first.answers.items() if key not in ("q0", "q5")} | {"q99": "x"}
    found = measure_predictions(SpanPredictions(first.data, answers), sampling=SAMPLING)
    assert (found.missing, found.unknown) == (("q0", "q5"), ("q99",))
    assert len(found.per_question()) == 8
    assert str(found).splitlines()[-3:] == [
        "8 questions in 2 groups, by the rules of SQuAD 1.1",
        "2 questions (q0, q5) without prediction, counted as wrong",
        "1 prediction (q99) of no question, not counted",
    ]


def test_in_version_2_missing_predictions_leave_the_official_figures_and_count_in_ours():
    given = made(12)
    answers = {key: "" for key in given.answers if key != "q1"}
    found = measure_predictions(SpanPredictions(given.data, answers), sampling=SAMPLING)
    figures = by_name(found)
    assert figures["total"].value == 11
    assert figures["exact"].value == pytest.approx(100 * 4 / 11)
    assert figures["exact_of_all"].value == figures["f1_of_all"].value == pytest.approx(100 * 4 / 12)
    assert figures["exact_of_all"].note == MISSING
    assert "left out" in found.warnings()[0]
    assert len(found.per_question()) == 11


def test_a_threshold_from_dev_is_chosen_there_and_measured_here():
    given, dev = made(seed=1), made(seed=2, prefix="d")
    found = measure_predictions(given, dev=dev, sampling=SAMPLING)
    figures = by_name(found)
    gold = {one.question_id: [answer.text for answer in one.answers] for one in given.data}
    theirs = {one.question_id: [answer.text for answer in one.answers] for one in dev.data}
    chosen = slow.evaluate_2(theirs, dev.answers, dev.no_answer)
    for name in ("exact", "f1"):
        cut = chosen[f"best_{name}_thresh"]
        assert figures[f"dev_{name}_thresh"].value == cut
        wanted = slow.evaluate_2(gold, given.answers, given.no_answer, cut)[name]
        assert figures[f"dev_{name}"].value == pytest.approx(wanted)
        assert figures[f"dev_{name}"].value <= figures[f"best_{name}"].value + 1e-9
        assert figures[f"dev_{name}"].low is not None


def test_what_is_refused():
    given, first = made(), made(version="1.1")
    with pytest.raises(LeakError):
        measure_predictions(given, dev=given, sampling=SAMPLING)
    with pytest.raises(DataError, match="no question without answer to choose a threshold on"):
        measure_predictions(given, dev=made(version="1.1", prefix="d"), sampling=SAMPLING)
    with pytest.raises(UsageError) as error:
        measure_predictions(SpanPredictions(first.data, first.answers, {}), sampling=SAMPLING)
    assert error.value.params == ("na_prob",)
    for wrong in (None, 3):
        with pytest.raises(UsageError) as error:
            measure_predictions(SpanPredictions(first.data, {"q": wrong}), sampling=SAMPLING)
        assert error.value.params == ("predictions",)
    with pytest.raises(UsageError) as error:
        measure_predictions(given, threshold=float("nan"), sampling=SAMPLING)
    assert error.value.params == ("na_threshold",)
    with pytest.raises(UsageError) as error:
        measure_predictions(first, threshold=0.5, sampling=SAMPLING)
    assert error.value.params == ("na_prob",)
    with pytest.raises(DataError, match="24 predicted questions have no probability"):
        measure_predictions(SpanPredictions(given.data, given.answers, {}), sampling=SAMPLING)

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.records import Qrels, Run
from textkin.kinds.runs_judge import RunsJudge
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines import build

QRELS = Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}})


def test_runs_are_measured_and_nothing_is_ranked() -> None:
    judge = RunsJudge(QRELS, measures=(), sampling=Sampling(resamples=50))
    judge.take_runs("mine", [Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}})])
    assert judge.main == "MAP" and judge.value("mine") == pytest.approx(0.75)
    assert judge.texts == [] and judge.baselines == ()
    with pytest.raises(UsageError, match="constant has no texts to rank here"):
        judge.take("constant", build("constant", fit_texts=()))


def test_without_judgements_there_is_nothing_to_measure() -> None:
    with pytest.raises(DataError, match="no queries to measure on"):
        RunsJudge(Qrels.from_dict({}), measures=(), sampling=Sampling())

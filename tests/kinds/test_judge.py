from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.data.ranking import qrels_of, run_of
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.judge import Judge
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import CandidateJudge
from textkin.measures.intervals.bootstrap import bootstrap_means
from textkin.measures.intervals.paired_tests import holm, paired_randomisation, smallest_difference
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.measure_names import parse
from textkin.measures.metrics.ranked import evaluate

SAMPLING = Sampling(50, 199)
CLASSES = ("no", "yes", "perhaps")


def questions(count: int = 15) -> CandidateSet:
    draw = np.random.default_rng(1)
    found = []
    for number in range(count):
        labels = draw.integers(0, 2, 6)
        labels[0] = 1
        names = tuple(f"d{place}" for place in range(6))
        found.append(Candidates(f"q{number}", f"question {number}", names, names, tuple(labels.tolist())))
    return CandidateSet(tuple(found), "questions")


def pairs(kind: LabelKind) -> PairSet:
    highest = 3 if kind is LabelKind.CLASSES else 2
    labels = np.random.default_rng(2).integers(0, highest, 40).tolist()
    made = tuple(Pair(f"a{row}", f"b{row}", float(label)) for row, label in enumerate(labels))
    return PairSet(made, kind, CLASSES if kind is LabelKind.CLASSES else ())


def ranked(**systems: int) -> CandidateJudge:
    """Systems by the number of their seeds."""
    judge = CandidateJudge(questions(), measures=["MAP", "GMAP", "NumRelRet"], sampling=SAMPLING)
    for place, (name, seeds) in enumerate(systems.items()):
        judge.take_scores(name, np.random.default_rng(place).random((seeds, 90)))
    return judge


def labelled(kind: LabelKind) -> PairJudge | ClassJudge:
    data = pairs(kind)
    judge = (ClassJudge if kind is LabelKind.CLASSES else PairJudge)(data, sampling=SAMPLING)
    draw = np.random.default_rng(3)
    for name, seeds in (("alone", 1), ("three", 3)):
        scores: NDArray[np.float64] = draw.random((seeds, len(data)))
        judge.take_scores(name, np.floor(3 * scores) if kind is LabelKind.CLASSES else scores)
    return judge


def test_a_ranking_of_several_seeds_is_the_mean_of_their_queries() -> None:
    judge, measure = ranked(alone=1, three=3), parse("MAP")
    scores = np.random.default_rng(1).random((3, 90))
    data = questions()
    rows = np.stack(
        [
            evaluate(run_of(data, row), qrels_of(data), [measure, parse("GMAP")]).values[measure]
            for row in scores
        ]
    )
    assert judge.value("three") == pytest.approx(rows.mean())
    assert judge.by_seed("three") == pytest.approx(rows.mean(axis=1).tolist())
    figures = judge.figures("three")
    (expected,) = bootstrap_means(rows.mean(axis=0)[None], resamples=50, ends=(0.0, 1.0))
    assert (figures["MAP"].low, figures["MAP"].high) == pytest.approx((expected.low, expected.high))
    floored = np.maximum(rows, 1e-5)
    assert figures["GMAP"].value == pytest.approx(np.exp(np.log(floored).mean()))
    assert figures["NumRelRet"].value == sum(sum(one.labels) for one in data)
    alone = judge.results["alone"].values[measure]
    gain = paired_randomisation(rows.mean(axis=0), alone, rounds=199, resamples=50)
    found = judge.difference("three", "alone")
    assert (found.value, found.p) == pytest.approx((gain.value, gain.p))


def test_the_table_tests_against_every_reference_and_corrects_for_all() -> None:
    judge = ranked(one=1, two=3, three=2)
    table = judge.table("one", "three", trained=["two"])
    keys = [("two", "one"), ("three", "one"), ("one", "three"), ("two", "three")]
    raw = [judge.difference(*key).p for key in keys]
    rows = {row.name: row for row in table.rows}
    assert [rows[name].against[reference].p for name, reference in keys] == holm(np.array(raw)).tolist()
    assert [list(row.against) for row in table.rows] == [["three"], ["one", "three"], ["one"]]
    assert table.references == ("one", "three")
    error = judge.difference("two", "one").standard_error
    assert table.detectable == smallest_difference(error, level=0.05 / 4)
    assert rows["one"].seeds_sd is None
    assert rows["two"].seeds_sd == pytest.approx(np.std(judge.by_seed("two"), ddof=1))


@pytest.mark.parametrize("kind", [None, LabelKind.BINARY, LabelKind.GRADED, LabelKind.CLASSES])
def test_what_is_written_reads_back_to_the_same_table(kind: LabelKind | None, tmp_path: Path) -> None:
    judge: Judge = ranked(alone=1, three=3) if kind is None else labelled(kind)
    again: Judge
    if kind is None:
        again = CandidateJudge(questions(), measures=["MAP", "GMAP", "NumRelRet"], sampling=SAMPLING)
    else:
        again = (ClassJudge if kind is LabelKind.CLASSES else PairJudge)(pairs(kind), sampling=SAMPLING)
    judge.write(tmp_path)
    again.read(tmp_path, ["three", "alone"])
    assert again.names == ["three", "alone"]
    assert again.table("alone", trained=["three"]).rows[0] == judge.table("alone", trained=["three"]).rows[1]
    with pytest.raises(DataError, match=r"no (run|column) of four"):
        again.read(tmp_path, ["four"])


def test_files_of_other_data_are_refused(tmp_path: Path) -> None:
    ranked(one=2).write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "one-seed0.run.trec",
        "one-seed1.run.trec",
        "qrels.trec",
    ]
    others = CandidateJudge(questions(14), measures=[], sampling=SAMPLING)
    with pytest.raises(DataError) as error:
        others.read(tmp_path, ["one"])
    assert str(error.value.path).endswith("qrels.trec")
    judge = labelled(LabelKind.CLASSES)
    judge.write(tmp_path)
    path = tmp_path / "classes.tsv"
    path.write_text(path.read_text().replace("perhaps", "never", 1))
    with pytest.raises(DataError) as error:
        judge.read(tmp_path, ["alone"])
    assert error.value.line == 2
    path.write_text("label\talone\n" + "no\tyes\n" * 40)
    with pytest.raises(DataError, match=r"has other labels than the data"):
        judge.read(tmp_path, ["alone"])
    with pytest.raises(DataError, match="not finite"):
        ranked().take_scores("nan", np.full((1, 90), np.nan))

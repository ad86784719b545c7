"""textkin study."""

import inspect

from textkin.cli import study
from textkin.report.content import Estimate, LabelCurve, LabelPoint, StudyReport
from textkin.verbs.experiments.study import StudyOptions


def test_the_command_studies_what_the_function_studies_by_default():
    written = {name: one.default for name, one in inspect.signature(study.command).parameters.items()}
    options = StudyOptions()
    assert written["models"] is options.models is None
    assert written["seeds"] == options.seeds
    assert written["split_seed"] == options.split_seed
    assert (written["resamples"], written["rounds"]) == (options.sampling.resamples, options.sampling.rounds)
    assert written["near"] == options.similarity


def test_the_curve_of_labels_is_printed(capsys):
    points = tuple(LabelPoint(share, labels, Estimate(0.5)) for share, labels in ((0.5, 700), (1.0, 1400)))
    curve = LabelCurve("static", points)
    study.print_table(StudyReport("title", "data", "made", "0", "AP", label_curve=curve))
    said = capsys.readouterr().out
    assert "static by the labels that it learns from" in said
    assert [line.split() for line in said.splitlines()[-2:]] == [
        ["50.0", "%", "700", "0.500"],
        ["100.0", "%", "1,400", "0.500"],
    ]

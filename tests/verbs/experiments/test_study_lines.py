"""What a study prints."""

from textkin.report.content import Estimate, LabelCurve, LabelPoint, StudyReport
from textkin.verbs.experiments.study_lines import study_lines


def test_the_curve_of_labels_is_printed():
    points = tuple(LabelPoint(share, labels, Estimate(0.5)) for share, labels in ((0.5, 700), (1.0, 1400)))
    curve = LabelCurve("static", points)
    lines = list(study_lines(StudyReport("title", "data", "made", "0", "AP", label_curve=curve)))
    assert [line.split() for line in lines[-1].splitlines()[-2:]] == [
        ["50.0", "%", "700", "0.500"],
        ["100.0", "%", "1,400", "0.500"],
    ]

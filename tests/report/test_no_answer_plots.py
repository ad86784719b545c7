"""The report of readers as a page."""

import dataclasses

from tests.report.test_study_page import HOSTILE, Outline
from textkin.report.content import Estimate, ReliabilityBin, SystemRow, Systems
from textkin.report.data_facts import Reproduction
from textkin.report.measured_page import MeasuredReport, measured_page
from textkin.report.no_answer_plots import Abstention

PLOTS = Abstention(
    system=HOSTILE,
    coverage=(0.25, 0.5, 1.0),
    risk=(0.1, 0.2, 0.5),
    risk_area=Estimate(0.21, 0.15, 0.3),
    bins=(ReliabilityBin(0.1, 0.2, 7), ReliabilityBin(0.8, 0.9, 3)),
    calibration_error=Estimate(0.1, 0.05, 0.2),
)
REPORT = MeasuredReport(
    title=f"Answers of {HOSTILE}",
    facts=("10 questions", HOSTILE),
    measure="F1",
    systems=Systems(
        rows=(SystemRow(HOSTILE, True, {"F1": Estimate(0.5, 0.4, 0.6)}),), references=(), queries=10
    ),
    notes=(HOSTILE,),
    plots=(PLOTS, dataclasses.replace(PLOTS, system="other")),
    calibrated=frozenset({HOSTILE}),
    by_class=(),
    decisions=None,
    made=Reproduction("", settings={"seed": "0"}),
)


def test_everything_is_on_the_page_and_nothing_of_it_acts():
    made = measured_page(REPORT)
    Outline(made)
    assert made.count("<script") == 1 and HOSTILE not in made
    assert made.count('<svg viewBox="0 0 420 300"') == 3
    for words in (
        "0.210",
        "Risk by coverage",
        "The probability of no answer of other",
        "not fitted: tk.calibrate does it",
        "fitted on dev questions",
        "10 questions",
        "seed",
    ):
        assert words in made, words
    assert '<td class="num">0.800</td>' in made or "0.800" in made


def test_without_probabilities_only_the_table_is_left():
    made = measured_page(dataclasses.replace(REPORT, plots=(), made=Reproduction("")))
    assert "Risk by coverage" not in made and "<nav" not in made and "All systems" in made

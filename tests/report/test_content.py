import dataclasses
import json
import math

import numpy as np
import pytest

from tests.report.example import bare_report, full_report, verdict
from textkin.base.errors import DataError
from textkin.report.content import Estimate, StudyReport, VerdictKind


@pytest.mark.parametrize("report", [bare_report(), full_report()], ids=["bare", "full"])
def test_json_and_back(report):
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert StudyReport.from_dict(json.loads(text)) == report


def test_numpy_numbers_become_plain_ones():
    report = dataclasses.replace(
        bare_report(),
        verdict=dataclasses.replace(verdict(), difference=np.float32(0.5), seeds=np.int64(2)),
    )
    again = StudyReport.from_dict(json.loads(json.dumps(report.to_dict())))
    assert again.verdict == dataclasses.replace(verdict(), difference=0.5, seeds=2)
    assert again.verdict.kind is VerdictKind.BETTER


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float32("nan")])
def test_a_figure_that_is_no_number_is_refused_with_its_place(value):
    report = full_report()
    rows = list(report.systems.rows)
    rows[2] = dataclasses.replace(rows[2], measures={"AP": Estimate(0.5, value, 0.6)})
    report = dataclasses.replace(report, systems=dataclasses.replace(report.systems, rows=tuple(rows)))
    with pytest.raises(DataError, match=r"report\.systems\.rows\[2\]\.measures\['AP'\]\.low is (nan|inf)"):
        report.to_dict()


def test_unpaired_surrogates_can_be_written():
    report = dataclasses.replace(bare_report(), title="a\ud800b", data="😀")
    content = report.to_dict()
    assert content["title"] == "a\N{REPLACEMENT CHARACTER}b"
    assert content["data"] == "😀"


def test_unknown_missing_and_wrong_are_refused():
    content = full_report().to_dict()
    with pytest.raises(DataError, match="verdikt"):
        StudyReport.from_dict({**content, "verdikt": None})
    with pytest.raises(DataError, match=r"report\.title"):
        StudyReport.from_dict({key: value for key, value in content.items() if key != "title"})
    with pytest.raises(DataError, match=r"report\.verdict\.kind"):
        StudyReport.from_dict({**content, "verdict": {**content["verdict"], "kind": "splendid"}})
    with pytest.raises(DataError, match=r"report\.verdict\.extra"):
        StudyReport.from_dict({**content, "verdict": {**content["verdict"], "extra": 1}})


@pytest.mark.parametrize("number", [2, 4])
def test_another_format_is_refused(number):
    with pytest.raises(DataError, match=f"format is {number}, expected 3"):
        StudyReport.from_dict({**full_report().to_dict(), "format": number})

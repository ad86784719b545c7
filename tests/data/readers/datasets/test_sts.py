"""STS Benchmark."""

from pathlib import Path

import pytest

from textkin.data.readers.datasets import sts
from textkin.data.records import LabelKind


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def test_seven_or_nine_columns(tmp_path: Path) -> None:
    file = tmp_path / "sts.csv"
    start = "main\tMSR\t2012\t1\t"
    file.write_text(f'{start}5.000\tA "plane", off.\tA plane\n{start}0.5\tx\ty\tl1\tl2\n{start}1\tshort\n')
    loaded = sts.read_sts(file)
    assert [(pair.a, pair.label) for pair in loaded.data] == [('A "plane", off.', 5.0), ("x", 0.5)]
    assert loaded.data.kind is LabelKind.GRADED
    assert loaded.report.skipped == {"wrong number of columns": 1}

import dataclasses
import json
import math
import subprocess
import sys

import pytest

from tests.report.example import bare_report, full_report, verdict
from textkin.base.errors import DataError, OutputError
from textkin.report.content import StudyReport
from textkin.report.write import write_report


def test_three_files_that_say_the_same(tmp_path):
    report = dataclasses.replace(full_report(), title="caf\u00e9 \ud800 <b>")
    path = write_report(report, tmp_path / "run")
    assert path == tmp_path / "run" / "report.html"
    assert sorted(each.name for each in path.parent.iterdir()) == ["report.html", "report.json", "report.md"]
    again = StudyReport.from_dict(json.loads((path.parent / "report.json").read_text(encoding="utf-8")))
    assert again == dataclasses.replace(report, title="caf\u00e9 \N{REPLACEMENT CHARACTER} <b>")
    assert "caf\u00e9 \N{REPLACEMENT CHARACTER} &lt;b&gt;" in path.read_text(encoding="utf-8")
    assert (
        (path.parent / "report.md")
        .read_text(encoding="utf-8")
        .startswith("# caf\u00e9 \N{REPLACEMENT CHARACTER}")
    )


@pytest.mark.slow
def test_the_same_report_gives_the_same_bytes(tmp_path):
    first, second = (write_report(full_report(), tmp_path / name) for name in "ab")
    for name in ("report.html", "report.json", "report.md"):
        assert (first.parent / name).read_bytes() == (second.parent / name).read_bytes()


def test_nan_leaves_the_folder_as_it_was(tmp_path):
    write_report(bare_report(), tmp_path)
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    report = dataclasses.replace(bare_report(), verdict=dataclasses.replace(verdict(), p=math.nan))
    with pytest.raises(DataError, match=r"report\.verdict\.p is nan"):
        write_report(report, tmp_path)
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "run").write_text("x")
    with pytest.raises(OutputError):
        write_report(bare_report(), tmp_path / "run")


@pytest.mark.slow
def test_the_room_loads_no_torch():
    code = "import sys, textkin.report.write; sys.exit('torch' in sys.modules or 'matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

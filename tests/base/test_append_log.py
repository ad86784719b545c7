"""Files of lines: added to by several processes, cut off by kills, and never changed."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from textkin.base.append_log import LineFile
from textkin.base.errors import DataError, OutputError
from textkin.base.locks import lock_file


def values(file: LineFile) -> list[object]:
    return [line["n"] for _, line in file.fresh()]


def test_lines_come_back_in_order_and_once(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "lines")
    assert file.fresh() == [] and not file.path.exists()
    file.add([{"n": 1}, {"n": 2}])
    assert file.fresh() == [(1, {"n": 1}), (2, {"n": 2})] and file.fresh() == []
    LineFile(file.path).add([{"n": 3}])
    assert file.fresh() == [(3, {"n": 3})] and file.lines == 3


def test_what_a_kill_has_cut_off_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = LineFile(tmp_path / "lines")
    file.add([{"n": 1}])
    with file.path.open("ab") as stream:
        stream.write(b'{"n": 2, "te')
    assert values(file) == [1]
    file.add([{"n": 3}])
    assert values(file) == [3] and values(LineFile(file.path)) == [1, 3]
    assert "not whole" in capsys.readouterr().err


def test_whoever_adds_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textkin.base.locks.PATIENCE", 0.1)
    file = LineFile(tmp_path / "lines")
    with file.held():
        file.add([{"n": 1}])  # which it holds already
        with pytest.raises(OutputError, match="another textkin is writing"):
            LineFile(file.path).add([{"n": 2}])
    LineFile(file.path).add([{"n": 2}])
    assert values(file) == [1, 2]
    held = lock_file(file.path, target=file.path)
    with pytest.raises(OutputError, match="another textkin"):
        file.add([{"n": 3}])
    import os

    os.close(held)


def _add(path: Path, first: int) -> None:
    file = LineFile(path)
    for number in range(20):
        with file.held():
            file.fresh()
            file.add([{"n": first + number, "line": file.lines + 1}])
            file.fresh()


@pytest.mark.slow
def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    started = [context.Process(target=_add, args=(tmp_path / "lines", first)) for first in (0, 100)]
    for one in started:
        one.start()
    for one in started:
        one.join()
    found = LineFile(tmp_path / "lines").fresh()
    assert sorted(line["n"] for _, line in found) == [*range(20), *range(100, 120)]
    assert all(number == line["line"] for number, line in found)


@pytest.mark.parametrize("line", ["", "[1]", "x", "[" * 100_000])
def test_a_line_that_is_none(tmp_path: Path, line: str) -> None:
    path = tmp_path / "lines"
    path.write_text(f'{{"n": 1}}\n{line}\n')
    with pytest.raises(DataError, match="2: is no JSON object"):
        LineFile(path).fresh()


def test_a_folder_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be read"):
        LineFile(tmp_path).fresh()
    with pytest.raises(OutputError):
        LineFile(tmp_path).add([{"n": 1}])

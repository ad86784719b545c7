"""Line files: appended by several processes, truncated by kills, and never changed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from textkin.base.append_log import LineFile, LineLog
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


@pytest.mark.slow
def test_whoever_adds_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textkin.base.locks.PATIENCE", 0.1)
    file = LineFile(tmp_path / "lines")
    with file.held():
        file.add([{"n": 1}])  # which it holds already
        with pytest.raises(OutputError):
            LineFile(file.path).add([{"n": 2}])
    LineFile(file.path).add([{"n": 2}])
    assert values(file) == [1, 2]
    held = lock_file(file.path, target=file.path)
    with pytest.raises(OutputError):
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
    with pytest.raises(DataError) as error:
        LineFile(path).fresh()
    assert error.value.line == 2


def test_a_folder_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        LineFile(tmp_path).fresh()
    assert str(error.value.path).endswith("test_a_folder_is_no_such_file0")
    with pytest.raises(OutputError):
        LineFile(tmp_path).add([{"n": 1}])


HEAD = {"kind": "lines", "format": 1}


def opened(path: Path) -> LineLog:
    return LineLog(path, HEAD, fix="move it away")


def add(log: LineLog, *numbers: int) -> None:
    for number in numbers:
        with log.alone() as append:
            append({"n": number})


def numbers(log: LineLog) -> list[int]:
    return [line["n"] for line in log.lines]


def test_lines_come_back_in_their_order(tmp_path: Path) -> None:
    log = opened(tmp_path / "log")
    assert log.lines == () and not log.path.exists()
    add(log, 1, 2, 3)
    assert numbers(log) == numbers(opened(log.path)) == [1, 2, 3]
    assert json.loads(log.path.read_text().splitlines()[0]) == HEAD


def test_what_a_kill_cut_off_is_left_out_and_then_removed(tmp_path: Path) -> None:
    log = opened(tmp_path / "log")
    add(log, 1)
    whole = log.path.read_bytes()
    with log.path.open("ab") as stream:
        stream.write(b'{"n": 2' + b" " * 1_000)  # longer than the line that comes next
    again = opened(log.path)
    assert numbers(again) == [1] and log.path.read_bytes() != whole, "reading changes nothing"
    add(again, 3)
    assert numbers(opened(log.path)) == [1, 3]


def test_a_head_that_was_cut_off(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b'{"kind": "li')
    log = opened(tmp_path / "log")
    add(log, 1)
    assert numbers(opened(log.path)) == [1]


@pytest.mark.slow
def test_two_writers_see_each_other(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "log"), opened(tmp_path / "log")
    add(one, 1)
    add(other, 2)
    assert numbers(other) == [1, 2] and numbers(one) == [1]
    one.catch_up()
    assert numbers(one) == [1, 2]
    with one.alone(), pytest.raises(OutputError), other.alone():
        raise AssertionError
    one.path.unlink()
    one.catch_up()
    assert one.lines == ()


@pytest.mark.slow
def test_acknowledged_lines_outlive_kills(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom textkin.base.append_log import LineLog\n"
        f"log = LineLog(sys.argv[1], {HEAD!r}, fix='')\n"
        "for n in range(len(log.lines), 10**6):\n"
        "    with log.alone() as append:\n        append({'n': n})\n"
        "    print(n, flush=True)\n"
    )
    path, told = tmp_path / "log", -1
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        assert process.stdout is not None
        for _ in range(50):
            told = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0].split()
        told = int(rest[-1]) if rest else told
        found = numbers(opened(path))
        assert found == list(range(len(found))) and len(found) > told


@pytest.mark.parametrize("content", [b'{"kind": "other"}\n', b"[1]\n", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_a_file_of_another_kind_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        opened(path)
    assert error.value.line == 1
    assert path.read_bytes() == content


def test_links_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "there").write_text('{"kind": "lines", "format": 1}\n')
    (tmp_path / "log").symlink_to(tmp_path / "there")
    with pytest.raises(DataError) as error:
        opened(tmp_path / "log")
    assert str(error.value.path).endswith("log")
    with pytest.raises(DataError) as error:
        opened(tmp_path)
    assert error.value.path == tmp_path


def test_a_full_disk_leaves_the_lines_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = opened(tmp_path / "log")
    add(log, 1)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError):
        add(log, 2)
    monkeypatch.undo()
    assert numbers(log) == numbers(opened(log.path)) == [1]
    add(log, 3)
    assert numbers(opened(log.path)) == [1, 3]


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_bytes(b'{"n": 7}\n' * 9)])
def test_lines_that_are_gone_are_told_and_nothing_is_added(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    file = LineFile(tmp_path / "lines")
    file.add([{"n": 1}, {"n": 2}])
    assert values(file) == [1, 2]
    change(file.path)
    there = file.path.read_bytes() if file.path.exists() else None
    for work in (file.fresh, lambda: file.add([{"n": 3}])):
        with pytest.raises(DataError) as error:
            work()
        assert error.value.path == file.path
    assert (file.path.read_bytes() if file.path.exists() else None) == there
    add(log := opened(tmp_path / "log"), 1)
    log.path.unlink()
    add(log, 2)
    assert numbers(log) == numbers(opened(log.path)) == [2], "its first line is written again"

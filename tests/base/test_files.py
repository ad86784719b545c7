import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from textkin.base import files, locks
from textkin.base.errors import OutputError


def names(folder):
    return sorted(item.name for item in folder.iterdir())


def full(*arguments):
    raise OSError(errno.ENOSPC, "No space left on device")


WRITERS = {
    "text": lambda path: files.write_text(path, "new\n"),
    "bytes": lambda path: files.write_bytes(path, b"new\n"),
    "json": lambda path: files.write_json(path, "new"),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_files_appear_whole_and_with_the_usual_rights(write, tmp_path):
    path = tmp_path / "deep" / "file"
    before = os.umask(0o027)
    try:
        write(path)
    finally:
        os.umask(before)
    assert path.read_text().strip('"\n') == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(path.parent) == ["file"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(write, failing, tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(*(("os.fsync", full) if failing == "fsync" else ("pathlib.Path.replace", full)))
    with pytest.raises(OutputError):
        write(path)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_a_write_that_really_fails(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OutputError, match="too large"):
            files.write_text(tmp_path / "file", "x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError("ours"), KeyboardInterrupt()])
def test_other_exceptions_pass_and_leave_nothing(error, tmp_path):
    with pytest.raises(type(error)), files.atomic_text(tmp_path / "file") as stream:
        stream.write("half")
        raise error
    assert names(tmp_path) == []


def test_what_cannot_be_read_is_not_called_a_write_error(tmp_path):
    with pytest.raises(FileNotFoundError), files.atomic_text(tmp_path / "file") as stream:
        stream.write((tmp_path / "missing").read_text())
    with pytest.raises(FileNotFoundError), files.atomic_folder(tmp_path / "folder"):
        (tmp_path / "missing").read_text()
    with pytest.raises(OutputError), files.atomic_folder(tmp_path / "folder") as folder:
        (folder / "no" / "such" / "place").write_text("x")
    assert names(tmp_path) == []


def test_folders_and_devices_are_never_replaced_by_a_file(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(OutputError):
            files.write_text(tmp_path / name, "x")
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError):
        files.write_text(tmp_path / "file" / "below", "x")
    with pytest.raises(OutputError):
        files.ensure_folder(tmp_path / "file")
    for name in ("a/" * 3_000 + "b", "x" * 300):
        with pytest.raises(OutputError):
            files.write_text(tmp_path / name, "x")
    assert names(tmp_path) == ["file", "folder", "pipe"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_json_is_sorted_and_has_no_nan(tmp_path):
    files.write_json(tmp_path / "a", {"b": 1, "a": "é"})
    assert (tmp_path / "a").read_text(encoding="utf-8") == '{\n  "a": "é",\n  "b": 1\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        files.write_json(tmp_path / "a", float("nan"))
    assert "é" in (tmp_path / "a").read_text(encoding="utf-8")


def test_a_folder_is_replaced_whole(tmp_path):
    for content in ("one", "two"):
        with files.atomic_folder(tmp_path / "folder") as temporary:
            (temporary / content).write_text(content)
            assert names(temporary) == [content]
    assert names(tmp_path / "folder") == ["two"]
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("failing", ["fsync", "second rename"])
def test_a_folder_that_fails_leaves_the_old_one(failing, tmp_path, monkeypatch):
    with files.atomic_folder(tmp_path / "folder") as temporary:
        (temporary / "old").write_text("old")
    replace = Path.replace
    if failing == "fsync":
        monkeypatch.setattr("os.fsync", full)
    else:
        monkeypatch.setattr(
            Path, "replace", lambda self, to: full() if (self / "new").exists() else replace(self, to)
        )
    with (
        pytest.raises(OutputError),
        files.atomic_folder(tmp_path / "folder") as new,
    ):
        (new / "new").write_text("new")
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["old"]


def test_files_move_together_the_last_one_last(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    (tmp_path / "m").write_text("old")
    (tmp_path / "mine").write_text("mine")
    moved = []
    replace = Path.replace

    def noted(self, target):
        moved.append((target.name, (tmp_path / "m").exists()))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    with files.atomic_files(tmp_path, last="m") as staged:
        for name in ("m", "z", "a"):
            (staged / name).write_text("new")
        assert (tmp_path / "a").read_text() == "old"
    assert moved == [("a", False), ("z", False), ("m", False)]
    assert {name: (tmp_path / name).read_text() for name in names(tmp_path)} == {
        "a": "new",
        "m": "new",
        "mine": "mine",
        "z": "new",
    }


def test_files_that_fail_together_change_nothing(tmp_path, monkeypatch):
    (tmp_path / "m").write_text("old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError), files.atomic_files(tmp_path, last="m") as staged:
        (staged / "m").write_text("new")
    assert names(tmp_path) == ["m"]
    assert (tmp_path / "m").read_text() == "old"


KILLED = """
import os, signal, sys
from textkin.base import files, locks
from pathlib import Path
folder = Path(sys.argv[1])
writers = [
    files.atomic_path(folder / "file"),
    files.atomic_folder(folder / "folder"),
    files.atomic_files(folder, last="last"),
]
one, *others = [writer.__enter__() for writer in writers]
one.write_text("half")
for other in others:
    (other / "half").write_text("half")
print("writing", flush=True)
if "stay" in sys.argv:
    sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""
LEFT = [".file.textkin-tmp", ".folder.textkin-tmp", ".last.textkin-tmp"]


@contextmanager
def writing(folder, *arguments):
    """A process that is writing two files and a folder there."""
    command = [sys.executable, "-c", KILLED, str(folder), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"writing\n"
            yield process
        finally:
            process.stdin.close()
            process.wait()


@pytest.mark.slow
def test_what_killed_writers_left_goes(tmp_path):
    with writing(tmp_path) as process:
        pass
    assert process.returncode == -signal.SIGKILL
    (tmp_path / ".mine.tmp").write_text("mine")
    assert names(tmp_path) == sorted([*LEFT, ".mine.tmp"])
    files.remove_temporaries(tmp_path)
    assert names(tmp_path) == [".mine.tmp"]


@pytest.mark.slow
def test_what_killed_writers_left_is_taken_over(tmp_path):
    with writing(tmp_path):
        pass
    files.write_text(tmp_path / "file", "new")
    with files.atomic_folder(tmp_path / "folder") as staged:
        assert names(staged) == []
    with files.atomic_files(tmp_path, last="last") as staged:
        assert names(staged) == []
        (staged / "last").write_text("new")
    assert names(tmp_path) == ["file", "folder", "last"]
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.slow
def test_what_a_living_writer_writes_stays_and_nobody_else_writes_there(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "PATIENCE", 0)
    with writing(tmp_path, "stay"):
        files.remove_temporaries(tmp_path)
        assert names(tmp_path) == LEFT
        for block in (
            files.atomic_text(tmp_path / "file"),
            files.atomic_folder(tmp_path / "folder"),
            files.atomic_files(tmp_path, last="last"),
        ):
            with pytest.raises(OutputError), block:
                pass
        assert names(tmp_path) == LEFT
    files.write_text(tmp_path / "file", "new")


@pytest.mark.slow
def test_a_folder_has_one_writer_who_clears_it_up(tmp_path, monkeypatch):
    with writing(tmp_path):
        pass
    monkeypatch.setattr(locks, "PATIENCE", 0)
    with files.sole_writer(tmp_path) as folder:
        assert names(folder) == []
        files.write_text(folder / "file", "new")
        with pytest.raises(OutputError), files.sole_writer(tmp_path):
            pass
        monkeypatch.setenv("RANK", "1")  # a process of the same torchrun
        with files.sole_writer(tmp_path):
            pass
    monkeypatch.delenv("RANK")
    with files.sole_writer(tmp_path / "deep" / "folder") as folder:
        assert folder.is_dir()


@pytest.mark.slow
def test_a_writer_waits_for_one_that_is_about_to_end(tmp_path):
    with files.atomic_text(tmp_path / "file") as stream:
        stream.write("one")
        other = threading.Thread(target=files.write_text, args=(tmp_path / "file", "two"))
        other.start()
        time.sleep(0.2)
    other.join()
    assert (tmp_path / "file").read_text() == "two"
    assert names(tmp_path) == ["file"]


def test_a_folder_that_lost_its_name_to_a_kill_gets_it_back(tmp_path):
    for begin in (lambda: files.remove_temporaries(tmp_path), lambda: _failing_folder(tmp_path / "folder")):
        (tmp_path / ".folder.textkin-old").mkdir()
        (tmp_path / ".folder.textkin-old" / "old").write_text("old")
        begin()
        assert names(tmp_path) == ["folder"]
        assert names(tmp_path / "folder") == ["old"]
        (tmp_path / "folder" / "old").unlink()
        (tmp_path / "folder").rmdir()


def _failing_folder(path):
    with pytest.raises(KeyError), files.atomic_folder(path):
        raise KeyError


def test_links_under_a_temporary_name_lead_nowhere(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_text("theirs")
    for name in ("x", "y"):
        (tmp_path / f".{name}.textkin-tmp").symlink_to(tmp_path / "theirs")
    with pytest.raises(OutputError):
        files.write_text(tmp_path / "x", "new")
    with pytest.raises(OutputError), files.atomic_folder(tmp_path / "y"):
        pass
    with files.atomic_files(tmp_path, last="last") as staged:
        (staged / "sub").mkdir()
        (tmp_path / "sub").symlink_to(tmp_path / "theirs")
    assert not (tmp_path / "sub").is_symlink()
    files.remove_temporaries(tmp_path)
    assert names(tmp_path / "theirs") == ["file"]


def test_whatever_stops_work_says_what_is_kept(tmp_path):
    for error in (OutputError("full"), KeyboardInterrupt()):
        with pytest.raises(type(error)), files.resumable(tmp_path / "part"):
            (tmp_path / "part").touch()
            raise error
        assert error.__notes__ == [
            f"{tmp_path / 'part'} keeps what is done, and the same call goes on from there"
        ]
    with pytest.raises(KeyError) as caught, files.resumable(tmp_path / "none"):
        raise KeyError
    assert not hasattr(caught.value, "__notes__")


def test_hashes(tmp_path):
    (tmp_path / "abc").write_bytes(b"abc")
    # FIPS 180-2, appendix B.1.
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert files.sha256_of_file(tmp_path / "abc") == known
    assert files.sha256_of_json({"a": 1, "b": [2]}) == files.sha256_of_json({"b": [2], "a": 1})
    assert files.sha256_of_json({"a": 1}) != files.sha256_of_json({"a": 1.5})


def test_what_is_read_and_would_be_written(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    assert files.overwritten([one], [other, None]) is None
    assert files.overwritten([other, one], [None, tmp_path / "x", str(one)]) == one
    (tmp_path / "deep").mkdir()
    assert files.overwritten([one], [tmp_path / "deep" / ".." / "one"]) is not None


def test_a_writer_that_is_interrupted_before_it_writes_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        taken = iter([interrupted])
        real = locks._taken
        patch.setattr(locks, "_taken", lambda held: next(taken, real)(held))
        files.write_text(tmp_path / "a", "x")
    assert names(tmp_path) == []
    files.write_text(tmp_path / "a", "x")
    assert names(tmp_path) == ["a"]

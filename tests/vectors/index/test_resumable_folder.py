import json
import zipfile

import pytest

from textkin.base import locks
from textkin.base.errors import OutputError
from textkin.vectors.index.resumable_folder import finished, part_folder

MADE_OF = {"model": "m", "sizes": (1, 2)}


def make(target, made_of=MADE_OF):
    with part_folder(target, made_of) as part:
        (part.path / "a").write_text("A")
        part.save({"done": 1}, [part.path / "a"])
        return part.finish({"count": 1})


def test_a_folder(tmp_path):
    target = tmp_path / "new" / "out"
    assert finished(target, MADE_OF) is None
    manifest = make(target)
    assert (
        finished(target, MADE_OF)
        == json.loads(json.dumps(manifest))
        == {
            "made_of": {"model": "m", "sizes": [1, 2]},
            "count": 1,
        }
    )
    assert sorted(item.name for item in target.iterdir()) == ["a", "textkin.json"]
    assert [item.name for item in target.parent.iterdir()] == ["out"]


def test_a_zip_file(tmp_path):
    target = tmp_path / "out.zip"
    make(target)
    assert finished(target, MADE_OF)["count"] == 1
    with zipfile.ZipFile(target) as packed:
        assert packed.namelist() == ["a", "textkin.json"]
    assert [item.name for item in tmp_path.iterdir()] == ["out.zip"]


def test_what_a_kill_left_is_gone_on_with(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught, part_folder(tmp_path / "out", MADE_OF) as part:
        (part.path / "a").write_text("A")
        part.save({"done": 1}, [part.path / "a"])
        raise KeyboardInterrupt
    assert "keeps what is done" in caught.value.__notes__[0]
    with part_folder(tmp_path / "out", MADE_OF) as part:
        assert part.state == {"done": 1} and (part.path / "a").exists()
    with part_folder(tmp_path / "out", {"model": "other"}) as part:
        assert part.state == {} and not list(part.path.iterdir())


def test_what_is_there_is_not_mixed_with(tmp_path):
    make(tmp_path / "out")
    with pytest.raises(OutputError):
        finished(tmp_path / "out", {**MADE_OF, "model": "other"})
    (tmp_path / "other").mkdir()
    assert finished(tmp_path / "other", MADE_OF) is None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("x")
    (tmp_path / "text.zip").write_text("x")
    (tmp_path / "text").write_text("x")
    for name in ("other", "text", "text.zip"):
        with pytest.raises(OutputError):
            finished(tmp_path / name, MADE_OF)


def test_one_writer_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "PATIENCE", 0.0)
    again = part_folder(tmp_path / "out", MADE_OF)
    with part_folder(tmp_path / "out", MADE_OF), pytest.raises(OutputError):
        again.__enter__()


def test_what_a_late_kill_left_goes(tmp_path):
    make(tmp_path / "out.zip")
    make(tmp_path / "out")
    (tmp_path / ".out.zip.part").mkdir()
    (tmp_path / ".out.zip.part" / "a").write_text("A")
    (tmp_path / "out" / "state.json").write_text("{}")
    for name in ("out.zip", "out"):
        assert finished(tmp_path / name, MADE_OF)["count"] == 1
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "out.zip"]
    assert sorted(item.name for item in (tmp_path / "out").iterdir()) == ["a", "textkin.json"]


def test_the_same_files_make_the_same_zip_file(tmp_path):
    contents = []
    for name in ("a.zip", "b.zip"):
        make(tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert {about.date_time[0] for about in packed.infolist()} == {1980}


def test_what_the_last_step_had_written_goes_before_it_is_done_again(tmp_path):
    with pytest.raises(KeyboardInterrupt), part_folder(tmp_path / "out", MADE_OF) as part:
        (part.path / "a").write_text("A")
        part.save({"done": 1}, [part.path / "a"])
        for name in ("textkin.json", ".textkin.json.textkin-tmp"):
            (part.path / name).write_text("{}")
        raise KeyboardInterrupt
    with part_folder(tmp_path / "out", MADE_OF) as part:
        assert part.state == {"done": 1} and part.size() == 1
        assert sorted(item.name for item in part.path.iterdir()) == ["a", "state.json"]


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_what_nests_too_deep_is_something_else(tmp_path, name):
    target = tmp_path / name
    if name == "out":
        target.mkdir()
        (target / "textkin.json").write_text("[" * 100_000)
    else:
        with zipfile.ZipFile(target, "w") as packed:
            packed.writestr("textkin.json", "[" * 100_000)
    with pytest.raises(OutputError):
        finished(target, MADE_OF)

import resource

import numpy as np
import pytest

from textkin.base import locks
from textkin.base.errors import OutputError
from textkin.base.growing_npy import RowFile

ROWS = np.arange(40, dtype=np.float32).reshape(10, 4)


def test_rows_become_a_numpy_file(tmp_path):
    path = tmp_path / "new" / "v.npy"
    file = RowFile(path, width=4, made_of={"texts": "a"})
    for part in np.split(ROWS, [3, 3, 9]):
        file.append(part)
        assert not path.exists()
    file.finish()
    np.testing.assert_array_equal(np.load(path, allow_pickle=False), ROWS)
    assert np.load(path, mmap_mode="r").dtype == np.float32
    assert [item.name for item in path.parent.iterdir()] == ["v.npy"]


def test_no_rows(tmp_path):
    RowFile(tmp_path / "v.npy", width=4, made_of={}).finish()
    assert np.load(tmp_path / "v.npy").shape == (0, 4)


@pytest.mark.parametrize("more", [b"", b"half a row that no journal tells of"])
def test_what_a_kill_left_is_taken_up(tmp_path, more):
    path = tmp_path / "v.npy"
    file = RowFile(path, width=4, made_of={"texts": "a"})
    file.append(ROWS[:6])
    file._stream.write(more)
    file.close()
    again = RowFile(path, width=4, made_of={"texts": "a"})
    assert again.rows == 6
    again.append(ROWS[6:])
    again.finish()
    np.testing.assert_array_equal(np.load(path), ROWS)


@pytest.mark.parametrize("spoil", ["made of", "width", "shorter", "a byte shorter", "journal"])
def test_what_does_not_fit_is_thrown_away(tmp_path, spoil):
    path = tmp_path / "v.npy"
    file = RowFile(path, width=4, made_of={"texts": "a"})
    file.append(ROWS[:6])
    file.close()
    width, made_of = 4, {"texts": "a"}
    if spoil == "made of":
        made_of = {"texts": "b"}
    elif spoil == "width":
        width = 2
    elif spoil == "shorter":
        file._part.write_bytes(file._part.read_bytes()[:50])
    elif spoil == "a byte shorter":
        file._part.write_bytes(file._part.read_bytes()[:-1])
    else:
        file._journal.write_text('{"rows": ')
    again = RowFile(path, width=width, made_of=made_of)
    assert again.rows == 0
    again.append(ROWS[:, :width])
    again.finish()
    np.testing.assert_array_equal(np.load(path), ROWS[:, :width])


def test_any_number_of_rows_has_a_header_of_one_length(tmp_path):
    file = RowFile(tmp_path / "v.npy", width=4, made_of={})
    lengths = set()
    for rows in (0, 9, 10**6, 10**12):
        file.rows = rows
        lengths.add(len(file._header()))
    file.close()
    assert len(lengths) == 1


def test_places_that_can_not_be_written_to(tmp_path):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file" / "v.npy"):
        with pytest.raises(OutputError):
            RowFile(path, width=4, made_of={})


def test_a_file_has_one_maker(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "PATIENCE", 0)
    path = tmp_path / "v.npy"
    with RowFile(path, width=4, made_of={}) as file:
        file.append(ROWS)
        with pytest.raises(OutputError):
            RowFile(path, width=4, made_of={"texts": "b"})
        file.finish()
    np.testing.assert_array_equal(np.load(path), ROWS)


@pytest.mark.parametrize("rows", [0, 6])
def test_nothing_stays_where_nothing_was_done(tmp_path, rows):
    with pytest.raises(KeyError), RowFile(tmp_path / "v.npy", width=4, made_of={}) as file:
        if rows:
            file.append(ROWS[:rows])
        raise KeyError
    assert sorted(item.name for item in tmp_path.iterdir()) == [".v.npy.part", ".v.npy.part.json"] * (
        rows > 0
    )


def test_rows_that_a_full_disk_took_stay(tmp_path):
    path = tmp_path / "v.npy"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.raises(OutputError), RowFile(path, width=4, made_of={}) as file:
        file.append(ROWS[:6])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            file.append(np.zeros((1000, 4), dtype=np.float32))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with RowFile(path, width=4, made_of={}) as file:
        assert file.rows == 6
        file.append(ROWS[6:])
        file.finish()
    np.testing.assert_array_equal(np.load(path), ROWS)


def test_numbers_of_other_types(tmp_path):
    path = tmp_path / "v.npy"
    with RowFile(path, width=2, made_of={}, dtype="<i8") as file:
        file.append(np.array([[1, 2**40]]))
    with RowFile(path, width=2, made_of={}) as file:
        assert file.rows == 0  # float32 is another making
    with RowFile(path, width=2, made_of={}, dtype="<i8") as file:
        file.append(np.array([[1, 2**40]]))
        file.append(np.array([[3, -4]]))
        file.finish()
    assert np.load(path).tolist() == [[1, 2**40], [3, -4]] and np.load(path).dtype == np.int64


def test_rows_are_taken_away_again(tmp_path):
    path = tmp_path / "v.npy"
    with RowFile(path, width=4, made_of={}) as file:
        file.append(ROWS[:6])
        file.cut(9)
        assert file.rows == 6
        file.cut(3)
        file.close()
    with RowFile(path, width=4, made_of={}) as file:
        assert file.rows == 3
        file.append(ROWS[3:])
        file.finish()
    np.testing.assert_array_equal(np.load(path), ROWS)


def test_a_call_that_is_interrupted_while_it_opens_the_file_takes_nothing_away(tmp_path, monkeypatch):
    path = tmp_path / "v.npy"
    file = RowFile(path, width=4, made_of={"texts": "a"})
    file.append(ROWS[:6])
    file.close()

    def interrupted(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(RowFile, "_rows_on_disk", interrupted)
        RowFile(path, width=4, made_of={"texts": "a"})
    again = RowFile(path, width=4, made_of={"texts": "a"})
    assert again.rows == 6
    again.close()

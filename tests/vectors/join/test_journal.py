from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.vectors.join.journal import Journal, hash_of_rows
from textkin.vectors.join.pair_list import PAIR

_ABOUT = {"threshold": 0.5, "vectors": "abc"}


def some(*rows: int):
    return np.array([(0.5, row, row + 1) for row in rows], dtype=PAIR)


def test_blocks_that_are_done_are_there_for_the_next_run(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new", _ABOUT)
    assert journal.pairs_of(0) is None
    assert journal.write(0, [some(1, 2), some(3)]).tolist() == some(1, 2, 3).tolist()
    assert journal.write(7, []).tolist() == []
    again = Journal(tmp_path / "new", _ABOUT)
    found = again.pairs_of(0)
    assert found is not None and found.tolist() == some(1, 2, 3).tolist()
    nothing = again.pairs_of(7)
    assert nothing is not None and len(nothing) == 0  # done, without a pair
    assert again.pairs_of(1) is None


def test_a_block_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    journal = Journal(tmp_path, _ABOUT)

    def pieces():
        yield some(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.write(3, pieces())
    assert journal.pairs_of(3) is None
    assert [item.name for item in tmp_path.iterdir()] == ["join.json"]


def test_what_a_killed_run_was_writing_goes(tmp_path: Path) -> None:
    Journal(tmp_path, _ABOUT).write(0, [some(1)])
    left = tmp_path / ".block-000001.pairs.textkin-tmp"
    left.write_bytes(b"half")
    assert len(Journal(tmp_path, _ABOUT).pairs_of(0)) == 1
    assert not left.exists()


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({**_ABOUT, "threshold": 0.6}, "other threshold$"),
        ({"threshold": 0.6, "vectors": "b"}, "other threshold, vectors$"),
        ({"threshold": 0.5}, "other vectors$"),
        ({**_ABOUT, "limit": 3}, "other limit$"),
    ],
)
def test_another_join_is_refused_by_what_differs(tmp_path: Path, about: dict, words: str) -> None:
    Journal(tmp_path, _ABOUT)
    with pytest.raises(UsageError) as caught:
        Journal(tmp_path, about)
    message = str(caught.value)
    assert words.rstrip("$") + ";" in message and message.startswith(str(tmp_path))


@pytest.mark.parametrize("content", ["", "{", "[]", "1"])
def test_what_is_no_note_of_a_join_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "join.json").write_text(content)
    with pytest.raises(UsageError, match="no note of a join"):
        Journal(tmp_path, _ABOUT)
    assert (tmp_path / "join.json").read_text() == content


def test_the_note_says_what_the_pairs_depend_on(tmp_path: Path) -> None:
    Journal(tmp_path, _ABOUT)
    assert json.loads((tmp_path / "join.json").read_text()) == _ABOUT


def test_the_hash_is_of_numbers_and_shape() -> None:
    values = np.arange(6, dtype=np.float32)
    hashes = {hash_of_rows(values.reshape(shape)) for shape in ((2, 3), (3, 2), (6, 1))}
    assert len(hashes) == 3
    assert hash_of_rows(values.reshape(2, 3)) == hashlib.sha256(b"(2, 3)" + values.tobytes()).hexdigest()
    other = values.copy()
    other[5] = 4
    assert hash_of_rows(other.reshape(2, 3)) not in hashes

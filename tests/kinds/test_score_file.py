from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.kinds.score_file import read_scores, write_scores

numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None, max_examples=30)
@given(rows=st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=20))
def test_reads_back_exactly(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, ...]]) -> None:
    path = tmp_path_factory.getbasetemp() / "scores.tsv"
    labels, one, *both = np.array(rows).T
    write_scores(path, labels, {"bm25": one[None, :], "model": np.stack(both)})
    again, systems = read_scores(path)
    np.testing.assert_array_equal(again, labels)
    assert list(systems) == ["bm25", "model"]
    np.testing.assert_array_equal(systems["bm25"], one[None, :])
    np.testing.assert_array_equal(systems["model"], np.stack(both))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a table of scores"),
        ("label\tbm25\n", "not a table of scores"),
        ("label\tbm25\n1.0\n", "not a table of scores"),
        ("label\tbm25\n1.0\tx\n", "not a table of scores"),
        ("name\tbm25\n1.0\t1.0\n", "not a table of scores"),
        ("label\tbm25\n1.0\t1.0\n0.0\tinf\n", "scores.tsv:3: a score is not a number"),
    ],
)
def test_says_what_is_wrong(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text(content)
    with pytest.raises(DataError, match=said):
        read_scores(tmp_path / "scores.tsv")


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_scores(tmp_path / "scores.tsv")
    assert str(error.value.path).endswith("scores.tsv")

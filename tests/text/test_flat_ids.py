from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.text.flat_ids import FlatIds
from textkin.text.truncation import Truncate, kept

ROWS = st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=6)
FRAME = st.lists(st.integers(5, 9), max_size=3)


def lists(flat):
    rows = [row.tolist() for row in flat.rows()]
    assert flat.ids.dtype == np.int32
    assert flat.lengths.tolist() == [len(row) for row in rows]
    assert flat.ids.tolist() == list(chain.from_iterable(rows))
    return rows


@given(ROWS)
def test_there_and_back(rows):
    assert lists(FlatIds.of_rows(rows)) == rows
    assert lists(FlatIds.of_rows([np.array(row, dtype=np.int32) for row in rows])) == rows


@given(st.lists(ROWS, max_size=4))
def test_joined(parts):
    joined = FlatIds.joined([FlatIds.of_rows(rows) for rows in parts])
    assert lists(joined) == list(chain.from_iterable(parts))


@pytest.mark.parametrize("truncate", Truncate)
@given(rows=ROWS, most=st.one_of(st.none(), st.integers(1, 6)))
def test_cut(truncate, rows, most):
    assert lists(FlatIds.of_rows(rows).cut(most, truncate)) == [row[kept(most, truncate)] for row in rows]


@given(rows=ROWS, token=st.one_of(st.none(), st.integers(0, 5)))
def test_without(rows, token):
    expected = [[number for number in row if number != token] for row in rows]
    assert lists(FlatIds.of_rows(rows).without(token)) == expected


@given(rows=ROWS, before=FRAME, after=FRAME)
def test_framed(rows, before, after):
    frame = (np.array(side, dtype=np.int32) for side in (before, after))
    assert lists(FlatIds.of_rows(rows).framed(*frame)) == [[*before, *row, *after] for row in rows]


def test_other_ids_of_some_texts():
    flat = FlatIds.of_rows([[1, 2], [], [3]])
    found = flat.replaced({0: np.array([7], np.int32), 1: np.array([8, 9], np.int32)})
    assert [row.tolist() for row in found.rows()] == [[7], [8, 9], [3]]
    assert FlatIds.of_rows([]).replaced({}).rows() == []

import io
import zipfile
from typing import get_args

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.collection.phrase_files.npz_vectors import Dtype, load_rows, save_rows

ROWS = np.array([[1, -2.5, 0], [0, 0, 0], [1e-3, 7, -127]], dtype=np.float32)


def saved(rows, **options):
    stream = io.BytesIO()
    save_rows(stream, rows, **options)
    return stream.getvalue()


def dense(rows):
    return rows if isinstance(rows, np.ndarray) else rows.toarray()


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", get_args(Dtype))
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("count", [0, 3])
def test_rows_come_back(dtype, sparse, compressed, count):
    rows = scipy.sparse.csr_array(ROWS[:count]) if sparse else ROWS[:count]
    content = saved(rows, dtype=dtype, compressed=compressed)
    assert content == saved(rows, dtype=dtype, compressed=compressed)
    found = load_rows(content, "x.npz")
    assert isinstance(found, np.ndarray) != sparse and found.dtype == np.float32 and found.shape == (count, 3)
    largest = np.abs(ROWS[:count]).max(axis=1, keepdims=True)
    error = {"float32": 0, "float16": largest * 2**-11, "int8": largest / 127 / 2 * 1.001}[dtype]
    assert (np.abs(dense(found) - ROWS[:count]) <= error).all()


def test_other_programs_read_them_and_are_read():
    with np.load(io.BytesIO(saved(ROWS, dtype="float16"))) as found:
        assert found.files == ["arr_0"] and found["arr_0"].dtype == np.float16
    sparse = scipy.sparse.csr_array(ROWS)
    theirs = scipy.sparse.load_npz(io.BytesIO(saved(sparse)))
    np.testing.assert_array_equal(theirs.toarray(), ROWS)
    for matrix in (sparse, scipy.sparse.csr_matrix(ROWS)):
        stream = io.BytesIO()
        scipy.sparse.save_npz(stream, matrix)
        np.testing.assert_array_equal(load_rows(stream.getvalue(), "x").toarray(), ROWS)
    stream = io.BytesIO()
    np.savez(stream, ROWS.astype(np.float64))
    np.testing.assert_array_equal(load_rows(stream.getvalue(), "x"), ROWS)


def archive(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


SPARSE = {"format": np.array(b"csr"), "shape": np.array([2, 3]), "data": np.ones(2)}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a zip file",
        archive(other=ROWS),
        archive(arr_0=ROWS[0]),
        archive(arr_0=np.array([["a"]])),
        archive(arr_0=np.array([[np.nan]])),
        archive(arr_0=np.array([[1e300]])),
        archive(arr_0=np.array([[None]], dtype=object)),
        archive(arr_0=np.ones(2, dtype=[("scale", "<f4"), ("steps", "i1")])),
        archive(**SPARSE, indices=np.array([0, 3]), indptr=np.array([0, 1, 2])),
        archive(**SPARSE, indices=np.array([0, -1]), indptr=np.array([0, 1, 2])),
        archive(**SPARSE, indices=np.array([0, 1]), indptr=np.array([0, 1, 9])),
        archive(**SPARSE, indices=np.array([0, 1]), indptr=np.array([0, 2])),
        archive(
            **{**SPARSE, "format": np.array(b"csc")}, indices=np.array([0, 1]), indptr=np.array([0, 1, 2])
        ),
        archive(**SPARSE, indices=np.array([0, 1]), rows=np.ones(2)),
        archive(**SPARSE, indices=np.array([0, 1]), rows=np.array([(-1, 1)] * 2, dtype="i4,f4")),
        archive(
            **SPARSE,
            indices=np.array([0, 1]),
            rows=np.array([(1, 1), (2, 1)], dtype=[("count", "<i4"), ("scale", "<f4")]),
        ),
    ],
)
def test_what_holds_no_rows_is_refused(content):
    with pytest.raises(DataError, match=r"folder/x\.npz"):
        load_rows(content, "folder/x.npz")


@pytest.mark.slow
def test_what_unpacks_to_very_much_is_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("arr_0.npy", bytes(1 << 27))
    with pytest.raises(DataError, match="times its size"):
        load_rows(stream.getvalue(), "x.npz")


@pytest.mark.parametrize("rows", [ROWS, scipy.sparse.csr_array(ROWS)])
def test_every_cut_is_refused(rows):
    content = saved(rows)
    for length in range(0, len(content), 7):
        with pytest.raises(DataError):
            load_rows(content[:length], "x.npz")


@given(st.binary(max_size=4), st.integers(0, 10_000))
def test_changed_bytes_end_in_an_error_or_the_same_rows(change, place):
    content = bytearray(saved(ROWS))
    place %= len(content)
    content[place : place + len(change)] = change
    try:
        found = load_rows(bytes(content), "x.npz")
    except DataError:
        return
    np.testing.assert_array_equal(found, ROWS)


@pytest.mark.parametrize(("count", "compressed"), [(1, False), (40, False), (40, True)])
def test_fewer_bytes_a_number_make_smaller_files(count, compressed):
    dense_rows = np.random.default_rng(0).standard_normal((count, 96)).astype(np.float32)
    words = scipy.sparse.random_array((count, 10_000), density=5e-4, rng=0, dtype=np.float32)
    for rows in (dense_rows, scipy.sparse.csr_array(words)):
        sizes = [len(saved(rows, dtype=dtype, compressed=compressed)) for dtype in get_args(Dtype)]
        assert sizes == sorted(set(sizes), reverse=True)


def test_numbers_that_two_bytes_cannot_hold():
    with pytest.raises(DataError, match="beyond 65,504"):
        saved(np.array([[1e5]], dtype=np.float32), dtype="float16")


def test_numbers_of_any_size_in_one_byte():
    rows = np.array([[1e-44, 0], [3e38, -3e38]], dtype=np.float32)
    found = load_rows(saved(rows, dtype="int8"), "x.npz")
    np.testing.assert_allclose(found, rows, rtol=0.01, atol=1e-38)

import numpy as np
import pytest
from scipy.sparse import csr_array

from textkin.base.errors import DataError
from textkin.collection.phrases.vector_files import VectorFiles, finish_files, mapped, mapped_rows

ROWS = np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, 0], [0, 0, 4], [5, 6, 7]], dtype=np.float32)
OFFSETS = np.arange(10).reshape(5, 2)


def kind(sparse):
    return "sparse" if sparse else "dense"


def files(folder, *, sparse, keep=0, numbers=0):
    return VectorFiles(folder, {"m": 1}, kind=kind(sparse), width=3, keep=keep, numbers=numbers)


def stored(folder, *, rows, width=3, sparse=False, numbers=0):
    return mapped_rows(folder, kind=kind(sparse), rows=rows, width=width, numbers=numbers)


def rows_of(part, sparse):
    return csr_array(ROWS[part]) if sparse else ROWS[part]


@pytest.mark.parametrize("sparse", [False, True])
def test_windows_become_one_matrix(tmp_path, sparse):
    writer = files(tmp_path, sparse=sparse)
    for part in (slice(0, 2), slice(2, 2), slice(2, 5)):
        writer.append(rows_of(part, sparse), OFFSETS[part])
    writer.finish()
    found = stored(tmp_path, rows=5, sparse=sparse, numbers=writer.numbers)
    np.testing.assert_array_equal(found.toarray() if sparse else found, ROWS)
    np.testing.assert_array_equal(mapped(tmp_path / "offsets.npy", dtype="<i4", shape=(5, 2)), OFFSETS)


@pytest.mark.parametrize("sparse", [False, True])
def test_what_no_note_tells_of_is_cut_off(tmp_path, sparse):
    writer = files(tmp_path, sparse=sparse)
    writer.append(rows_of(slice(0, 2), sparse), OFFSETS[:2])
    numbers = writer.numbers
    writer.append(rows_of(slice(4, 5), sparse), OFFSETS[4:])
    writer.close()
    writer = files(tmp_path, sparse=sparse, keep=2, numbers=numbers)
    writer.append(rows_of(slice(2, 5), sparse), OFFSETS[2:])
    numbers = writer.numbers
    writer.close()
    for _ in range(2):  # the second time nothing is left to do
        finish_files(tmp_path, {"m": 1}, kind=kind(sparse), width=3)
    found = stored(tmp_path, rows=5, sparse=sparse, numbers=numbers)
    np.testing.assert_array_equal(found.toarray() if sparse else found, ROWS)


def test_files_that_hold_something_else(tmp_path):
    np.save(tmp_path / "vectors.npy", ROWS)
    for rows, dim in ((4, 3), (5, 2)):
        with pytest.raises(DataError) as error:
            stored(tmp_path, rows=rows, width=dim)
        assert error.value.value == (np.float32, (5, 3))
    np.save(tmp_path / "vectors.npy", ROWS.astype(np.float64))
    with pytest.raises(DataError) as error:
        stored(tmp_path, rows=5)
    assert error.value.value == (np.float64, (5, 3))
    (tmp_path / "vectors.npy").write_bytes(b"text")
    with pytest.raises(DataError) as error:
        stored(tmp_path, rows=5)
    assert (error.value.path.name, error.value.value) == ("vectors.npy", None)
    np.save(tmp_path / "vectors.npy", np.array([None]), allow_pickle=True)
    with pytest.raises(DataError) as error:
        stored(tmp_path, rows=5)
    assert (error.value.path.name, error.value.value) == ("vectors.npy", None)


@pytest.mark.parametrize("columns", [[0, 3], [0, -1]])
def test_sparse_rows_that_lead_nowhere(tmp_path, columns):
    np.save(tmp_path / "values.npy", np.ones((2, 1), "<f4"))
    np.save(tmp_path / "columns.npy", np.array(columns, "<i4")[:, None])
    np.save(tmp_path / "ends.npy", np.array([1, 2], "<i8")[:, None])
    with pytest.raises(DataError) as error:
        stored(tmp_path, rows=2, sparse=True, numbers=2)
    assert error.value.path == tmp_path


@pytest.mark.parametrize("ends", [[1, 9], [3, 2], [-1, 2], [1, 1]])
def test_sparse_rows_whose_ends_are_wrong(tmp_path, ends):
    np.save(tmp_path / "values.npy", np.ones((2, 1), "<f4"))
    np.save(tmp_path / "columns.npy", np.array([0, 1], "<i4")[:, None])
    np.save(tmp_path / "ends.npy", np.array(ends, "<i8")[:, None])
    with pytest.raises(DataError) as error:
        stored(tmp_path, rows=2, sparse=True, numbers=2)
    assert error.value.path == tmp_path


def test_rows_that_got_lost_are_missed(tmp_path):
    writer = files(tmp_path, sparse=True)
    writer.append(rows_of(slice(0, 2), True), OFFSETS[:2])
    writer.close()
    with pytest.raises(DataError) as error:
        files(tmp_path, sparse=True, keep=2, numbers=9)
    assert str(error.value.path).endswith("values.npy")
    files(tmp_path, sparse=True, keep=2, numbers=2).close()  # let go of, and whole


def test_a_note_whose_file_has_its_name_already_goes(tmp_path):
    writer = files(tmp_path, sparse=False)
    writer.append(ROWS, OFFSETS)
    writer.finish()
    (tmp_path / ".vectors.npy.part.json").write_text("{}")
    finish_files(tmp_path, {"m": 1}, kind="dense", width=3)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["offsets.npy", "vectors.npy"]

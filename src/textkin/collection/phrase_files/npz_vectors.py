"""Vectors in NumPy's ``.npz`` files: dense or sparse, with four, two or one bytes per number.

Dense rows are ``arr_0``, sparse ones the arrays of ``scipy.sparse.save_npz``. With one byte, a row's largest
number is stored as 127. The value of 1 stands before it in ``arr_0``; of sparse rows it stands in ``rows``,
beside the number of values, in place of ``indptr``. So one byte takes less space than two, also for one row.
"""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.errors import DataError, said
from textkin.base.gzip_input import MOST_BYTES, MOST_TIMES
from textkin.base.numpy_files import UNREADABLE, load_npy
from textkin.data.protocols import Features

Dtype = Literal["float32", "float16", "int8"]

_AGAIN = "make the files again"


def save_rows(
    stream: IO[bytes], rows: Features, *, dtype: Dtype = "float32", compressed: bool = False
) -> None:
    """Write rows, shape [rows, dim].

    Raises:
        DataError: a number is too large for the type.
    """
    if isinstance(rows, np.ndarray):
        arrays = {"arr_0": _steps(rows) if dtype == "int8" else _stored(rows, dtype)}
    else:
        arrays = {
            "indices": rows.indices.astype(np.int32),
            "format": np.array(b"csr"),
            "shape": np.array(rows.shape, dtype=np.int64),
        }
        if dtype == "int8":
            arrays |= _sparse_steps(rows)
        else:
            arrays |= {"indptr": rows.indptr.astype(np.int64), "data": _stored(rows.data, dtype)}
    packing = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", packing) as packed:
        for name, array in arrays.items():
            # A fixed date, so that equal rows give equal bytes.
            about = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            about.compress_type = packing
            with packed.open(about, "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def load_rows(content: bytes, name: str) -> Features:
    """Read rows, as float32, shape [rows, dim].

    Args:
        content: the file's content.
        name: the file's name, for errors.

    Raises:
        DataError: it is broken, or holds anything but rows of finite numbers.
    """
    try:
        arrays = _arrays(content, name)
        rows = _sparse(arrays) if "indices" in arrays else _dense(arrays)
    except UNREADABLE as error:
        raise DataError(f"{name} holds no rows of numbers: {said(error)}", fix=_AGAIN) from error
    values = rows if isinstance(rows, np.ndarray) else rows.data
    if not np.isfinite(values).all():
        raise DataError(f"{name} holds a number that is not finite", fix=_AGAIN)
    return rows


def _stored(values: NDArray[np.float32], dtype: Dtype) -> NDArray[Any]:
    """The numbers with four or two bytes each."""
    if dtype == "float32":
        return np.asarray(values, dtype=np.float32)
    with np.errstate(over="ignore"):
        halves = np.asarray(values, dtype=np.float16)
    if not np.isfinite(halves).all():
        raise DataError("a vector holds a number beyond 65,504", fix="store float32 or int8")
    return halves


def _steps(rows: NDArray[np.float32]) -> NDArray[Any]:
    """Rows with one byte a number, each after its scale."""
    stored = np.empty(len(rows), dtype=[("scale", "<f4"), ("steps", "i1", (rows.shape[1],))])
    stored["scale"] = scale = _scale_of(np.abs(rows).max(axis=1, initial=0))
    stored["steps"] = _rounded(rows / scale[:, None])
    return stored


def _sparse_steps(rows: csr_array) -> dict[str, NDArray[Any]]:
    """The values of sparse rows with one byte each, and the rows' numbers of values and scales."""
    counts = np.diff(rows.indptr)
    row = np.repeat(np.arange(rows.shape[0]), counts)
    largest = np.zeros(rows.shape[0], dtype=np.float32)
    np.maximum.at(largest, row, np.abs(rows.data))
    about = np.empty(rows.shape[0], dtype=[("count", "<i4"), ("scale", "<f4")])
    about["count"], about["scale"] = counts, _scale_of(largest)
    return {"rows": about, "data": _rounded(rows.data / about["scale"][row])}


def _scale_of(largest: NDArray[np.float32]) -> NDArray[np.float32]:
    scale = np.where(largest > 0, largest / np.float32(127), 1).astype(np.float32)
    return np.maximum(scale, np.finfo(np.float32).tiny)


def _rounded(steps: NDArray[np.float32]) -> NDArray[np.int8]:
    return np.clip(np.rint(steps), -127, 127).astype(np.int8)


def _arrays(content: bytes, name: str) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(BytesIO(content)) as packed:
        size = sum(each.file_size for each in packed.infolist())
    if size > max(MOST_BYTES, MOST_TIMES * len(content)):
        raise DataError(f"{name} unpacks to {MOST_TIMES} times its size", fix=_AGAIN)
    with load_npy(BytesIO(content)) as found:
        return {key: found[key] for key in found.files}


def _dense(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    stored = arrays["arr_0"]
    has_scale = stored.dtype.names == ("scale", "steps")
    values = _numbers(stored["steps"] if has_scale else stored)
    if values.ndim != 2:
        raise ValueError(f"an array of shape {values.shape}")
    return values * _numbers(stored["scale"])[:, None] if has_scale else values


def _sparse(arrays: Mapping[str, NDArray[Any]]) -> csr_array:
    rows, columns = (int(each) for each in arrays["shape"])
    if bytes(arrays["format"].item()) != b"csr" or min(rows, columns) < 0:
        raise ValueError("a sparse matrix that is not stored by rows")
    values = _numbers(arrays["data"])
    if "rows" in arrays:
        counts, scale = arrays["rows"]["count"].astype(np.int64), _numbers(arrays["rows"]["scale"])
        ends = np.concatenate(([0], np.cumsum(counts)))
        values = values * np.repeat(scale, counts)
    else:
        ends = arrays["indptr"]
    made = csr_array((values, arrays["indices"], ends), shape=(rows, columns))
    made.check_format(full_check=True)
    return made


def _numbers(values: NDArray[Any]) -> NDArray[np.float32]:
    if values.dtype.kind not in "fiu":
        raise ValueError(f"values of type {values.dtype}")
    with np.errstate(over="ignore"):
        return values.astype(np.float32)

"""Phrase vectors on disk, dense or sparse: appended window by window, then memory-mapped."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.errors import DataError
from textkin.base.growing_npy import RowFile, journal_of, part_of
from textkin.base.numpy_files import UNREADABLE, load_npy
from textkin.data.protocols import Features

DENSE = {"vectors.npy": "<f4"}
SPARSE = {"values.npy": "<f4", "columns.npy": "<i4", "ends.npy": "<i8"}
OFFSETS = "offsets.npy"

_AGAIN = "build the index again"
_ANEW = "remove its folder and begin again"
_INT32 = np.iinfo(np.int32).max


class VectorFiles:
    """Rows and their offsets, which grow together.

    Args:
        folder: the folder of the files.
        made_of: the inputs that they depend on.
        dim: width of the vectors.
        sparse: True for sparse vectors.
        keep: the number of existing rows to keep.
        numbers: the number of sparse values to keep.
    """

    def __init__(
        self, folder: Path, made_of: Mapping[str, Any], *, dim: int, sparse: bool, keep: int, numbers: int
    ) -> None:
        widths = dict.fromkeys(SPARSE, 1) if sparse else dict.fromkeys(DENSE, dim)
        kinds = {**(SPARSE if sparse else DENSE), OFFSETS: "<i4"}
        widths[OFFSETS] = 2
        self._files: dict[str, RowFile] = {}
        self.numbers = numbers
        try:
            for name, kind in kinds.items():
                file = RowFile(folder / name, width=widths[name], made_of=made_of, dtype=kind)
                self._files[name] = file
                rows = numbers if name in ("values.npy", "columns.npy") else keep
                if file.rows < rows:
                    told = f"has {file.rows:,} rows of the {rows:,} that were written"
                    raise DataError(told, path=folder / name, fix=_ANEW)
                file.cut(rows)
        except BaseException:
            self.close()
            raise

    def append(self, rows: Features, offsets: NDArray[np.int64]) -> None:
        """Write rows and their offsets to disk; shapes [any, dim] and [any, 2].

        Raises:
            OutputError: the disk is full.
        """
        if isinstance(rows, np.ndarray):
            self._files["vectors.npy"].append(rows)
        else:
            self._files["values.npy"].append(rows.data[:, None])
            self._files["columns.npy"].append(rows.indices[:, None])
            self._files["ends.npy"].append((self.numbers + rows.indptr[1:].astype(np.int64))[:, None])
            self.numbers += int(rows.nnz)
        self._files[OFFSETS].append(offsets)

    def finish(self) -> None:
        """Rename the files to their final names."""
        for file in self._files.values():
            file.finish()

    def close(self) -> None:
        """Stop; appended rows stay."""
        for file in self._files.values():
            file.close()


def finish_files(folder: Path, made_of: Mapping[str, Any], *, dim: int, sparse: bool) -> None:
    """Rename files that a killed process had completely written, if it hadn't done so."""
    for name, kind in {**(SPARSE if sparse else DENSE), OFFSETS: "<i4"}.items():
        # Neither exists if no row was ever written, as with sparse phrases that share no word.
        if part_of(folder / name).exists() or not (folder / name).exists():
            width = 2 if name == OFFSETS else 1 if sparse else dim
            RowFile(folder / name, width=width, made_of=made_of, dtype=kind).finish()
        else:
            journal_of(folder / name).unlink(missing_ok=True)


def mapped(path: Path, *, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """A memory-mapped array of a file.

    Raises:
        DataError: the file has other contents.
    """
    try:
        found = load_npy(path, mapped="r")
    except UNREADABLE as error:
        raise DataError(f"can't be read: {error}", path=path, fix=_AGAIN) from error
    if found.dtype != np.dtype(dtype) or found.shape != shape or not found.flags.c_contiguous:
        raise DataError(
            f"holds {found.dtype} of shape {found.shape}, expected {np.dtype(dtype)} of {shape}",
            path=path,
            fix=_AGAIN,
            value=(found.dtype, found.shape),
        )
    return np.asarray(found)


def mapped_rows(folder: Path, *, rows: int, dim: int, numbers: int | None) -> Features:
    """The vectors of a folder; sparse ones if the count of their values is given.

    Raises:
        DataError: a file has other contents.
    """
    if numbers is None:
        return mapped(folder / "vectors.npy", dtype="<f4", shape=(rows, dim))
    values, columns, ends = (
        mapped(folder / name, dtype=kind, shape=(rows if name == "ends.npy" else numbers, 1))[:, 0]
        for name, kind in SPARSE.items()
    )
    starts = np.concatenate(([0], ends)).astype(np.int32 if numbers <= _INT32 else np.int64)
    # SciPy's products trust these numbers, and would read beyond their arrays.
    rising = starts[-1] == numbers and bool((np.diff(starts) >= 0).all())
    if not rising or columns.min(initial=0) < 0 or columns.max(initial=0) >= dim:
        raise DataError("holds no sparse rows", path=folder, fix=_AGAIN)
    return csr_array((values, columns, starts), shape=(rows, dim))

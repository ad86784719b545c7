"""What an index knows of its phrases, on disk: appended window by window, then memory-mapped.

That is a vector of each phrase, dense or sparse, or what :class:`PhraseTokens` has of each token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.arrays import Floats32, Ints32
from textkin.base.errors import DataError
from textkin.base.growing_npy import RowFile, journal_of, part_of
from textkin.base.numpy_files import UNREADABLE, load_npy
from textkin.collection.phrases.words_around import places_in, words_of
from textkin.data.protocols import Features, PhraseTokens

Kind = Literal["dense", "sparse", "tokens"]

KINDS: Mapping[Kind, Mapping[str, tuple[str, int | None]]] = {
    "dense": {"vectors.npy": ("<f4", None)},
    "sparse": {"values.npy": ("<f4", 1), "columns.npy": ("<i4", 1), "ends.npy": ("<i8", 1)},
    "tokens": {
        "tokens.npy": ("<f4", None),
        "lengths.npy": ("<u8", 1),
        "around.npy": ("<i4", 3),
        "words.npy": ("<i4", 2),
    },
}
"""The files of each kind, the type of their numbers, and their width; None for that of the vectors."""

OFFSETS = "offsets.npy"

_OFTEN = {"values.npy", "columns.npy", "words.npy"}  # with any number of rows for each phrase or token
_AGAIN = "build the index again"
_ANEW = "remove its folder and begin again"
_INT32 = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class TokenRows:
    """The tokens of several passages, and their words.

    Attributes:
        vectors: as in :class:`PhraseTokens`. Shape [tokens, width].
        lengths: as there. Shape [tokens, 1].
        around: the number of words of the passage that end before a token, that of those that begin before
            its end, and the passage's number. Shape [tokens, 3].
        words: the number of each word, and that of its passage; passages rise. Shape [words, 2].
    """

    vectors: Floats32
    lengths: NDArray[np.uint64]
    around: Ints32
    words: Ints32


StoredRows: TypeAlias = "Features | TokenRows"


def kind_of(rows: StoredRows) -> Kind:
    """How rows are stored."""
    return "tokens" if isinstance(rows, TokenRows) else "dense" if isinstance(rows, np.ndarray) else "sparse"


def width_of(rows: StoredRows) -> int:
    """The width of the vectors in rows."""
    return int((rows.vectors if isinstance(rows, TokenRows) else rows).shape[1])


def token_rows(tokens: Sequence[PhraseTokens], passages: Sequence[str], *, first: int) -> TokenRows:
    """The stored form of the tokens of passages, the first of which has a number."""
    vectors = np.concatenate([one.vectors for one in tokens])
    lengths = np.concatenate([one.lengths for one in tokens])[:, None]
    around = [np.empty((0, 3), dtype=np.int32)]
    words = [np.empty((0, 2), dtype=np.int32)]
    for number, (one, passage) in enumerate(zip(tokens, passages, strict=True), first):
        numbers, starts, ends = words_of(passage)
        places = places_in(one.offsets, starts, ends)
        around.append(np.column_stack((places, np.full(len(one), number, dtype=np.int32))))
        words.append(np.column_stack((numbers, np.full(len(numbers), number, dtype=np.int32))))
    return TokenRows(vectors, lengths, np.concatenate(around), np.concatenate(words))


def part_of_rows(rows: StoredRows, part: slice, passages: slice) -> StoredRows:
    """The rows of some passages, given the numbers of both."""
    if isinstance(rows, TokenRows):
        bounds = np.array((passages.start, passages.stop), dtype=np.int32)
        words = slice(*np.searchsorted(rows.words[:, 1], bounds).tolist())
        return TokenRows(rows.vectors[part], rows.lengths[part], rows.around[part], rows.words[words])
    return rows[part] if isinstance(rows, np.ndarray) else csr_array(rows[part])


class VectorFiles:
    """Rows and their offsets, which grow together.

    Args:
        folder: the folder of the files.
        made_of: the inputs that they depend on.
        kind: how the rows are stored.
        width: width of the vectors.
        keep: the number of existing rows to keep.
        numbers: the number of sparse values, or of words, to keep.
    """

    def __init__(
        self, folder: Path, made_of: Mapping[str, Any], *, kind: Kind, width: int, keep: int, numbers: int
    ) -> None:
        self._files: dict[str, RowFile] = {}
        self.numbers = numbers
        try:
            for name, (dtype, its_width) in _files_of(kind, width).items():
                file = RowFile(folder / name, width=its_width, made_of=made_of, dtype=dtype)
                self._files[name] = file
                rows = numbers if name in _OFTEN else keep
                if file.rows < rows:
                    told = f"has {file.rows:,} rows of the {rows:,} that were written"
                    raise DataError(told, path=folder / name, fix=_ANEW)
                file.cut(rows)
        except BaseException:
            self.close()
            raise

    def append(self, rows: StoredRows, offsets: NDArray[np.int64]) -> None:
        """Write rows and their offsets to disk; offsets have the shape [any, 2].

        Raises:
            OutputError: the disk is full.
        """
        if isinstance(rows, TokenRows):
            self._files["tokens.npy"].append(rows.vectors)
            self._files["lengths.npy"].append(rows.lengths)
            self._files["around.npy"].append(rows.around)
            self._files["words.npy"].append(rows.words)
            self.numbers += len(rows.words)
        elif isinstance(rows, np.ndarray):
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


def _files_of(kind: Kind, width: int) -> dict[str, tuple[str, int]]:
    """The type and the width of each file."""
    files = {name: (dtype, its or width) for name, (dtype, its) in KINDS[kind].items()}
    return {**files, OFFSETS: ("<i4", 2)}


def finish_files(folder: Path, made_of: Mapping[str, Any], *, kind: Kind, width: int) -> None:
    """Rename files that a killed process had completely written, if it hadn't done so."""
    for name, (dtype, its_width) in _files_of(kind, width).items():
        # Neither exists if no row was ever written, as with sparse phrases that share no word.
        if part_of(folder / name).exists() or not (folder / name).exists():
            RowFile(folder / name, width=its_width, made_of=made_of, dtype=dtype).finish()
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


def mapped_rows(folder: Path, *, kind: Kind, rows: int, width: int, numbers: int) -> StoredRows:
    """The rows of a folder.

    Args:
        folder: their folder.
        kind: how they are stored.
        rows: their number.
        width: the width of the vectors.
        numbers: the number of sparse values, or of words.

    Raises:
        DataError: a file has other contents.
    """
    found = [
        mapped(folder / name, dtype=dtype, shape=(numbers if name in _OFTEN else rows, its or width))
        for name, (dtype, its) in KINDS[kind].items()
    ]
    if kind == "tokens":
        return _checked_tokens(folder, TokenRows(*found))
    if kind == "dense":
        return found[0]
    values, columns, ends = (each[:, 0] for each in found)
    starts = np.concatenate(([0], ends)).astype(np.int32 if numbers <= _INT32 else np.int64)
    # SciPy's products trust these numbers, and would read beyond their arrays.
    rising = starts[-1] == numbers and bool((np.diff(starts) >= 0).all())
    if not rising or columns.min(initial=0) < 0 or columns.max(initial=0) >= width:
        raise DataError("holds no sparse rows", path=folder, fix=_AGAIN)
    return csr_array((values, columns, starts), shape=(rows, width))


def _checked_tokens(folder: Path, rows: TokenRows) -> TokenRows:
    """Tokens whose numbers lead to tokens and words that are there."""
    before, after, passages = rows.around.T
    of_words = rows.words[:, 1]
    counts = np.bincount(np.maximum(of_words, 0), minlength=int(passages.max(initial=0)) + 1)
    right = (
        bool((np.diff(passages) >= 0).all() and (np.diff(of_words) >= 0).all())
        and passages.min(initial=0) >= 0
        and of_words.min(initial=0) >= 0
        and min(before.min(initial=0), after.min(initial=0)) >= 0
        and bool((np.maximum(before, after) <= counts[passages]).all())
    )
    longest = int(rows.lengths.max(initial=0)).bit_length()
    for length in range(1, longest):
        beyond = rows.lengths[max(len(rows.lengths) - length, 0) :, 0]
        right = right and not bool((beyond >> np.uint64(length) & np.uint64(1)).any())
    if not right:
        raise DataError("holds no tokens of phrases", path=folder, fix=_AGAIN)
    return rows

"""Lists of pairs: their order, external sorting, and a journal of finished blocks."""

import hashlib
import mmap
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.base.files import atomic_path, ensure_folder, remove_temporaries, write_json
from textkin.base.json_records import json_object

Pairs = NDArray[np.void]
"""Records of the type ``PAIR``."""

Wanted = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]]
"""True for accepted pairs, given by row and column numbers; thread-safe. Shapes [pairs]."""

PAIR = np.dtype([("score", np.float32), ("row", np.int32), ("column", np.int32)])
"""Sort order of pairs: by score descending, then row, then column."""

IN_MEMORY = 1 << 22
"""Number of pairs beyond which they go to disk."""

_SIGN = np.uint32(1 << 31)
_HALF = np.uint64(32)


def best_first(pairs: Pairs) -> Pairs:
    """The pairs, sorted."""
    return pairs[np.lexsort((pairs["column"], _keys(pairs)))]


def made(rows: NDArray[Any], columns: NDArray[Any], scores: NDArray[np.float32]) -> Pairs:
    """Pairs from three arrays, each of shape [pairs]."""
    pairs = np.empty(len(scores), dtype=PAIR)
    pairs["row"], pairs["column"], pairs["score"] = rows, columns, scores
    return pairs


def either_way(pairs: Pairs) -> Pairs:
    """Pairs within one set, each once with its higher score, the smaller number first; sorted."""
    ends = np.sort(np.stack((pairs["row"], pairs["column"])), axis=0)
    order = np.lexsort((-pairs["score"], ends[1], ends[0]))
    ends = ends[:, order]
    fresh = np.append(True, (ends[:, 1:] != ends[:, :-1]).any(axis=0))[: len(order)]
    rows, columns = ends[:, fresh]
    return best_first(made(rows, columns, pairs["score"][order[fresh]]))


def joined(runs: Iterable[Pairs]) -> Pairs:
    """The pairs of several runs, concatenated."""
    return np.concatenate([np.empty(0, dtype=PAIR), *runs])


class SortedRuns:
    """A collector of pairs in any order: sorted runs in memory, or on disk if there are many."""

    def __init__(self) -> None:
        self._waiting: list[Pairs] = []
        self._count = 0
        self._runs: list[Pairs] = []

    def add(self, pairs: Pairs) -> None:
        """Add pairs. Those in a file stay there, and must be sorted."""
        if isinstance(pairs, np.memmap):
            self._runs.append(pairs)
            return
        self._waiting.append(pairs)
        self._count += len(pairs)
        if self._count > IN_MEMORY:
            self._runs.append(gathered([best_first(joined(self._waiting))]))
            self._waiting.clear()
            self._count = 0

    def merged(self) -> Iterator[Pairs]:
        """Yield all pairs in order, in sorted pieces that fit into memory."""
        runs = [*self._runs, best_first(joined(self._waiting))]
        if sum(map(len, runs)) <= IN_MEMORY:
            yield best_first(joined(runs))
            return
        step = max(IN_MEMORY // (2 * len(runs)), 1)
        samples = np.sort(np.concatenate([_sampled(run, step) for run in runs]))
        cuts = samples[:: len(runs)]  # at most 2 * len(runs) * step pairs between two of them
        starts = (0,) * len(runs)
        for ends in [*zip(*(_places(run, cuts) for run in runs), strict=True), tuple(map(len, runs))]:
            if ends != starts:
                yield best_first(joined(run[a:b] for run, a, b in zip(runs, starts, ends, strict=True)))
                for run in runs:
                    forget(run)
            starts = ends


def gathered(pieces: Iterable[Pairs], *, limit: int | None = None) -> Pairs:
    """Concatenate pieces into one array; if there are many, in a temporary file.

    Args:
        pieces: pieces in order.
        limit: maximum number of pairs to take.
    """
    room = np.iinfo(np.int64).max if limit is None else limit
    held: list[Pairs] = []
    count = 0
    file: IO[bytes] | None = None
    try:
        for piece in pieces:
            held.append(piece[: room - count])
            count += len(held[-1])
            if count > IN_MEMORY:
                file = file or tempfile.TemporaryFile()  # noqa: SIM115
                joined(held).tofile(file)
                held.clear()
            if count == room:
                break
        if file is None:
            return joined(held)
        joined(held).tofile(file)
        file.flush()
        return np.memmap(file, dtype=PAIR, mode="r", shape=(count,))
    finally:
        if file is not None:
            file.close()  # the array keeps the mapping alive


def load(path: Path) -> Pairs:
    """The pairs of a file, memory-mapped."""
    count = path.stat().st_size // PAIR.itemsize
    return np.memmap(path, dtype=PAIR, mode="r", shape=(count,)) if count else np.empty(0, dtype=PAIR)


def _sampled(run: Pairs, step: int) -> NDArray[np.uint64]:
    """The key of every so-many-th pair."""
    keys = _keys(run[::step])
    forget(run)
    return keys


def _places(run: Pairs, cuts: NDArray[np.uint64]) -> list[int]:
    """The insertion position of each key in a sorted run, before equal keys."""
    places = np.zeros(len(cuts), dtype=np.int64)
    for start in range(0, len(run), IN_MEMORY):
        places += np.searchsorted(_keys(run[start : start + IN_MEMORY]), cuts)
    forget(run)
    return places.tolist()


def forget(run: NDArray[Any]) -> None:
    """Let the pages of a file's pairs leave the memory until they are read again.

    Args:
        run: the pairs, or a field or a part of them; nothing happens if they are in no file.
    """
    pages: Any = run
    while isinstance(pages, np.ndarray):
        pages = pages.base
    if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # Windows has none
        pages.madvise(mmap.MADV_DONTNEED)


def _keys(pairs: Pairs) -> NDArray[np.uint64]:
    """Sort keys of pairs: smaller for a higher score, then for a smaller row."""
    bits = (pairs["score"] + np.float32(0.0)).view(np.uint32)  # adding zero turns -0.0 into 0.0
    descending = np.where(bits & _SIGN, bits, ~(bits | _SIGN))
    return (descending.astype(np.uint64) << _HALF) | pairs["row"].astype(np.uint64)


_ABOUT = "join.json"


class Journal:
    """The pairs of each finished block, one file per block, written atomically.

    Args:
        folder: created if missing.
        decides: all parameters that the pairs depend on.

    Raises:
        UsageError: the folder belongs to another join.
        OutputError: the folder can't be written to.
    """

    def __init__(self, folder: Path | str, decides: Mapping[str, Any]) -> None:
        self._folder = ensure_folder(folder)
        remove_temporaries(self._folder)
        about = self._folder / _ABOUT
        if not about.exists():
            write_json(about, decides)
        elif (before := _read(about)) != decides:
            keys = sorted(key for key in {*before, *decides} if before.get(key) != decides.get(key))
            raise UsageError(
                f"{self._folder} holds a join with other {', '.join(keys)}",
                fix="choose another folder, or remove this one",
                params=("out",),
                value=self._folder,
            )

    def pairs_of(self, block: int) -> Pairs | None:
        """The pairs of a block, memory-mapped; None if it isn't finished."""
        path = self._path(block)
        return load(path) if path.exists() else None

    def write(self, block: int, pieces: Iterable[Pairs]) -> Pairs:
        """Record a block as finished, and return its pairs, memory-mapped."""
        path = self._path(block)
        with atomic_path(path) as temporary, temporary.open("wb") as stream:
            for piece in pieces:
                piece.tofile(stream)
        return load(path)

    def _path(self, block: int) -> Path:
        return self._folder / f"block-{block:06}.pairs"


def hash_of_rows(values: NDArray[np.float32]) -> str:
    """The SHA-256 of vectors and their shape."""
    digest = hashlib.sha256(str(values.shape).encode())
    digest.update(values.data)
    return digest.hexdigest()


def _read(path: Path) -> dict[str, Any]:
    if (found := json_object(path.read_bytes())) is None:
        raise UsageError(f"{path} is not a note of a join", fix="choose another folder")
    return found

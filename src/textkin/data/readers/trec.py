"""TREC qrels and run files, read and written as columns.

A qrels line is ``query iteration document relevance``, a run line ``query Q0 document rank score tag``, with
any whitespace between the fields. Iteration, Q0 and rank are ignored: the order follows from the scores.
Judgements may also be BEIR's, ``query document relevance`` with a header, and grades such as ``1.0``; a run
may be MS MARCO's, ``query document rank``. Lines
of one query need not be contiguous. Reading works on the bytes of the whole file at once, without a Python
loop over lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import is_new
from textkin.base.errors import DataError
from textkin.base.files import atomic_text
from textkin.base.first_seen_numbers import enumerated
from textkin.data.readers.decimals import floats_of
from textkin.data.readers.text_files import read_bytes, refuse_returns
from textkin.data.records import Qrels, Run

_INK = bytes(byte not in b" \t\n\v\f\r" for byte in range(256))
_BLOCK_BYTES = 1 << 19
_LONGEST_TOKEN = 1024
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_BEIR_HEADER = re.compile(
    rb"\s*query[-_]?id\s+(corpus|doc|document)[-_]?id\s+(score|relevance|label)[ \t\r]*\n", re.IGNORECASE
)
_FIRST_LINE = re.compile(rb"\s*[^\n]*")
_EXACT = 2.0**53
_SWAPPED = {
    (4, 6): "a file of judgements has 4: give a run here",
    (6, 4): "a run has 6: give the judgements here, and the run behind them",
}

_Number = TypeVar("_Number", np.int64, np.float64)


def read_qrels(path: Path | str) -> Qrels:
    """Read relevance judgements.

    Raises:
        DataError: a line doesn't have 4 fields (BEIR's 3), a relevance is not an integer, or a document is
            judged twice for a query.
    """
    raw = _raw(path)
    start = _header_end(raw)
    fields = "query, document, relevance" if start else "query, iteration, document, relevance"
    raw = re.sub(rb"[^\n]", b" ", raw[:start]) + raw[start:]  # so that line numbers don't change
    ids, numbers = [], []
    for span in _block_spans(raw):
        block = _Piece.parse(path, raw, span, fields)
        numbers.append(block.numbers(2 if start else 3, np.int64))
        ids.append((block.column(0), block.column(1 if start else 2)))
    query_ids, offsets, doc_ids, order = _group(path, raw, ids, place=1 if start else 2)
    relevance = np.concatenate(numbers)
    return Qrels(query_ids, offsets, doc_ids, relevance if order is None else relevance[order])


def looks_like_qrels(path: Path | str) -> bool:
    """True if a file begins like judgements: query, number, document, number; or BEIR's header.

    Raises:
        DataError: the file can't be read.
    """
    content = read_bytes(path)
    if _header_end(content):
        return True
    first = content.lstrip().split(b"\n", 1)[0].split()
    return len(first) == 4 and all(re.fullmatch(rb"-?\d+", first[place]) is not None for place in (1, 3))


def read_run(path: Path | str) -> Run:
    """Read a run.

    Its name is the tag of the first line, and its scores are parsed like ``float``. MS MARCO's runs have
    neither: their scores are the negative ranks, and their name is that of the file.

    Raises:
        DataError: a line doesn't have 6 fields (MS MARCO's 3), a score is not a number, ranks don't begin
            with 1, or a document is repeated within a query.
    """
    raw = _raw(path)
    first = _FIRST_LINE.match(raw)
    is_ranked = first is not None and len(first[0].split()) == 3
    fields = "query, document, rank" if is_ranked else "query, Q0, document, rank, score, tag"
    ids, numbers, name = [], [], Path(path).name.partition(".")[0] if is_ranked else ""
    for span in _block_spans(raw):  # field positions take more memory than fields, so they aren't kept
        block = _Piece.parse(path, raw, span, fields)
        numbers.append(block.numbers(2 if is_ranked else 4, np.float64))
        ids.append((block.column(0), block.column(1 if is_ranked else 2)))
        name = name or (block.token(0, 5) if len(block.edges) else "")
    query_ids, offsets, doc_ids, order = _group(path, raw, ids, place=1 if is_ranked else 2)
    scores = np.concatenate(numbers) if order is None else np.concatenate(numbers)[order]
    if is_ranked and (np.minimum.reduceat(scores, offsets[:-1]) != 1).any():
        raise DataError(
            "3 fields, of which the last is not a rank from 1 within each query",
            path=path,
            fix="write query, Q0, document, rank, score, tag",
        )
    return Run(query_ids, offsets, doc_ids, -scores if is_ranked else scores, name)


def write_qrels(path: Path | str, qrels: Qrels) -> None:
    """Write judgements in their order.

    Raises:
        DataError: an id is empty or contains whitespace.
        OutputError: the file can't be written.
    """
    _check_ids(path, qrels.query_ids, qrels.doc_ids)
    names, values = qrels.doc_ids.tolist(), qrels.relevance.tolist()
    with atomic_text(path) as stream:
        for query, start, end in _spans(qrels):
            stream.writelines(
                f"{query} 0 {name.decode()} {value}\n"
                for name, value in zip(names[start:end], values[start:end], strict=True)
            )


def write_run(path: Path | str, run: Run) -> None:
    """Write a run, ranked by score descending, then document id descending by its bytes.

    Ranks start at 1.

    Raises:
        DataError: an id is empty or contains whitespace, or a score is NaN.
        OutputError: the file can't be written.
    """
    tag = run.name or "textkin"
    _check_ids(path, (*run.query_ids, tag), run.doc_ids)
    if np.isnan(run.scores).any():
        raise DataError("a score of this run is NaN", path=path, fix="check the model that made the scores")
    order = _ranked(run)
    names, scores = run.doc_ids[order].tolist(), run.scores[order].tolist()
    with atomic_text(path) as stream:
        for query_id, start, end in _spans(run):
            ranked = zip(names[start:end], scores[start:end], strict=True)
            stream.writelines(
                f"{query_id} Q0 {name.decode()} {rank} {score!r} {tag}\n"
                for rank, (name, score) in enumerate(ranked, 1)
            )


def _header_end(raw: bytes) -> int:
    """The end of the header of BEIR's judgements; 0 if there is none."""
    match = _BEIR_HEADER.match(raw)
    return match.end() if match else 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some whole lines of a file that fit into the processor's cache, with the positions of their fields.

    Attributes:
        path: path for error messages.
        raw: content of the whole file.
        start: start of the block in ``raw``.
        text: bytes of the block.
        edges: ``edges[row, 2 * field]`` is the start of a field in ``text``, the next one its end.
    """

    path: Path | str
    raw: bytes
    start: int
    text: bytes
    edges: NDArray[np.int64]

    @classmethod
    def parse(cls, path: Path | str, raw: bytes, span: tuple[int, int], fields: str) -> _Piece:
        """Find the fields; ``fields`` names them for error messages."""
        text = raw[span[0] : span[1]]
        inside = np.zeros(len(text) + 2, dtype=np.bool_)
        inside[1:-1] = np.frombuffer(text.translate(_INK), dtype=np.bool_)
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        expected = fields.count(",") + 1
        if _in_lines(text, edges, 2 * expected):
            return cls(path, raw, span[0], text, edges.reshape(-1, 2 * expected))
        line_ends = np.flatnonzero(_bytes(text) == ord("\n"))
        bounds = np.concatenate(([0], np.searchsorted(edges, line_ends), [len(edges)]))
        counts = np.diff((bounds + 1) // 2)
        wrong = (counts != expected) & (counts != 0)
        if wrong.any():
            line = int(wrong.argmax())
            raise DataError(
                f"{counts[line]} fields, expected {expected}: {fields}",
                path=path,
                line=raw.count(b"\n", 0, span[0]) + line + 1,
                fix=_SWAPPED.get(
                    (int(counts[line]), expected), "correct the line; ids can't hold white space"
                ),
            )
        return cls(path, raw, span[0], text, edges.reshape(-1, 2 * expected))

    def column(self, field: int) -> NDArray[np.bytes_]:
        """One field of every row. Shape [rows]."""
        starts = self.edges[:, 2 * field]
        lengths = self.edges[:, 2 * field + 1] - starts
        if not len(lengths):
            return np.empty(0, dtype="S1")
        shortest, longest = int(lengths.min()), int(lengths.max())
        if longest > _LONGEST_TOKEN:
            raise DataError(
                f"field {field + 1} is {longest:,} bytes long, expected at most {_LONGEST_TOKEN:,}",
                path=self.path,
                line=self.line(int(lengths.argmax())),
                fix="shorten the ids",
            )
        padded = np.frombuffer(self.text + bytes(longest), dtype=np.uint8)
        cells = np.lib.stride_tricks.sliding_window_view(padded, longest)[starts]
        cells[:, shortest:][np.arange(shortest, longest) >= lengths[:, None]] = 0
        return cells.view(f"S{longest}").ravel()

    def numbers(self, field: int, dtype: type[_Number]) -> NDArray[_Number]:
        """One field of every row as numbers, parsed like ``int`` or ``float``.

        Underscores are not accepted. Shape [rows].
        """
        cells = self.column(field)
        if cells.dtype.itemsize == 1 and len(cells):
            digits = cells.view(np.uint8) - np.uint8(ord("0"))
            if digits.max() <= 9:
                return digits.astype(dtype)
        try:
            found = floats_of(cells) if dtype is np.float64 else _wholes(cells)
            values: NDArray[_Number] = found.astype(dtype, copy=False)
            if not np.isnan(values).any() and not _has_underscore(cells):
                return values
        except (ValueError, OverflowError):
            pass
        row = next(row for row in range(len(cells)) if _not_a_number(cells[row : row + 1], dtype))
        what, expected = ("relevance", "a whole number") if dtype is np.int64 else ("score", "a number")
        raise DataError(
            f"{what} {self.token(row, field)[:40]!r}, expected {expected}",
            path=self.path,
            line=self.line(row),
            fix="correct the line",
        )

    def token(self, row: int, field: int) -> str:
        """One field of one row."""
        return self.text[self.edges[row, 2 * field] : self.edges[row, 2 * field + 1]].decode()

    def line(self, row: int) -> int:
        """The 1-based line number of a row."""
        return self.raw.count(b"\n", 0, self.start + int(self.edges[row, 0])) + 1


def _wholes(cells: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """Parse integers, such as 2 or 2.0.

    Raises:
        ValueError: a cell is not an integer.
    """
    try:
        return cells.astype(np.int64)
    except ValueError:
        values = floats_of(cells)
        if not bool((np.isfinite(values) & (values == np.rint(values)) & (np.abs(values) < _EXACT)).all()):
            raise
        return values.astype(np.int64)


def _raw(path: Path | str) -> bytes:
    raw = read_bytes(path)
    if b"\r" in raw:
        refuse_returns(raw, path)
    return raw


def _block_spans(raw: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + _BLOCK_BYTES) + 1 or len(raw)
        yield start, end
        start = end


def _in_lines(text: bytes, edges: NDArray[np.int64], each: int) -> bool:
    """True if every line has ``each`` edges and ends right after the last one, as in nearly all files."""
    if len(edges) != each * text.count(b"\n"):
        return False
    last = edges[each - 1 :: each]
    return not len(last) or (last[-1] < len(text) and bool((_bytes(text)[last] == ord("\n")).all()))


def _bytes(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(text, dtype=np.uint8)


def _has_underscore(cells: NDArray[np.bytes_]) -> bool:
    """True if there is an underscore: Python reads 1_000 as a number, and trec_eval as 1."""
    return bool((np.ascontiguousarray(cells).view(np.uint8) == ord("_")).any())


def _not_a_number(cell: NDArray[np.bytes_], dtype: type[np.generic]) -> bool:
    try:
        if dtype is np.int64:
            _wholes(cell)
            return _has_underscore(cell)
        return bool(np.isnan(cell.astype(dtype)).any()) or _has_underscore(cell)
    except (ValueError, OverflowError):
        return True


def _group(
    path: Path | str,
    raw: bytes,
    blocks: Sequence[tuple[NDArray[np.bytes_], NDArray[np.bytes_]]],
    *,
    place: int,
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.bytes_], NDArray[np.int64] | None]:
    """Query ids, offsets, document ids, and the order of the rows if those of a query are not contiguous.

    Blocks are columns of query ids and of document ids; ``place`` is the field of the latter.
    """
    if not any(len(queries) for queries, _ in blocks):
        raise DataError("the file holds only blank lines", path=path, fix="give a file with at least one row")
    queries, doc_ids = (np.concatenate(column) for column in zip(*blocks, strict=True))
    starts = np.flatnonzero(is_new(queries))
    codes, index = enumerated(queries[starts].tolist())
    query = np.repeat(codes, np.diff(starts, append=len(queries)))
    order = None
    if len(index) < len(starts):
        order = np.argsort(query, kind="stable")
        query, doc_ids = query[order], doc_ids[order]
    twice = _duplicate(query, doc_ids)
    if twice is not None:
        _refuse_duplicate(path, raw, twice if order is None else int(order[twice]), place)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(query)))).astype(np.int64)
    return tuple(name.decode() for name in index), offsets, doc_ids, order


def _duplicate(query: NDArray[np.int64], doc_ids: NDArray[np.bytes_]) -> int | None:
    """The first row that repeats a document of its query, by a hash of all rows, then exactly."""
    keys = query.astype(np.uint64)
    width = -(-doc_ids.dtype.itemsize // 8)
    for word in doc_ids.astype(f"S{8 * width}").view(np.uint64).reshape(-1, width).T:
        keys = (keys ^ word) * _MIX
        keys ^= keys >> _SHIFT
    ordered = np.sort(keys)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    seen: set[tuple[int, bytes]] = set()
    # By sorting: NumPy 2.0's table method can't handle numbers beyond int64.
    found = np.isin(keys, repeated, kind="sort") if len(repeated) else np.zeros(0, dtype=np.bool_)
    for row in np.flatnonzero(found).tolist():
        key = (int(query[row]), doc_ids[row])
        if key in seen:
            return int(row)
        seen.add(key)
    return None


def _refuse_duplicate(path: Path | str, raw: bytes, row: int, place: int) -> NoReturn:
    filled = ((number, line.split()) for number, line in enumerate(raw.split(b"\n"), 1) if line.split())
    number, fields = next(islice(filled, row, None))
    raise DataError(
        f"document {fields[place].decode()!r} comes twice for query {fields[0].decode()!r}",
        path=path,
        line=number,
        fix="keep one of the lines",
    )


def _ranked(run: Run) -> NDArray[np.int64]:
    """Rows by query, then score descending, then document id descending by its bytes.

    Shape [documents].
    """
    query = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
    order = np.lexsort((-run.scores, query))
    ordered = run.scores[order]
    same = (ordered[1:] == ordered[:-1]) & (query[1:] == query[:-1])
    tied = np.flatnonzero(np.concatenate((same, [False])) | np.concatenate(([False], same)))
    rows = order[tied]  # documents are compared only for ties, since comparing strings is slow
    order[tied] = rows[np.lexsort((run.doc_ids[rows], run.scores[rows], -query[rows]))[::-1]]
    return order


def _spans(table: Qrels | Run) -> Iterator[tuple[str, int, int]]:
    offsets = table.offsets.tolist()
    return zip(table.query_ids, offsets[:-1], offsets[1:], strict=True)


def _check_ids(path: Path | str, names: tuple[str, ...], doc_ids: NDArray[np.bytes_]) -> None:
    encoded = [name.encode() for name in names] + doc_ids.tolist()
    if len(b" ".join(encoded).split()) == len(encoded) and all(encoded):
        return
    bad = next(name for name in encoded if name.split() != [name])
    raise DataError(
        f"id {bad.decode()!r} is empty or holds white space, which a TREC file can't hold",
        path=path,
        fix="replace white space in the ids",
    )

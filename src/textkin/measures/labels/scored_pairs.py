"""Scored pairs for labelling: mined pairs, a table of matches, or any pairs with scores."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError
from textkin.base.files import sha256_of_file
from textkin.data.readers.labels import number as number_in
from textkin.data.readers.read_report import ReadReport, SkipCounter
from textkin.data.readers.table import open_table

_NAMES = ("score", "text_a", "text_b")
_MATCHED = ("score", "text", "nearest_text")  # columns written by textkin match
_GUARDS = "guards"
_STRATA = "range_pairs"  # the column of samples drawn by score range


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTexts:
    """Pairs of texts, highest score first.

    Attributes:
        path: path of the file; of pairs in memory their name.
        sha256: hash of the file, or of the pairs in memory.
        texts: both texts of each pair.
        scores: shape [pairs].
        read: the report of skipped rows.
        matched: True if these are texts with their nearest entries, as written by ``textkin match``.
    """

    path: Path
    sha256: str
    texts: tuple[tuple[str, str], ...]
    scores: Floats
    read: ReadReport
    matched: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    def above(self, threshold: float) -> int:
        """The number of pairs with at least this score, in single precision. They are the first ones."""
        # As in other verbs: a score in memory, 0.9599999785 in double precision, is 0.96 in its file.
        falling = -self.scores.astype(np.float32)
        return int(np.searchsorted(falling, -np.float32(threshold), side="right"))


def read_scored(path: Path | str) -> ScoredTexts:
    """Read scored pairs: mined pairs (score, text_a, text_b) or matches (score, text, nearest_text).

    Matches that need no label are skipped and counted: texts without a nearest entry, exact duplicates of an
    entry, and those that a rule keeps apart from the entry.

    Raises:
        DataError: the file can't be read, lacks a column, holds no pair, or is a deduplication sample.
    """
    place = Path(path)
    table, counter = open_table(place), SkipCounter(place)
    rows = ((row.line, row.fields) for row in table.rows(counter))
    return _scored(place, sha256_of_file(place), table.header or (), rows, counter)


def scored_rows(header: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> ScoredTexts:
    """The same of rows in memory.

    Args:
        header: names of the columns.
        rows: the cells of each row.
        name: the pairs' name in messages.

    Raises:
        DataError: as :func:`read_scored`.
    """
    counter = SkipCounter(name, unit="row")
    counter.rows = len(rows)
    content = json.dumps([list(header), [list(row) for row in rows]])
    digest = hashlib.sha256(content.encode()).hexdigest()
    return _scored(Path(name), digest, header, enumerate(rows, 1), counter)


def _scored(
    place: Path,
    digest: str,
    header: Sequence[str],
    rows: Iterable[tuple[int, Sequence[str]]],
    counter: SkipCounter,
) -> ScoredTexts:
    header = list(header)
    matched = set(_MATCHED) <= set(header) and not set(_NAMES) <= set(header)
    names = _MATCHED if matched else _NAMES
    missing = [name for name in names if name not in header]
    if missing:
        raise DataError(
            f"has no column {missing[0]!r}",
            path=place,
            fix="give pairs with scores, as `mine()` or `match()` writes them",
        )
    if _STRATA in header:
        raise DataError(
            "is a sample of dedupe, with more pairs of some scores than of others, so the precision of its "
            "rows is not that of all pairs",
            path=place,
            fix="write yes or no into its column same, and give it to `dedupe()` as `labelled`",
        )
    columns = [header.index(name) for name in names]
    guards = header.index(_GUARDS) if matched and _GUARDS in header else None
    found: list[tuple[float, str, str]] = []
    for line, fields in rows:
        number, a, b = (fields[column] for column in columns)
        score = number_in(number)
        if matched and (why := _needs_no_label(a, b, "" if guards is None else fields[guards])):
            counter.skip(line, why)
        elif score is None:
            counter.skip(line, "the score is not a number")
        elif not a.strip() or not b.strip():
            counter.skip(line, "a text is blank")
        else:
            found.append((score, a, b))
    if not found:
        raise DataError("holds no pair with a score", path=place)
    order = sorted(range(len(found)), key=lambda one: (-found[one][0], found[one][1:]))
    return ScoredTexts(
        path=place,
        sha256=digest,
        texts=tuple((found[one][1], found[one][2]) for one in order),
        scores=np.array([found[one][0] for one in order]),
        read=counter.report(),
        matched=matched,
    )


def _needs_no_label(text: str, nearest: str, guards: str) -> str:
    """The reason why a match needs no label; "" if it needs one."""
    if not nearest.strip():
        return "no entry is near"
    if text == nearest:
        return "the collection has this text"
    return "a guard keeps the text and its entry apart" if guards.strip() else ""

"""Files of a deduplication, as far as a review needs them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, ModelError, UsageError
from textkin.base.files import sha256_of_file
from textkin.base.json_fields import number, read_object, table, text, whole, wrong
from textkin.base.paths import is_file
from textkin.data.readers.labels import number as number_in
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.table import Table, TableRow
from textkin.measures.intervals.bootstrap import Interval
from textkin.verbs.dedupe.deduped import SourcedThreshold
from textkin.verbs.dedupe.output_files import ACCOUNT, REMOVED, SAMPLE
from textkin.verbs.dedupe.sample import answers_alone, holds_answers
from textkin.verbs.dedupe.sample_answers import PrecisionAt

_COLUMNS = ("id", "text", "kept_id", "kept_text", "score", "by", "why")
_AGAIN = "run `dedupe()` again"


@dataclass(frozen=True, slots=True)
class GoneEntry:
    """A text that the run removed.

    Attributes:
        text_id: its id.
        kept_id: the id of the text kept for it.
        score: the cosine of the two.
        why: the reason for keeping the other text.
    """

    text_id: str
    kept_id: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class DedupeRun:
    """A finished deduplication.

    Attributes:
        folder: its path.
        source: the name of the file of texts.
        source_sha256: its hash.
        reading: the options by which it was read.
        texts: number of texts.
        threshold: minimum cosine of duplicates.
        threshold_words: its origin in words.
        gone: the removed texts, in the order of the file of texts.
        text_of: by id, the removed texts and those kept for them.
        precision: estimates from labels by threshold, ascending; empty where there are none.
        removed_sha256: hash of the removals, to which decisions refer.
    """

    folder: Path
    source: str
    source_sha256: str
    reading: TextReading
    texts: int
    threshold: float
    threshold_words: str
    gone: tuple[GoneEntry, ...]
    text_of: Mapping[str, str]
    precision: tuple[PrecisionAt, ...]
    removed_sha256: str


def read_run(folder: Path | str) -> DedupeRun:
    """Read the files of a deduplication.

    Raises:
        DataError: the folder holds no finished run, or its files aren't those that the run wrote.
    """
    place = Path(folder)
    account = place / ACCOUNT
    if not is_file(account):
        raise DataError("holds no deduplication", path=place, fix="make one: `dedupe()` with `out`")
    try:
        values = read_object(account)
        made, cut = table(values, "made_with", account), table(values, "threshold", account)
        removed_sha256 = text(table(values, "files", account), REMOVED, account)
        threshold = number(cut, "value", account)
        told = _told(values, account)
        counts = table(values, "counts", account)
        texts, sampled = whole(counts, "texts", account), whole(counts, "sampled", account, least=0)
        words = SourcedThreshold(
            threshold, text(cut, "origin", account), text(cut, "precision", account)
        ).words
        reading = _reading(table(values, "input", account), account)
        source, source_sha256 = text(made, "texts", account), text(made, "sha256 of the texts", account)
    except ModelError as error:
        raise DataError(error.message, fix=_AGAIN) from error
    removed = place / REMOVED
    if not is_file(removed) or sha256_of_file(removed) != removed_sha256:
        raise DataError("is not the file that the run wrote", path=removed, fix=_AGAIN)
    gone, text_of = _gone(removed)
    return DedupeRun(
        folder=place,
        source=source,
        source_sha256=source_sha256,
        reading=reading,
        texts=texts,
        threshold=threshold,
        threshold_words=words,
        gone=gone,
        text_of=text_of,
        precision=told or _from_sample(place / SAMPLE, threshold, rows=sampled),
        removed_sha256=removed_sha256,
    )


def _reading(values: Mapping[str, Any], path: Path) -> TextReading:
    """The options by which the texts were read; the defaults in runs that didn't note them."""
    try:
        return TextReading(**(values.get("reading") or {}))
    except (TypeError, UsageError) as error:
        raise wrong(values, "reading", path, "options of reading texts") from error


def _gone(path: Path) -> tuple[tuple[GoneEntry, ...], dict[str, str]]:
    """Read the removals, and the texts of all ids in them."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        head = stream.readline().rstrip("\r\n")
        if tuple(head.split("\t")) != _COLUMNS:
            raise DataError(f"has other columns than {', '.join(_COLUMNS)}", path=path, fix=_AGAIN)
        if not stream.read(1):
            return (), {}
    opened = Table(path, "tsv", "\t", "csv", _COLUMNS, len(_COLUMNS), head, patient=True)
    counter = SkipCounter(path)
    found: dict[str, GoneEntry] = {}
    text_of: dict[str, str] = {}
    for row in opened.rows(counter):
        text_id, said, kept_id, kept_text, _, _, why = row.fields
        if text_id in found or text_of.setdefault(kept_id, kept_text) != kept_text:
            raise DataError(f"{text_id[:40]!r} stands there twice", path=path, line=row.line, fix=_AGAIN)
        found[text_id] = GoneEntry(text_id, kept_id, _score(row, path), why)
        text_of[text_id] = said
    if skipped := sum(counter.report().skipped.values()):
        raise DataError(f"{skipped:,} rows have another number of cells", path=path, fix=_AGAIN)
    kept = {one.kept_id for one in found.values()}
    if both := kept & found.keys():
        raise DataError(f"{min(both)[:40]!r} is both removed and kept", path=path, fix=_AGAIN)
    return tuple(found.values()), text_of


def _score(row: TableRow, path: Path) -> float:
    score = number_in(row.fields[4])
    if score is None or not math.isfinite(score):
        raise DataError(f"{row.fields[4][:40]!r} is not a score", path=path, line=row.line, fix=_AGAIN)
    return score


def _told(values: Mapping[str, Any], path: Path) -> tuple[PrecisionAt, ...]:
    """The precision by the run's labels."""
    listed = table(values, "answers", path).get("at", [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise wrong(table(values, "answers", path), "at", path, "a list of objects")
    return tuple(
        PrecisionAt(
            number(one, "threshold", path),
            whole(one, "pairs", path, least=0),
            _interval(one, "precision", path),
            _interval(one, "remaining", path),
            whole(one, "new", path, least=0),
        )
        for one in listed
    )


def _interval(values: Mapping[str, Any], name: str, path: Path) -> Interval | None:
    if not (found := table(values, name, path)):
        return None
    value, low, high = (number(found, end, path) for end in ("value", "low", "high"))
    return Interval(value, low, high, whole(found, "n", path, least=0))


def _from_sample(path: Path, threshold: float, *, rows: int) -> tuple[PrecisionAt, ...]:
    """The precision by the run's sample, if some of it has been labelled since."""
    if not rows or not is_file(path) or not holds_answers(path):
        return ()
    return answers_alone(path, threshold, rows=rows).at

"""Reference scores and labels, and their files."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.files import sha256_of_file
from textkin.base.frames import column_names
from textkin.base.json_records import json_object
from textkin.base.python_inputs import cells_of
from textkin.base.python_values import plain
from textkin.base.standard_streams import typed_lines
from textkin.collection.match.match import OTHER_TEXT, Match, row_of
from textkin.collection.match.match_labels import FACT, MatchLabels
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.readers.labels import number as number_in
from textkin.data.readers.read_report import ReadReport, SkipCounter
from textkin.data.readers.table import Table, open_table
from textkin.measures.decisions.base_rate import check_rate
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_rule import MatchVerdict

_FEWEST = 50  # minimum number of reference scores
_SAME, _DIFFERENT = ("1", "same", "true"), ("0", "different", "false")


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Scores from a time when all was well.

    Attributes:
        scores: scores of texts with their nearest neighbour; minus infinity without one. Shape [texts].
        source: their source, in words.
        given: True for earlier matches that were given, False for scores at calibration.

    Raises:
        UsageError: there are too few.
    """

    scores: Floats32
    source: str
    given: bool = False

    def __post_init__(self) -> None:
        if len(self.scores) < _FEWEST:
            raise invalid(
                "against",
                f"{len(self.scores)} scores",
                expected=f"at least {_FEWEST} matches",
                fix="or calibrate with more labels",
            )


@dataclass(frozen=True, slots=True, eq=False)
class WatchedFile:
    """Scores or labels of a file.

    Attributes:
        values: scores, with minus infinity if nothing is near; or labels, 1 for duplicates. Shape [rows].
        sha256: the file's hash.
        read: the reader's account of skipped rows.
    """

    values: Floats32
    sha256: str
    read: ReadReport


def reference_of(store: CollectionStore, *, base_rate: float | None = None, seed: int = 0) -> Reference:
    """The calibration scores of a collection, at a base rate.

    Args:
        store: the collection.
        base_rate: the fraction of incoming texts that have a duplicate; the collection's if None.
        seed: the seed of the draws, if the calibration had another base rate.

    Raises:
        UsageError: it isn't calibrated, or not with scores of all kinds; or the base rate isn't a proportion.
        DataError: the stored data can't be read.
    """
    if (fitted := store.fact(FACT)) is None:
        raise UsageError(
            "the collection has no earlier scores: its matches were never calibrated",
            fix="run `calibrate()`, or `watch()` once with earlier matches as `against`",
            params=("against",),
        )
    labels = MatchLabels.from_dict(fitted)
    if labels.drawn is not None:
        raise UsageError(
            "the collection was calibrated by labels drawn mostly from high scores, not by the scores of "
            "all matches",
            fix="give the matches that were labelled as `against`",
            params=("against",),
        )
    arrivals, known = labels.arrivals, labels.base_rate.share
    rate = known.value if base_rate is None else base_rate
    check_rate(rate)
    # If the sample itself has this base rate, it is used whole: its error is already in the test.
    is_own = known.low <= arrivals.rate <= known.high if base_rate is None else rate == arrivals.rate
    scores = arrivals.scores if is_own else _at_rate(arrivals, rate, seed)
    return Reference(scores, f"{len(scores):,} texts, {labels.source}; base rate {rate:.3g}")


def _at_rate(arrivals: Arrivals, rate: float, seed: int) -> Floats32:
    """As many scores as available at a base rate, drawn from texts with and without a duplicate."""
    random = np.random.default_rng(seed)
    kinds = [random.permutation(np.flatnonzero(arrivals.known == one)) for one in (True, False)]
    size = int(min(len(kinds[0]) / rate, len(kinds[1]) / (1 - rate)))
    known = int(random.binomial(size, rate))
    chosen = np.concatenate([kinds[0][:known], kinds[1][: size - known]])
    return arrivals.scores[chosen]


def score_of(match: Match | Mapping[str, Any]) -> float | None:
    """The watched score of a match or a row of matches; None without one.

    A text whose nearest entry is blocked by a guard counts as one with nothing near, as at calibration. A
    text known by its id is no news: its nearest entry is itself, or one without a score.

    Raises:
        DataError: it isn't a match.
    """
    values = row_of(match) if isinstance(match, Match) else match
    if not isinstance(values, Mapping):
        raise DataError(f"{values!r:.80} is not a match", fix="give what `match()` writes")
    score = plain(values.get("score"))
    if "score" not in values or (score is not None and not isinstance(score, int | float)):
        raise DataError(f"{values!r:.80} is not a match", fix="give what `match()` writes")
    guards = tuple(one for one in str(values.get("guards") or "").split(",") if one)
    if score is not None and not math.isfinite(score):
        raise DataError(f"a match has the score {score}", fix="give what `match()` writes")
    if OTHER_TEXT in guards or (values.get("nearest_id") and (score is None or _is_itself(values))):
        return None
    return -math.inf if score is None or guards else float(score)


def _is_itself(values: Mapping[str, Any]) -> bool:
    """True if a text's nearest entry has its id and its text."""
    same_text = values.get("text") == values.get("nearest_text")
    return same_text and str(values["nearest_id"]) == str(values.get("id"))


def each_match(matches: Any) -> Iterator[Match | Mapping[str, Any]]:
    """Yield matches one by one; those of a frame as rows."""
    if isinstance(matches, list) or (names := column_names(matches)) is None:
        yield from matches
        return
    columns = [cells_of(matches[name], "matches") for name in names]
    for row in zip(*columns, strict=True):
        yield dict(zip(map(str, names), row, strict=True))


def read_matches(path: Path | str) -> WatchedFile:
    """Read the scores of a table written by ``textkin match``.

    Raises:
        DataError: it can't be read, or has no column of scores.
    """
    place = Path(path)
    table = open_table(place, named=("score",))
    columns = _columns(table, "score", ("guards", "nearest_id", "id", "text", "nearest_text"))
    counter = SkipCounter(place)
    found: list[float] = []
    for row in table.rows(counter):
        values = {name: _cell(row.fields, column) for name, column in columns.items()}
        score = number_in(values["score"])
        if values["score"] and score is None:
            counter.skip(row.line, "the score is not a number")
        elif (one := score_of({**values, "score": score})) is None:
            counter.skip(row.line, "the text was known by its id")
        else:
            found.append(one)
    return WatchedFile(np.array(found, dtype=np.float32), sha256_of_file(place), counter.report())


def typed_matches() -> Iterator[dict[str, Any]]:
    """Yield the matches of standard input, JSON lines as ``match`` prints them.

    Raises:
        DataError: a line is not a JSON object.
    """
    for number, line in typed_lines():
        if (found := json_object(line)) is None:
            raise DataError(
                "is not a JSON object", path="-", line=number, fix="pipe what `match()` prints as JSON"
            )
        yield found


def read_labels(path: Path | str) -> WatchedFile:
    """Read labels of texts that were called duplicates: 1 or "same", 0 or "different".

    Rows with verdicts other than duplicate are skipped.

    Raises:
        DataError: it can't be read, or has no column of labels.
    """
    place = Path(path)
    table = open_table(place, named=("label",))
    columns = _columns(table, "label", ("verdict",))
    counter = SkipCounter(place)
    found: list[bool] = []
    for row in table.rows(counter):
        label = _cell(row.fields, columns["label"]).strip().lower().removesuffix(".0")
        verdict = _cell(row.fields, columns["verdict"])
        if verdict and verdict != MatchVerdict.DUPLICATE.value:
            counter.skip(row.line, "it was not called a duplicate")
        elif label not in (*_SAME, *_DIFFERENT):
            counter.skip(row.line, "it has no label, 1 or 0")
        else:
            found.append(label in _SAME)
    return WatchedFile(np.array(found, dtype=np.float32), sha256_of_file(place), counter.report())


def _columns(table: Table, needed: str, more: tuple[str, ...]) -> dict[str, int | None]:
    header = list(table.header or ())
    if needed not in header:
        raise DataError(
            f"has no column {needed!r}",
            path=table.path,
            fix="give matches as `match()` writes them, or labels with a column label",
        )
    return {name: header.index(name) if name in header else None for name in (needed, *more)}


def _cell(fields: tuple[str, ...], column: int | None) -> str:
    return "" if column is None else fields[column].strip()

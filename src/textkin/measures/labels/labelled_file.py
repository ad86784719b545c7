"""Labelled files with a record of their sampling, so that readers can verify the proof.

Next to ``labelled.tsv`` lies ``labelled.tsv.drawn.json``: the hash of the table, the draws in order, and the
population they were drawn from. Labels of pairs that were picked by score, or after viewing them, have no
such record and prove nothing.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError
from textkin.base.files import sha256_of_file, write_json
from textkin.base.table_writer import check_ending, written_table
from textkin.measures.labels.annotators import Judgements
from textkin.measures.labels.answer_file import LabelAnswer
from textkin.measures.labels.draws import Draw, DrawnLabels
from textkin.measures.labels.scored_pairs import ScoredTexts

COLUMNS = ("label", "score", "text_a", "text_b", "answer", "by", "note")
_KIND, _FORMAT = "textkin drawing", 1
_AGAIN = "write it with `label()` and `out`"


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """The record of a labelled file's draws.

    Attributes:
        rows: the pair of each table row, by its position among all pairs. Shape [rows].
        scores: scores used for the draws. Shape [rows].
        drawn: the draws, with the table's labels.
        matched: True if the pairs are matches of a stream: texts with their nearest entries.
        pairs: name of the file they were drawn from.
    """

    rows: tuple[int, ...]
    scores: Floats
    drawn: DrawnLabels
    matched: bool = False
    pairs: str = ""


def record_of(path: Path) -> Path:
    """The path of a labelled file's record."""
    return path.with_name(f"{path.name}.drawn.json")


def write_labelled(
    path: Path, pairs: ScoredTexts, judged: Judgements, drawn: DrawnLabels, goal: float
) -> int:
    """Write the labelled pairs as a table with its record; return their number.

    Raises:
        OutputError: a file can't be written.
    """
    check_ending(path)
    rows = [row for row, label in judged.labels().items() if label is not LabelAnswer.UNSURE]
    with written_table(path, COLUMNS) as writer:
        writer.write(_table_row(row, pairs, judged) for row in rows)
    write_json(
        record_of(path),
        {
            "kind": _KIND,
            "format": _FORMAT,
            "labelled_sha256": sha256_of_file(path),
            "pairs": pairs.path.name,
            "pairs_sha256": pairs.sha256,
            "count": len(pairs),
            "matched": pairs.matched,
            "precision": goal,
            "error": drawn.error,
            "recall": drawn.bounds_recall,
            "thresholds": [list(one) for one in zip(drawn.scores, drawn.sizes, strict=True)],
            "rows": rows,
            "scores": [float(pairs.scores[row]) for row in rows],
            "unsure": [row for row, label in drawn.labels.items() if label is None],
            "draws": [list(astuple(one)) for one in drawn.draws],
        },
    )
    return len(rows)


def _table_row(row: int, pairs: ScoredTexts, judged: Judgements) -> tuple[str | float, ...]:
    label = judged.label(row)
    end = judged.settlement(row)
    said = [*judged.said(row), *([] if end is None else [end])]
    people = ", ".join(dict.fromkeys(one.by for one in said if one.by))
    notes = "; ".join(one.note for one in said if one.note)
    same = "1" if label is LabelAnswer.SAME else "0"
    answer = "" if label is None else label.value
    return same, float(pairs.scores[row]), *pairs.texts[row], answer, people, notes


def read_drawing(path: Path, labels: Sequence[bool]) -> Drawing:
    """The sampling record of a labelled file.

    Args:
        path: the file.
        labels: labels of its rows, in order.

    Raises:
        DataError: the record is missing, belongs to other content, or can't be read.
    """
    place = record_of(path)
    if not place.is_file():
        raise DataError(
            "doesn't say how its pairs were drawn, so its labels prove nothing: they may have been chosen by "
            f"their scores, or looked at until they fitted ({place.name} would say it)",
            path=path,
            fix=f"{_AGAIN}, or leave `proof` out",
        )
    try:
        values = json.loads(place.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=place) from error
    except (ValueError, RecursionError) as error:
        raise DataError("is not JSON", path=place, fix=_AGAIN) from error
    if not isinstance(values, dict) or (values.get("kind"), values.get("format")) != (_KIND, _FORMAT):
        raise DataError("is not a record of how pairs were drawn", path=place, fix=_AGAIN)
    if values.get("labelled_sha256") != sha256_of_file(path):
        raise DataError("was changed since its pairs were drawn", path=path, fix=_AGAIN)
    try:
        return _drawing(values, labels)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DataError(f"is damaged: {error}", path=place, fix=_AGAIN) from error


def _drawing(values: dict[str, Any], labels: Sequence[bool]) -> Drawing:
    rows = tuple(_places(values["rows"]))
    scores = np.array(values["scores"], dtype=np.float64)
    if len(rows) != len(labels) or scores.shape != (len(rows),):
        raise ValueError(f"{len(rows):,} rows were drawn, and {len(labels):,} have labels")
    thresholds = [(float(score), int(size)) for score, size in values["thresholds"]]
    sizes, count = tuple(size for _, size in thresholds), int(values["count"])
    draws = tuple(Draw(*_places(one)) for one in values["draws"])
    known: dict[int, bool | None] = dict.fromkeys(_places(values["unsure"]))
    known |= dict(zip(rows, labels, strict=True))
    if not sizes or list(sizes) != sorted(set(sizes)) or not 0 < sizes[0] <= sizes[-1] <= count:
        raise ValueError(f"thresholds of {sizes} pairs among {count:,}")
    if any(not 0 <= one.start <= one.row < one.among <= count for one in draws):
        raise ValueError("a draw is of none of the pairs")
    if set(known) != {one.row for one in draws if one.row in known} or len(set(rows)) != len(rows):
        raise ValueError("a label is of no pair that was drawn")
    error = float(values["error"])
    if not 0 < error < 1:
        raise ValueError(f"an error of {error:g}")
    return Drawing(
        rows,
        scores,
        DrawnLabels(
            scores=tuple(score for score, _ in thresholds),
            sizes=sizes,
            pairs=count,
            draws=draws,
            labels=known,
            error=error,
            bounds_recall=values["recall"] is True,
        ),
        matched=values["matched"] is True,
        pairs=str(values["pairs"]),
    )


def _places(values: Any) -> Iterator[int]:
    for one in values:
        if isinstance(one, bool) or not isinstance(one, int):
            raise TypeError(f"{one!r} is not a place")
        yield one

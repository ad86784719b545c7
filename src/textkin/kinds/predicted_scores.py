"""Scores and classes that other programs gave pairs, as a system."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textkin.base.arrays import Floats, Floats32
from textkin.base.errors import DataError
from textkin.base.frames import column_names
from textkin.base.python_inputs import listed
from textkin.base.python_values import plain
from textkin.data.readers.labels import number
from textkin.data.readers.pair_predictions import FIX, PairPredictions, read_pair_predictions
from textkin.data.records import LabelKind, PairSet
from textkin.kinds.systems.predictions import KnownByPredictions, Predicted, Predictions, in_order, some

Pairs = Sequence[tuple[str, str]]

_TOLD_APART = 0.99  # proportion of different scores; of many random ones, some are equal in single precision


class PredictedScorer(KnownByPredictions):
    """The scores of another system, which knows those of the measured pairs alone.

    Args:
        name: its name in tables.
        pairs: the pairs.
        scores: the score of each. Shape [pairs].
    """

    def __init__(self, name: str, pairs: Pairs, scores: Floats) -> None:
        self.name, self._scores = name, scores
        self._rows = _Rows(name, pairs)

    @property
    def decides_at(self) -> float | None:
        """A half for probabilities, and for 1 and 0; None for scores on another scale."""
        return 0.5 if bool(((self._scores >= 0) & (self._scores <= 1)).all()) else None

    def score(self, pairs: Pairs) -> Floats32:
        """The score of each pair, shape [pairs].

        Raises:
            DataError: a pair is not among those predicted.
        """
        return self._scores[self._rows.of(pairs)].astype(np.float32)


class PredictedClassifier(KnownByPredictions):
    """The classes that another system gave the measured pairs.

    Args:
        name: its name in tables.
        labels: the classes.
        pairs: the pairs.
        probabilities: the probability of each class; 1 for the decision if only that is known. Shape [pairs,
            classes].
    """

    def __init__(self, name: str, labels: Sequence[str], pairs: Pairs, probabilities: Floats) -> None:
        self.name, self.labels, self._probabilities = name, tuple(labels), probabilities
        self._rows = _Rows(name, pairs)

    def classify(self, pairs: Pairs) -> Floats32:
        """The probability of each class for each pair, shape [pairs, labels].

        Raises:
            DataError: a pair is not among those predicted.
        """
        return self._probabilities[self._rows.of(pairs)].astype(np.float32)


class _Rows:
    """The place of each pair; equal pairs keep their own where all are asked for."""

    def __init__(self, name: str, pairs: Pairs) -> None:
        self._name, self._pairs = name, list(pairs)
        self._places = {pair: place for place, pair in reversed(list(enumerate(self._pairs)))}

    def of(self, pairs: Pairs) -> list[int]:
        if list(pairs) == self._pairs:
            return list(range(len(self._pairs)))
        strange = next((tuple(pair) for pair in pairs if tuple(pair) not in self._places), None)
        if strange is not None:
            raise DataError(
                f"{self._name} has predictions of the measured data alone, not of the pair {some([strange])}",
                fix="leave it out here",
            )
        return [self._places[pair[0], pair[1]] for pair in pairs]


def system_from(data: PairSet, given: Predictions) -> Predicted:
    """The scorer, or for classes the classifier, that gave these predictions.

    Raises:
        DataError: a pair has no prediction or two, or one is neither a score nor a class.
    """
    path, texts = given.path, data.texts
    classes = data.classes if data.kind is LabelKind.CLASSES else ()
    read = (
        in_memory(given, classes, data.id_name)
        if path is None
        else read_pair_predictions(path, name=given.name, classes=classes, id_name=data.id_name)
    )
    rows, notes = _rows_of(data, read, given)
    first = next(iter(read.values.values()))
    if not classes:
        scores = _numbers(first, read, given)[rows]
        return Predicted(PredictedScorer(given.name, texts, scores), (*notes, *_merged(scores, given)))
    if len(read.values) == 1:
        found = np.eye(len(classes))[_classes(first, classes, read, given)]
    else:
        found = np.stack([_numbers(cells, read, given) for cells in read.values.values()], axis=1)
    return Predicted(PredictedClassifier(given.name, classes, texts, found[rows]), notes)


def _rows_of(data: PairSet, read: PairPredictions, given: Predictions) -> tuple[list[int], tuple[str, ...]]:
    """The row of each pair, and notes on further rows."""
    ids = [(pair.id_a, pair.id_b) for pair in data]
    has_ids = all(a and b for a, b in ids)
    by_id = has_ids and read.ids is not None
    theirs: Sequence[tuple[str, ...]] | None
    keys: Sequence[tuple[str, ...]]
    theirs, keys = (read.ids, ids) if by_id else (read.texts, list(map(_stripped, data.texts)))
    if theirs is None and read.of_pairs(own := [pair.pair_id for pair in data], data.id_name):
        theirs, keys = [(one,) for one in read.single_ids], [(one,) for one in own]
    if theirs is None or list(theirs) == keys:
        if len(read.lines) != len(data):
            said = f"{len(read.lines):,} predictions, expected {len(data):,}, one a pair"
            raise given.wrong(said, fix=FIX)
        if theirs is None and read.ids is not None:
            fix = "give the texts beside them, or the predictions alone, in the order of the pairs"
            raise given.wrong("has ids of texts, and the data have none", fix=fix)
        if theirs is None and read.is_shuffled:
            # Numbers of pairs, or ids that the pairs have in this order as well: the rows don't tell.
            fix = "sort the rows by it if it numbers the pairs, and leave it out"
            raise given.wrong(
                f"has rows numbered under {read.unread!r} in another order than theirs", fix=fix
            )
        unread = (
            f"{given.name}: predictions in the order of the pairs; the ids under {read.unread!r} aren't read"
        )
        return list(range(len(data))), (unread,) if theirs is None and read.unread is not None else ()
    found: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(theirs):
        if found.setdefault(key, row) != row:
            said = f"the pair {some([key])} comes twice"
            raise given.wrong(said, line=read.lines[row], fix="give one prediction per pair")
    return in_order(keys, found, given, what="pair")


def _merged(scores: Floats, given: Predictions) -> tuple[str, ...]:
    """A note if scores are too close to each other, or too large, to be told apart in single precision."""
    with np.errstate(over="ignore"):  # scores that are too large are refused where they are measured
        apart, told = (len(np.unique(one)) for one in (scores, scores.astype(np.float32)))
    if told > apart * _TOLD_APART:
        return ()
    said = f"{given.name}: {apart:,} different scores are {told:,} in single precision, in which they are"
    return (f"{said} measured; the others are ties, unless you give ranks or logits",)


def _numbers(cells: Sequence[str], read: PairPredictions, given: Predictions) -> Floats:
    found = [number(cell) for cell in cells]
    if (wrong := next((row for row, value in enumerate(found) if value is None), None)) is not None:
        raise given.wrong(
            f"{cells[wrong][:40]!r} is not a score", line=read.lines[wrong], fix="give finite numbers"
        )
    return np.array(found, dtype=np.float64)


def _classes(
    cells: Sequence[str], classes: Sequence[str], read: PairPredictions, given: Predictions
) -> list[int]:
    places = {name.casefold(): place for place, name in enumerate(classes)}
    for row, cell in enumerate(cells):
        if cell.casefold() not in places:
            fix = f"choose from: {', '.join(classes)}"
            raise given.wrong(f"{cell[:40]!r} is not a class of the data", line=read.lines[row], fix=fix)
    return [places[cell.casefold()] for cell in cells]


def _stripped(pair: tuple[str, str]) -> tuple[str, str]:
    return pair[0].strip(), pair[1].strip()


def in_memory(given: Predictions, classes: Sequence[str] = (), id_name: str = "") -> PairPredictions:
    """Predictions from an array in the order of the pairs, or from a frame, as from a file."""
    values: Any = given.given
    names = column_names(values)
    try:
        if isinstance(values, Mapping) and names is None:
            raise TypeError
        whole = [values] if names is None else [listed(values[one], given.name) for one in names]
        columns = [[str(plain(value)).strip() for value in one] for one in whole]
    except TypeError:
        raise given.wrong(
            f"is of type {type(values).__name__}", fix="give an array, a frame or a file"
        ) from None
    header, lines = list(map(str, names or ())), range(1, len(columns[0]) + 1)
    found = PairPredictions.of_columns(
        header, columns, lines, name=given.name, classes=classes, id_name=id_name
    )
    if found is None:
        raise given.wrong(
            f"has the columns {', '.join(map(repr, header))}, and none is called {given.name!r}, 'score' or "
            "'prediction'",
            fix="rename the one with the predictions, or give it alone",
        )
    return found

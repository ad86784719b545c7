"""Sides of a split in memory, in the form in which the pairs were given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from textkin.base.arrays import Ints
from textkin.base.errors import invalid
from textkin.base.frames import taken
from textkin.base.python_inputs import path_of
from textkin.base.results import Result, ResultRow, counted
from textkin.data.readers import Reading
from textkin.data.readers.datasets.squad import is_squad_document
from textkin.data.readers.read_report import note_read
from textkin.data.records import PairSet
from textkin.data.splits.leak_proof import Disjointness
from textkin.data.splits.partition import SIDES, CutRule, KeptTogether, Shares
from textkin.kinds.registry import kind_of, load_data
from textkin.verbs.data.split_file import (
    SideFacts,
    dropped_pairs,
    rows_of_sides,
    said_of_candidates,
    side_facts,
    split_rows,
)
from textkin.verbs.pair_inputs import given_pairs


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SplitPairs(Result):
    """The three sides of a split: a sequence of train, dev and test.

    Attributes:
        train: in the form of the pairs: a data frame's rows, a list, or a ``PairSet``; of a document of SQuAD
            a ``SpanSet``.
        dev: likewise.
        test: likewise.
        sides: facts on each.
        shared: overlap of the sides, as in :class:`textkin.verbs.SplitReport`.
        dropped: pairs on no side, by reason.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.split(samples.pairs("support-desk"))
        >>> len(found), len(found.test) == found.sides["test"].pairs
        (3, True)
    """

    train: Any
    dev: Any
    test: Any
    sides: Mapping[str, SideFacts]
    shared: Disjointness
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over train, dev and test."""
        return iter((self.train, self.dev, self.test))

    def __getitem__(self, place: int | slice) -> Any:
        """A side, by its place."""
        return (self.train, self.dev, self.test)[place]

    def _count(self) -> int:
        return len(SIDES)

    def _rows(self) -> Iterator[ResultRow]:
        return rows_of_sides(self.sides)

    def _said(self) -> tuple[str, ...]:
        return (f"dropped: {counted(self.dropped) or 'none'}", *said_of_candidates(self.shared))

    def _summary(self) -> str:
        return ", ".join(f"{side.pairs:,} {name}" for name, side in self.sides.items())

    def as_dict(self) -> dict[str, Any]:
        """Facts on the sides."""
        return {"sides": {name: asdict(side) for name, side in self.sides.items()}, "dropped": self.dropped}


def _rows_of(read: PairSet, places: Ints) -> list[int]:
    """The rows of a frame or list that stand at some places among those that were read.

    These are others where rows were skipped, or put in another order.
    """
    rows = (read.pairs[place].row for place in places.tolist())
    return sorted(place if row < 0 else row for place, row in zip(places.tolist(), rows, strict=True))


def _require_a_row_each(read: PairSet) -> None:
    """Check that no row of a frame or list holds several pairs, as those of triplets do.

    Raises:
        UsageError: one does, so that no side could have one of them alone.
    """
    rows = [pair.row for pair in read.pairs if pair.row >= 0]
    if len(set(rows)) < len(rows):
        fix = "give a table of queries with candidates"
        raise invalid("pairs", read.name, expected="one pair in each row", fix=fix)


def split_pairs(
    data: Any,
    columns: Any,
    reading: Reading,
    *,
    seed: int,
    shares: Shares,
    rule: CutRule,
    together: KeptTogether,
) -> SplitPairs:
    """Split pairs so that their sides share no text, and prove it.

    Args:
        data: a file, a ``PairSet``, a data frame, or rows of texts and labels.
        columns: columns of a data frame by role.
        reading: reading options of a file.
        seed: another seed gives another split.
        shares: the wanted shares of the pairs.
        rule: see ``partition.CutRule``.
        together: the texts to keep on one side.

    Raises:
        UsageError: the data are none of these.
        DataError: the file can't be read, or the data can't be split.
    """
    is_file = path_of(data) is not None
    if not is_file and kind_of(data) is None and not hasattr(data, "__getitem__"):
        data = list(data)
    kind, loaded = load_data(data if is_file else given_pairs(data, columns), reading=reading, every=True)
    if is_file:
        note_read(loaded.report)
    if is_file or is_squad_document(data):
        data = loaded.data
    own = kind_of(data)
    if own is None:
        _require_a_row_each(kind.rows(loaded.data)[0])
    found, rows, shared = split_rows(
        kind, loaded.data, seed=seed, shares=shares, rule=rule, together=together, may_be_empty=True
    )
    train, dev, test = (
        taken(data, _rows_of(rows, places)) if own is None else own.taken(data, places.tolist())
        for places in found.sides.values()
    )
    return SplitPairs(train, dev, test, side_facts(rows, found, shares), shared, dropped_pairs(found))

"""The labels that a collection's matching rule is fitted to, and its base rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from textkin.base.errors import DataError, said
from textkin.base.results import ResultRow, Summary
from textkin.collection.store.collection_store import CollectionStore
from textkin.measures.decisions import match_rule
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_samples import DrawnMatches
from textkin.measures.intervals.bootstrap import Interval

FACT = "matching"
"""The fact that holds the data a collection's matching rule was fitted to."""

GIVE_RATE = "give `base_rate=0.1`, for example: the expected share of incoming texts that have a duplicate"
"""What helps where the labels don't tell the base rate."""

_FORMAT = 3
FIT = "to fit one: label what `match()` writes, then give the labels to `calibrate()`"
"""What helps where there are none."""


@dataclass(frozen=True, slots=True)
class BaseRate:
    """The fraction of incoming texts that have a duplicate, and its source.

    Attributes:
        share: the fraction with its 95 % interval; for a given one, both ends are equal.
        source: its source, in words.

    Example:
        >>> BaseRate.given(0.1).in_words
        '0.1, given'
    """

    share: Interval
    source: str

    @classmethod
    def given(cls, value: float) -> Self:
        """A base rate given by the user."""
        return cls(Interval(value, value, value, 0), "given")

    @classmethod
    def estimated(cls, share: Interval, entries: int) -> Self:
        """A base rate estimated from entries of the collection.

        Raises:
            DataError: it is at the edge of its range, where an estimate is meaningless.
        """
        if not 1 / entries < share.value < 1 - 1 / entries:
            raise DataError(
                f"the base rate that is estimated from {entries:,} entries is {share.value:.3g}, the edge of "
                "its range",
                fix=GIVE_RATE,
            )
        return cls(replace(share, n=entries), f"estimated from {entries:,} entries")

    @property
    def value(self) -> float:
        """The fraction."""
        return self.share.value

    @property
    def in_words(self) -> str:
        """The fraction, its interval and its source."""
        one = self.share
        ends = f" ({one.low:.3g} to {one.high:.3g})" if one.n else ""
        return f"{one.value:.3g}{ends}, {self.source}"


@dataclass(frozen=True, slots=True, repr=False)
class MatchLabels(Summary):
    """The labels of a collection's matching rule.

    Attributes:
        arrivals: the labelled sample.
        source: the source of the labels.
        guards: the guards applied.
        base_rate: the fraction of incoming texts that have a duplicate.
        unlabelled: texts ignored because their nearest entry has no label.
        entries: the number of entries at that time.
        change: the number of the last change at that time.
        drawn: the labels by score range, if ``textkin label`` drew them; None for other labels.
        precision: the precision that duplicates need unless another one is asked for.

    Example:
        >>> from textkin.verbs import MatchLabels
        >>> MatchLabels.__name__
        'MatchLabels'
    """

    arrivals: Arrivals
    source: str
    guards: tuple[str, ...]
    base_rate: BaseRate
    unlabelled: int = 0
    entries: int = 0
    change: int = 0
    drawn: DrawnMatches | None = None
    precision: float = match_rule.PRECISION

    def rule(self, goal: match_rule.MatchGoal, *, base_rate: float | None = None) -> match_rule.MatchRule:
        """The rule for a goal, at a base rate or the labels' own.

        Raises:
            UsageError: the base rate isn't between 0 and 1.
        """
        if self.drawn is not None:
            own = base_rate is None and self.base_rate.share.n > 0
            rate = None if own else self.base_rate.value if base_rate is None else base_rate
            return match_rule.rule_of_drawn(self.drawn, self.arrivals, goal, base_rate=rate)
        rate = self.base_rate.value if base_rate is None else base_rate
        return match_rule.fit_match_rule(self.arrivals, goal, base_rate=rate)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        rate = self.base_rate.share
        return {
            "format": _FORMAT,
            "source": self.source,
            "guards": list(self.guards),
            "base_rate": [rate.value, rate.low, rate.high, rate.n],
            "base_rate_source": self.base_rate.source,
            "unlabelled": self.unlabelled,
            "entries": self.entries,
            "change": self.change,
            "arrivals": self.arrivals.to_dict(),
            "drawn": None if self.drawn is None else self.drawn.to_list(),
            "precision": self.precision,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MatchLabels:
        """Parse the result of :meth:`to_dict`.

        Raises:
            DataError: it is invalid, or of another format.
        """
        if not isinstance(values, Mapping):
            raise DataError("the collection's labels are not what was written", fix=FIT)
        if values.get("format") != _FORMAT:
            raise DataError(f"the collection's labels have format {values.get('format')!r}", fix=FIT)
        try:
            value, low, high, count = values["base_rate"]
            return cls(
                arrivals=Arrivals.from_dict(values["arrivals"]),
                source=str(values["source"]),
                guards=tuple(map(str, values["guards"])),
                base_rate=BaseRate(
                    Interval(float(value), float(low), float(high), int(count)),
                    str(values["base_rate_source"]),
                ),
                unlabelled=int(values["unlabelled"]),
                entries=int(values["entries"]),
                change=int(values["change"]),
                drawn=None if values["drawn"] is None else DrawnMatches.from_list(values["drawn"]),
                precision=match_rule.MatchGoal(precision=float(values["precision"])).precision,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the collection's labels can't be read: {said(error)}", fix=FIT) from error

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "labels": self.source,
            "texts": len(self.arrivals.known),
            "with a duplicate": self.arrivals.duplicates,
            "nearest entry right": int(self.arrivals.right.sum()),
            "left out, nearest entry without label": self.unlabelled,
            "guards": ", ".join(self.guards),
            "base rate": self.base_rate.in_words,
            "precision": self.precision,
        }


def usual_precision(store: CollectionStore) -> float:
    """The precision that a collection was calibrated for, or the default.

    Raises:
        DataError: the labels can't be read.
    """
    fitted = store.fact(FACT)
    return match_rule.PRECISION if fitted is None else MatchLabels.from_dict(fitted).precision

"""A collection's matching rule: fitted to labels, the model's own, or a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypedDict

from textkin.base.argument_checks import check_fields
from textkin.base.errors import DataError, conflict, inapplicable, invalid, required, said
from textkin.base.results import ResultRow, Summary
from textkin.base.spelling import spelt
from textkin.collection.calibration.staleness import growth
from textkin.collection.store.collection_store import CollectionStore
from textkin.measures.decisions import match_rule
from textkin.measures.decisions.base_rate import check_rate
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_samples import DrawnMatches
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.measures.decisions.user_thresholds import NOT_FITTED_THRESHOLD
from textkin.measures.intervals.bootstrap import Interval
from textkin.vectors.groups.guards import STANDARD, checks

if TYPE_CHECKING:
    from textkin.collection.collection_model import CollectionModel

FACT = "matching"
"""The fact that holds the data a collection's matching rule was fitted to."""

GIVE_RATE = "give `base_rate=0.1`, for example: the expected share of incoming texts that have a duplicate"
"""What helps where the labels don't tell the base rate."""

_FORMAT = 3
_FIT = "to fit one: label what `match()` writes, then give the labels to `calibrate()`"


class MatchArguments(TypedDict, total=False):
    """Options for matching, by name; see :class:`MatchOptions`."""

    precision: float | None
    ask: float | None
    base_rate: float | None
    threshold: float | None
    guards: tuple[str, ...] | None
    decision: Path | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOptions:
    """Options for matching.

    Attributes:
        precision: the required precision of the verdict duplicate; None for the one that the collection was
            calibrated for, else 0.95.
        ask: the minimum probability at which a text that isn't called a duplicate becomes a question for a
            person; 0.1 if None.
        base_rate: the fraction of incoming texts that have a duplicate; None for the collection's, if its
            labels allow an estimate.
        threshold: the minimum cosine of a duplicate; in place of the options above.
        decision: a file of ``dedupe`` or ``calibrate`` for the collection's model, or the threshold that was
            read from one; in place of the options above.
        guards: the guards that keep texts apart; None for those used for the labels, otherwise all but
            "content".

    Raises:
        UsageError: an argument is out of range, has no effect beside another, or there is no such guard.

    Example:
        >>> MatchOptions(base_rate=0.01).asked
        ('base_rate',)
    """

    precision: float | None = None
    ask: float | None = None
    base_rate: float | None = None
    threshold: float | None = None
    guards: tuple[str, ...] | None = None
    decision: Path | str | SavedThreshold | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("decision", "threshold"):
            others = [other for other in self.asked if other != name]
            if getattr(self, name) is not None and others:
                raise conflict(others[0], name)
        self.goal(match_rule.PRECISION)
        if self.base_rate is not None:
            check_rate(self.base_rate)
        checks([], self.guards or ())

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of options that ask for another rule than a decision's."""
        named = ("threshold", "base_rate", "precision", "ask")
        return tuple(name for name in named if getattr(self, name) is not None)

    def goal(self, usual: float) -> match_rule.MatchGoal:
        """The goal of the verdicts, with the usual precision unless another one is asked for."""
        precision = usual if self.precision is None else self.precision
        return match_rule.MatchGoal(precision, match_rule.ASK if self.ask is None else self.ask)


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
            raise DataError("the collection's labels are not what was written", fix=_FIT)
        if values.get("format") != _FORMAT:
            raise DataError(f"the collection's labels have format {values.get('format')!r}", fix=_FIT)
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
            raise DataError(f"the collection's labels can't be read: {said(error)}", fix=_FIT) from error

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


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """A rule with its source.

    Attributes:
        rule: maps scores to verdicts.
        guards: the guards that keep texts apart.
        source: the data that the rule was fitted to, in words.
        fitted: True if it was fitted to labels.
    """

    rule: match_rule.MatchRule
    guards: tuple[str, ...]
    source: str
    fitted: bool = True


def choose_rule(labels: MatchLabels | None, model: CollectionModel, options: MatchOptions) -> ChosenRule:
    """Choose a given or decided threshold, the labels' rule, the passport's, or the default.

    Args:
        labels: the labels the collection was fitted to; None without.
        model: the collection's.
        options: the user's options.

    Raises:
        UsageError: a base rate is missing, or it or a goal has no fit to apply to; or the labels were fitted
            with other guards.
        DataError: the decision can't be read.
        ModelError: it was made for another model.
    """
    guards = STANDARD if options.guards is None else options.guards
    if options.threshold is not None:
        rule = match_rule.rule_of_threshold(options.threshold)
        return ChosenRule(rule, guards, "a threshold that was given, not fitted", fitted=False)
    if options.decision is not None:
        given = options.decision
        decided = given if isinstance(given, SavedThreshold) else model.decided(given)
        told = decided.threshold
        name = "a decision" if decided is given else given
        return ChosenRule(
            match_rule.rule_of_threshold(told.value),
            guards,
            f"the threshold of {name}, fitted on {decided.fitted_on} for {told.goal}; no promise "
            "for texts to come",
        )
    if labels is not None:
        if options.guards is not None and set(guards) != set(labels.guards):
            raise invalid(
                "guards",
                ",".join(options.guards),
                expected=f"{', '.join(labels.guards) or 'none'}, with which the collection was calibrated",
                fix="leave `guards` out, or calibrate with others: `calibrate()`",
            )
        rule = labels.rule(options.goal(labels.precision), base_rate=options.base_rate)
        rate = "given" if options.base_rate is not None else labels.base_rate.in_words
        at = f", at {labels.entries:,} entries" if labels.entries else ""
        return ChosenRule(rule, labels.guards, f"fitted to {labels.source}{at}; base rate {rate}")
    decision = model.decision()
    if decision is None or decision.threshold is None:
        _refuse_asked(options)
        rule = match_rule.rule_of_threshold(NOT_FITTED_THRESHOLD)
        return ChosenRule(rule, guards, f"the default threshold, not fitted; {spelt(_FIT)}", fitted=False)
    if decision.calibration is None:
        _refuse_asked(options)
        saved = decision.threshold
        source = f"the threshold of {model.name}, fitted to {saved.fitted_on}; no promise for texts to come"
        return ChosenRule(match_rule.rule_of_threshold(saved.threshold.value), guards, source)
    if options.base_rate is None:
        threshold = decision.threshold.threshold
        raise required(
            "base_rate",
            by=f"a decision fitted to pairs ({threshold.positives:,} of {threshold.pairs:,} the same)",
            fix=GIVE_RATE,
        )
    rule = match_rule.rule_of_pairs(
        decision.threshold,
        decision.calibration,
        options.goal(match_rule.PRECISION),
        base_rate=options.base_rate,
    )
    source = f"the passport of {model.name}, fitted to {decision.threshold.fitted_on}; base rate given"
    return ChosenRule(rule, guards, f"{source}; an estimate, no promise")


def _refuse_asked(options: MatchOptions) -> None:
    """Reject a base rate or a goal without a fit, which would have no effect.

    Raises:
        UsageError: one is given.
    """
    if options.asked:
        raise inapplicable(options.asked[0], to="a collection without labels", fix=f"leave it out; {_FIT}")


class RuleOfCollection:
    """:func:`choose_rule` for a collection's labels: read at each call, fitted once.

    Args:
        store: the collection.
        model: its model.
    """

    def __init__(self, store: CollectionStore, model: CollectionModel) -> None:
        self._store, self._model = store, model
        self._labels: MatchLabels | None = None
        self._known: Any = None
        self._chosen: tuple[MatchOptions, ChosenRule] | None = None

    def rule_for(self, options: MatchOptions) -> ChosenRule:
        """The rule for these options.

        Raises:
            UsageError: as :func:`choose_rule`.
            DataError: the labels can't be read.
        """
        known = self._store.fact(FACT)
        if known != self._known:
            self._labels = None if known is None else MatchLabels.from_dict(known)
            self._known, self._chosen = known, None
        if self._labels is None:  # a model's folder may have another threshold each time
            return choose_rule(None, self._model, options)
        if self._chosen is None or self._chosen[0] != options:
            self._chosen = options, choose_rule(self._labels, self._model, options)
        return self._chosen[1]

    def growth(self) -> str:
        """The change since the labels of the last rule were fitted, in words; "" if small."""
        labels = self._labels
        if labels is None or not labels.entries:
            return ""
        return growth(self._store, entries=labels.entries, change=labels.change)

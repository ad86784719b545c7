"""A collection's matching rule: fitted to labels, the model's own, or a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from textkin.base.argument_checks import check_fields
from textkin.base.errors import conflict, inapplicable, invalid, required
from textkin.base.spelling import spelt
from textkin.collection.calibration.staleness import growth
from textkin.collection.collection_model import CollectionModel
from textkin.collection.match.match_labels import FACT, FIT, GIVE_RATE, MatchLabels
from textkin.collection.store.collection_store import CollectionStore
from textkin.measures.decisions import match_rule
from textkin.measures.decisions.base_rate import check_rate
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.measures.decisions.user_thresholds import NOT_FITTED_THRESHOLD
from textkin.vectors.groups.guards import STANDARD, checks


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
        return ChosenRule(rule, guards, f"the default threshold, not fitted; {spelt(FIT)}", fitted=False)
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
        raise inapplicable(options.asked[0], to="a collection without labels", fix=f"leave it out; {FIT}")


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

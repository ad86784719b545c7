"""What a passport says of matches: the two thresholds between duplicate, a question for a person, and new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self, final

from textkin.measures.decisions.calibration import Calibration
from textkin.measures.decisions.match_rule import MatchGoal, MatchRule, rule_of_pairs
from textkin.measures.decisions.saved_thresholds import SavedThreshold


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PassportMatching:
    """From which cosines on a text is a duplicate, or a question for a person, at a base rate.

    At another base rate they are others: ``decision`` and the labels they follow from tell which.

    Attributes:
        source: what they were fitted to, in words.
        precision: of texts that are called duplicates, so many are.
        ask: from this probability on a text is a question.
        base_rate: the share of texts to come that have a duplicate.
        duplicate_from: the cosine; None where none has the precision.
        ask_from: the cosine; None where none has the probability.
        reached: the lower end of the precision, where labels of a collection show it; None for an estimate.
        guards: what forbids that two texts say the same.
    """

    source: str
    precision: float
    ask: float
    base_rate: float
    duplicate_from: float | None
    ask_from: float | None
    reached: float | None
    guards: tuple[str, ...]

    @classmethod
    def of_rule(cls, rule: MatchRule, source: str, guards: Sequence[str]) -> Self | None:
        """What a rule does; None for one without a base rate."""
        if rule.base_rate is None:
            return None
        return cls(
            source=source,
            precision=rule.goal.precision,
            ask=rule.goal.ask,
            base_rate=rule.base_rate,
            duplicate_from=rule.duplicate_from,
            ask_from=rule.ask_from,
            reached=rule.reached,
            guards=tuple(guards),
        )

    @classmethod
    def of_pairs(
        cls, threshold: SavedThreshold | None, calibration: Calibration | None, guards: Sequence[str]
    ) -> Self | None:
        """The estimate from labelled pairs, at their own base rate; None where nothing was fitted to both."""
        if threshold is None or calibration is None:
            return None
        found = threshold.threshold
        if not 0 < found.positives < found.pairs:
            return None
        rate = found.positives / found.pairs
        rule = rule_of_pairs(threshold, calibration, MatchGoal(), base_rate=rate)
        return cls.of_rule(rule, f"pairs of {threshold.fitted_on}, an estimate", guards)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"guards": list(self.guards)}

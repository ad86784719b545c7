"""Progress of a labelling session, in figures and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from textkin.base.counts import count
from textkin.base.text_table import text_table
from textkin.measures.labels.draws import ThresholdProof


@dataclass(frozen=True, slots=True)
class LabelState:
    """Progress of a session.

    Attributes:
        answered: labelled pairs.
        unsure: pairs that count as neither; they count against the goal.
        thresholds: the highest first.
        proven: the lowest threshold that is proven; None if none is.
        aimed: the one that pairs are drawn for now; None where no other one is within reach.
        disputed: unsure pairs on which annotators disagree, not yet settled.
        more: whether there is more to draw: for the recall, or for what matches are calibrated by.
        matched: whether the pairs are matches.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), top=50, out="close.tsv")
        >>> tk.label("close.tsv").state().proven is None
        True
    """

    answered: int
    unsure: int
    thresholds: tuple[ThresholdProof, ...]
    proven: ThresholdProof | None
    aimed: ThresholdProof | None
    disputed: int = 0
    more: bool = False
    matched: bool = False

    @property
    def sentence(self) -> str:
        """A sentence on what is proven and what remains."""
        told = [self._proven]
        if self.proven is not None and self.proven.missed is not None:
            told.append(self._recall(self.proven, self.proven.missed))
        if self.disputed:
            told.append(
                f"{self.disputed:,} on which people disagree count as unsure, and so against the goal"
            )
        return "; ".join([*told, self._to_do])

    @property
    def _proven(self) -> str:
        if self.proven is None:
            return "nothing is proven yet"
        return f"proven at threshold {self.proven.threshold:.4f} ({self.proven.pairs:,} pairs)"

    def _recall(self, one: ThresholdProof, missed: int) -> str:
        if not missed:
            return "recall 1: no duplicate of this file is below the threshold"
        return (
            f"recall at least {one.recall:.3f}: of the duplicates in this file at least {one.found:,} are at "
            f"or above the threshold, at most {missed:,} below"
        )

    @property
    def _to_do(self) -> str:
        if self.aimed is None:
            if self.more:
                return (
                    "more labels make a calibration more certain"
                    if self.matched
                    else "more labels raise the proven recall"
                )
            if self.proven is not None:
                return "more labels can't prove more"
            first = "settle the disagreements, or " if self.disputed else ""
            return f"by these labels no threshold is likely to reach the goal: {first}lower the goal"
        if self.aimed.left is None:
            return f"if labels go on like this, threshold {self.aimed.threshold:.4f} won't be proven"
        return f"about {count(self.aimed.left, 'more label')} for threshold {self.aimed.threshold:.4f}"


def fields_of(state: LabelState) -> dict[str, Any]:
    """A state for JSON."""
    return {
        "answered": state.answered,
        "unsure": state.unsure,
        "disputed": state.disputed,
        "proven": None if state.proven is None else state.proven.threshold,
        "recall": None if state.proven is None else state.proven.recall,
        "aimed": None if state.aimed is None else state.aimed.threshold,
        "left": None if state.aimed is None else state.aimed.left,
        "said": state.sentence,
        "thresholds": [{**asdict(one), "recall": one.recall} for one in state.thresholds],
    }


def lines_of(state: LabelState) -> list[str]:
    """A state as a table with a row for each threshold, and a sentence."""
    header = ["threshold", "pairs", "labels", "same", "proven precision", "goal proven"]
    rows = [
        [
            f"{one.threshold:.4f}",
            f"{one.pairs:,}",
            f"{one.labels:,}",
            f"{one.same:,}",
            f"{one.least:.3f}",
            "yes" if one.proven else "no",
            *([] if one.recall is None else [f"{one.recall:.3f}"]),
        ]
        for one in state.thresholds
    ]
    bounded = any(one.recall is not None for one in state.thresholds)
    return [text_table([*header, "proven recall"] if bounded else header, rows), state.sentence]

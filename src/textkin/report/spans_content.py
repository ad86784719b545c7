"""What the report of readers on questions about passages holds; nothing of it is text of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from textkin.report.content import Estimate, ReliabilityBin, Systems


@final
@dataclass(frozen=True, slots=True)
class NoAnswerPlots:
    """How far a system's probability of no answer can be believed.

    Attributes:
        system: its name.
        calibrated: whether a rule was fitted to dev questions.
        coverage: the proportion of questions that are answered, rising.
        risk: the mean loss of these.
        risk_area: the area under that curve.
        bins: the probability that was said against the proportion without answer.
        calibration_error: of these.
    """

    system: str
    calibrated: bool
    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    risk_area: Estimate
    bins: tuple[ReliabilityBin, ...]
    calibration_error: Estimate


@final
@dataclass(frozen=True, slots=True)
class SpansReport:
    """What the page shows.

    Attributes:
        title: of the page.
        facts: what was measured on, in a few words each.
        measure: the main one.
        systems: the table.
        notes: what must be known of it.
        plots: of the systems that say how probable no answer is.
        made_with: settings by name.
    """

    title: str
    facts: tuple[str, ...]
    measure: str
    systems: Systems
    notes: tuple[str, ...]
    plots: tuple[NoAnswerPlots, ...]
    made_with: Mapping[str, str]

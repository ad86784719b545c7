"""The baselines of an experiment: of two ways to read words, the one that is stronger on dev."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from textkin.base.errors import DataError
from textkin.data.protocols import Scorer, System
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.ranking_judge import CandidateJudge, RetrievalJudge
from textkin.text.baselines import build
from textkin.text.baselines.analysers import PLAIN, analysed
from textkin.text.baselines.names import ANALYSED
from textkin.text.baselines.terms import FitTexts

ScoredJudge = LabelledJudge | CandidateJudge


def variants_of(
    names: Sequence[str], *, analyser: str, fit_texts: Sequence[str], vectors: Path | None, seed: int
) -> dict[str, dict[str, Scorer]]:
    """Each baseline by itself and, if it takes one, with the analyser; the texts are read once for all."""
    fit_texts = FitTexts(fit_texts)
    found: dict[str, dict[str, Scorer]] = {}
    for name in names:
        found[name] = {name: build(name, fit_texts=fit_texts, vectors=vectors, seed=seed)}
        if name in ANALYSED and analyser != PLAIN:
            with suppress(DataError):  # of texts that hold stop words only nothing is left to count
                own = analysed(name, analyser)
                found[name][own] = build(own, fit_texts=fit_texts)
    return found


def take_stronger(
    dev: ScoredJudge | RetrievalJudge, test: ScoredJudge, variants: Mapping[str, Mapping[str, System]]
) -> list[str]:
    """Measure all variants on dev, and of each baseline the best of them on test.

    Args:
        dev: chooses; keeps all that it can measure. A corpus is searched only where there is a choice.
        test: the judge of the test side.
        variants: systems by the name of the baseline and their own.

    Returns:
        notes on what was chosen, and on what is not in the table since it can't be measured.
    """
    notes = []
    for baseline, systems in variants.items():
        alone = isinstance(dev, RetrievalJudge) and len(systems) == 1
        taken, objection = (list(systems), "") if alone else _taken(dev, systems)
        best = taken[0] if alone else dev.best(taken) if taken else ""
        if taken:
            measured, objection = _taken(test, {best: systems[best]})
            if not measured:
                for name in () if alone else taken:
                    dev.drop(name)
                taken = []
        if not taken:
            notes.append(f"{baseline} is not in the table: {objection}")
        for other in (name for name in taken if name != best):
            notes.append(
                f"{best} is in the table instead of {other}: on dev its {dev.main} is {dev.value(best):.4f}, "
                f"against {dev.value(other):.4f}."
            )
    return notes


def _taken(judge: ScoredJudge | RetrievalJudge, systems: Mapping[str, System]) -> tuple[list[str], str]:
    """The systems that could be measured, and why another could not."""
    taken, objection = [], ""
    for name, system in systems.items():
        if why := judge.objection_to(name, system):
            objection = why
        else:
            taken.append(name)
    return taken, objection

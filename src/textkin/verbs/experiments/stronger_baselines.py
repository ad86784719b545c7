"""The baselines of an experiment, as strong as dev can make them: how they read words, and tuned BM25."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.progress import track
from textkin.data.protocols import Scorer, System
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.ranking_judge import CandidateJudge, RetrievalJudge
from textkin.text.baselines import build
from textkin.text.baselines.analysers import PLAIN, analysed
from textkin.text.baselines.bm25 import Bm25
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters, Variant
from textkin.text.baselines.names import ANALYSED
from textkin.text.baselines.terms import FitTexts

SideJudge = LabelledJudge | CandidateJudge | RetrievalJudge
"""The judge of a side: of scores for what it lists, or of searches in a corpus."""

K1S, BS = (0.3, 0.6, 0.9, 1.2, 1.5, 2.0, 3.0, 5.0), (0.0, 0.25, 0.4, 0.5, 0.75, 1.0)
"""The grid on which BM25 is tuned; then its other variants are tried with the best of these."""

_VARIANTS: tuple[Variant, ...] = ("robertson", "atire", "plus", "l")
_BM25 = "bm25"


def variants_of(
    names: Sequence[str],
    dev: SideJudge,
    *,
    analyser: str,
    fit_texts: Sequence[str],
    vectors: Path | None,
    seed: int,
) -> dict[str, dict[str, Scorer]]:
    """Each baseline by itself and, if it takes one, with the analyser; and BM25 as it is best on dev.

    The texts are read once for all.
    """
    fit_texts = FitTexts(fit_texts)
    found: dict[str, dict[str, Scorer]] = {}
    for name in names:
        found[name] = {name: build(name, fit_texts=fit_texts, vectors=vectors, seed=seed)}
        read = [PLAIN]
        if name in ANALYSED and analyser != PLAIN:
            with suppress(DataError):  # of texts that hold stop words only nothing is left to count
                own = analysed(name, analyser)
                found[name][own] = build(own, fit_texts=fit_texts)
                read.append(analyser)
        if name == _BM25:
            tuned = _tuned(dev, fit_texts, read)
            found[name][tuned.name] = tuned
    return found


def _tuned(dev: SideJudge, fit_texts: FitTexts, analysers: Sequence[str]) -> Bm25:
    """BM25 with the parameters that are best on dev; the defaults if none are better."""
    best, highest = Bm25(fit_texts.terms(PLAIN)), float("-inf")

    def take(tried: Sequence[tuple[str, Bm25Parameters]]) -> None:
        nonlocal best, highest
        for analyser, parameters in track(tried, title="tuning BM25", total=len(tried)):
            one = Bm25(fit_texts.terms(analyser), parameters)
            if dev.objection_to(one.name, one):
                continue
            if (value := dev.value(one.name)) > highest:
                best, highest = one, value
            dev.drop(one.name)

    grid = [BM25, *(Bm25Parameters(k1, b) for k1 in K1S for b in BS)]
    take([(analyser, one) for analyser in analysers for one in grid])
    take([(best.analyser, replace(best.parameters, variant=variant)) for variant in _VARIANTS])
    return best


def take_stronger(
    dev: SideJudge,
    test: SideJudge,
    variants: Mapping[str, Mapping[str, System]],
    *,
    of_test: Callable[[str], System] | None = None,
) -> list[str]:
    """Measure all variants on dev, and of each baseline the best of them on test; BM25's defaults, too.

    Args:
        dev: chooses; keeps all that it can measure. A corpus is searched only where there is a choice.
        test: the judge of the test side.
        variants: systems by the name of the baseline and their own.
        of_test: makes a system of such a name that knows the words of test; None if it is the same one.

    Returns:
        notes on what was chosen, and on what is not in the table since it can't be measured.
    """
    notes = []
    for baseline, systems in variants.items():
        alone = isinstance(dev, RetrievalJudge) and len(systems) == 1
        taken, objection = (list(systems), "") if alone else _taken(dev, systems)
        best = taken[0] if alone else dev.best(taken) if taken else ""
        shown = [name for name in taken if name in (best, _BM25)]
        if taken:
            chosen = {name: of_test(name) if of_test else systems[name] for name in shown}
            measured, objection = _taken(test, chosen)
            if best not in measured:
                for name in () if alone else taken:
                    dev.drop(name)
                taken = []
        if not taken:
            notes.append(f"{baseline} is not in the table: {objection}")
        others = [
            f"{name} {dev.value(name):.4f}{' (also in the table)' if name in shown else ''}"
            for name in taken
            if name != best
        ]
        if others:
            found = f"{dev.main} {dev.value(best):.4f}, against {', '.join(others)}"
            notes.append(f"{best} was chosen on dev: {found}.")
    return notes


def _taken(judge: SideJudge, systems: Mapping[str, System]) -> tuple[list[str], str]:
    """The systems that could be measured, and why another could not."""
    taken, objection = [], ""
    for name, system in systems.items():
        if why := judge.objection_to(name, system):
            objection = why
        else:
            taken.append(name)
    return taken, objection

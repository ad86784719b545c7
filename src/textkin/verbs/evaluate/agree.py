"""Agreement of systems, their shared errors, and the gain of each in a vote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.counts import count
from textkin.base.files import write_text
from textkin.base.python_inputs import path_of
from textkin.base.results import Result, ResultRow, Table, with_interval
from textkin.base.text_table import text_table
from textkin.data.choice_records import ChoiceSet
from textkin.data.readers.from_python import GivenData
from textkin.data.readers.read_report import note_read
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.agreement import Agreed, agreement_of
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.leak_check import require_unseen
from textkin.kinds.measuring import Options
from textkin.kinds.prepared_systems import (
    at_hand,
    measured_names,
    predicted_by,
    prepare,
)
from textkin.kinds.registry import load_data
from textkin.kinds.reproduction import how_made
from textkin.kinds.seed_files import seed_tags
from textkin.kinds.systems import AnyModel, refuse_vectors
from textkin.report.agreement_page import AgreementMap, AgreementReport, agreement_page
from textkin.report.content import Estimate
from textkin.report.data_facts import Reproduction
from textkin.report.figure_words import full
from textkin.report.page_frame import VerdictBox
from textkin.report.tables import Grid

_MEANING = {
    "same": "The proportion of items on which two systems decide alike.",
    "kappa": "Cohen's kappa: (same - chance) / (1 - chance), where chance is what two systems would have in "
    "common that decide as often for each thing, but independently.",
    "shared errors": "Of the items that one system or the other gets wrong, the proportion that both get "
    "wrong: errors in common / all errors.",
    "tau-b": "Kendall's tau-b of the two rankings of a question's candidates, the mean over questions.",
}
_FIELDS = {"same": "same", "kappa": "kappa", "shared errors": "shared_errors", "tau-b": "correlation"}


@dataclass(frozen=True, slots=True, repr=False)
class AgreementResult(Result):
    """Agreement of systems with each other.

    Attributes:
        data: the name of the data.
        kind: "pairs", "classes", "candidates" or "choices".
        items: number of decisions by each system.
        groups: number of independent ones among these.
        decision: the kind of decision in words.
        agreed: the figures.
        notes: origins of thresholds, and other notes for the reader.
        made: how it was made; None if unknown.
        report: the page that was written.

    Example:
        >>> import textkin as tk
        >>> one = tk.ChoiceQuestion("q1", "What melts?", ("ice", "fire"), answer=0)
        >>> other = tk.ChoiceQuestion("q2", "What burns?", ("ice", "fire"), answer=1)
        >>> found = tk.compare(tk.ChoiceSet((one, other)), ["constant", "tfidf"], agreement=True)
        >>> sorted(found.rows()[0])[:3]
        ['a', 'b', 'kappa']
    """

    data: str
    kind: str
    items: int
    groups: int
    decision: str
    agreed: Agreed
    notes: tuple[str, ...] = ()
    made: Reproduction | None = None
    report: Path | None = None

    def _rows(self) -> Iterator[ResultRow]:
        """A row a pair of systems."""
        for one in self.agreed.pairs:
            row: ResultRow = {"a": one.a, "b": one.b}
            for name in self._figures():
                row |= with_interval(name, getattr(one, _FIELDS[name]))
            yield row

    def _table(self) -> Table:
        grid = self.pairs_grid()
        return grid.header, grid.rows

    def pairs_grid(self) -> Grid:
        """All pairs of systems, with intervals."""
        names = self._figures()
        rows = tuple(
            (one.a, one.b, *(_cell(getattr(one, _FIELDS[name])) for name in names))
            for one in self.agreed.pairs
        )
        return Grid(("a", "b", *names), rows)

    def systems_grid(self) -> Grid:
        """Each system's accuracy, and what it adds to the vote."""
        rows = tuple(
            (one.system, full(one.accuracy), full(one.adds, sign=True)) for one in self.agreed.members
        )
        return Grid(("system", "accuracy", "adds to the vote"), rows)

    def sentences(self) -> tuple[str, ...]:
        """Sentences on what the figures show, and on how to read them."""
        agreed = self.agreed
        most = agreed.most()
        said: tuple[str, ...] = ()
        if len(agreed.members) > 2:  # of two the vote is that of the first alone
            adds = f"{most.system} adds most to the vote: {full(most.adds, sign=True)}"
            said = (adds if most.adds.value > 0 else "No system adds to the vote",)
        return (
            f"A decision is {self.decision}; {self.items:,} of each system, in {self.groups:,} "
            "independent groups",
            f"Some system is right (oracle): {full(agreed.oracle)}",
            f"Vote of all, ties to the system named first: {full(agreed.vote)}",
            *said,
            *self.notes,
        )

    def _said(self) -> tuple[str, ...]:
        return (self.data, *self.sentences())

    def _summary(self) -> str:
        return f"{self.data}, {len(self.agreed.members)} systems, {count(self.items, 'decision')}"

    def text(self) -> str:
        """The pairs of systems, the systems, and how to read them."""
        pairs, systems = self.pairs_grid(), self.systems_grid()
        lines = [text_table(pairs.header, pairs.rows, title=self.data), ""]
        lines += [text_table(systems.header, systems.rows), "", *self.sentences()]
        return "\n".join([*lines, *([] if self.report is None else [f"Heat maps are in {self.report}"])])

    def as_dict(self) -> dict[str, Any]:
        """All but the page and how it was made."""
        return self._values("data", "kind", "items", "groups", "decision", "agreed", "notes")

    def write(self, path: Path | str) -> Path:
        """Write a page with heat maps.

        Raises:
            OutputError: it can't be written.
        """
        target = Path(path)
        write_text(target, agreement_page(self._report()))
        return target

    def _figures(self) -> list[str]:
        return [name for name in _FIELDS if name != "tau-b" or self.kind == "candidates"]

    def _report(self) -> AgreementReport:
        agreed = self.agreed
        return AgreementReport(
            title=f"Agreement of systems on {self.data}",
            facts=(count(len(agreed.members), "system"), count(self.items, "decision")),
            names=tuple(one.system for one in agreed.members),
            maps=tuple(
                AgreementMap(
                    name.replace(" ", "-"), name.capitalize(), _MEANING[name], agreed.matrix(_FIELDS[name])
                )
                for name in self._figures()
            ),
            systems=self.systems_grid(),
            pairs=self.pairs_grid(),
            said=self.sentences(),
            verdict=self._verdict(),
            made=self.made,
        )

    def _verdict(self) -> VerdictBox:
        agreed = self.agreed
        best = max(agreed.members, key=lambda one: one.accuracy.value)
        return VerdictBox(
            "Vote",
            f"The vote of {count(len(agreed.members), 'system')} is right on {full(agreed.vote)} of "
            f"{count(self.items, 'decision')}; the best single system, {best.system}, on "
            f"{full(best.accuracy)}.",
            f"At least one system is right on {full(agreed.oracle)}.",
            figures={"vote": full(agreed.vote), "best system": best.system, "oracle": full(agreed.oracle)},
        )


def agree(
    data: GivenData | ChoiceSet, *, models: AnyModel, options: Options | None = None
) -> AgreementResult:
    """Measure which systems agree, which share errors, and what each adds to their vote.

    Args:
        data: pairs labelled yes or no, or with classes; candidates; or a ``ChoiceSet``; records, or the
            path of a file.
        models: as ``compare`` takes them; of several seeds each is a system of its own. For choices also
            objects with ``name`` and ``choose(questions)``.
        options: see :class:`Options`. Yes-or-no pairs need ``dev`` where a model has no saved threshold.

    Raises:
        UsageError: there are fewer than two systems, one does not fit the data, or has no threshold.
        DataError: the data can't be read or have no labels.
        LeakError: a model was trained on the data, or dev has some of the pairs.
        ModelError: a model can't be read.
    """
    options = options or Options()
    named = at_hand(models, options)
    kind, loaded = load_data(data, reading=options.reading)
    note_read(loaded.report)
    kind.refuse(options)
    judge = kind.judge(loaded.data, options)
    kind.require_decisions(judge, {}, options)  # before models are opened
    known, fitted = (
        kind.known(judge, (*named, *(options.baselines or ()))),
        kind.fitted(loaded.data, judge, options),
    )
    names = measured_names(named, (), known, options)
    refuse_vectors(options.vectors, *chain.from_iterable(names.values()))
    predicted = predicted_by(kind, judge, names, options)
    prepared = prepare(names, fitted, predicted, named=named, known=known, options=options)
    systems = {
        tag: system
        for name, seeds in prepared.systems.items()
        for tag, system in zip(seed_tags(name, len(seeds)), seeds, strict=True)
    }
    kind.require_decisions(judge, systems, options)
    pairs = kind.counted(loaded.data)
    for name, system in systems.items():
        require_unseen(name, seen_of(system), loaded.data, pairs=pairs, accept_leaks=options.accept_leaks)
        judge.take(name, system)
    given, decision, notes = kind.decisions(judge, systems, options)
    return AgreementResult(
        data=loaded.data.name or "the given records",
        kind="classes" if isinstance(judge, ClassJudge) else judge.kind,
        items=len(given.groups),
        groups=len(np.unique(given.groups)),
        decision=decision,
        agreed=agreement_of(given, sampling=options.sampling),
        notes=(*prepared.notes, *notes, *judge.notes()),
        made=how_made("compare", files=(loaded.report.path, path_of(options.dev), options.fit), models=named),
    )


def _cell(figure: Estimate | None) -> str:
    return "–" if figure is None else full(figure)

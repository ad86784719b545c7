"""Measure models on a suite: classify pairs, find duplicates, search a collection.

The folder is what a split by the scheme ``quora-ir`` writes. Thresholds for pairs and for duplicates are
fitted on its dev side; baselines take word frequencies from its training questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, inapplicable, invalid
from textkin.base.files import sole_writer
from textkin.base.results import Result, ResultRow
from textkin.data.protocols import System
from textkin.data.readers import format_of, load_texts
from textkin.data.readers.datasets.duplicates import read_duplicates
from textkin.data.readers.datasets.quora_ir import MINING, read_quora_ir
from textkin.data.readers.from_python import holds_spans
from textkin.data.readers.read_report import Loaded
from textkin.data.records import DuplicateSet, PairSet, RetrievalSet, Suite
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.kinds.duplicates_judge import MiningJudge
from textkin.kinds.judge import Judge
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.prepared_systems import at_hand, baselines_among, measured_names, predictions_among
from textkin.kinds.ranking_judge import RetrievalJudge
from textkin.kinds.registry import data_kind
from textkin.kinds.score_cache import cache
from textkin.kinds.suite_figures import SUITE_DEPTH, SUITE_MEASURES
from textkin.kinds.systems import AnyModel, Predicted, Predictions, resolve
from textkin.report.tables import system_rows
from textkin.text.baselines.names import BASELINES, LEXICAL
from textkin.text.baselines.terms import FitTexts
from textkin.vectors.index.exact_search import can_mine

_ALONE = ("constant", "random")


@dataclass(frozen=True, slots=True, repr=False)
class MeasuredSuite(Result):
    """Metrics of systems on a suite.

    Attributes:
        data: its name.
        parts: pairs, duplicates, collection: a table each.
        notes: notes for all tables.

    Example:
        >>> from textkin.verbs import MeasuredSuite
        >>> MeasuredSuite("no parts", ()).rows()
        []
    """

    data: str
    parts: tuple[Measured, ...]
    notes: tuple[str, ...] = ()

    def _rows(self) -> Iterator[ResultRow]:
        """Every system's main figure on every part."""
        for part in self.parts:
            for row in system_rows(part.systems, part.measure):
                figures = {"value": "", "low": " low", "high": " high"}
                yield {
                    "part": part.kind,
                    "system": row["system"],
                    "measure": part.measure,
                    **{key: row[f"{part.measure}{end}"] for key, end in figures.items()},
                }

    def text(self) -> str:
        """The tables, one below the other."""
        return "\n".join([*(f"{part.text()}\n" for part in self.parts), *self.notes])

    def as_dict(self) -> dict[str, Any]:
        """The parts with all that was measured."""
        return {"data": self.data, "parts": self.parts, "notes": self.notes}

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.parts), *self.notes])

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self.parts)


def is_suite(path: Path | str, options: Options) -> bool:
    """Check whether a path holds a suite, given the reading options.

    Raises:
        UsageError: an unknown format.
        DataError: it can't be read.
    """
    if holds_spans(path, reading=options.reading):
        return False
    return format_of(path, reading=options.reading) == "quora-ir"


def compare_suite(
    data: Path | str, *, models: Sequence[AnyModel], options: Options | None = None
) -> MeasuredSuite:
    """Measure models and baselines on a suite: classify pairs, find duplicates, search.

    What can't place a text alone, such as a cross-encoder, is measured on the pairs only.

    Args:
        data: the folder that ``split`` writes by the scheme "quora-ir".
        models: as ``compare`` takes them.
        options: likewise; measures are those of the collection.

    Raises:
        UsageError: a model or measure is not known, or an option does not go with a suite.
        DataError: the folder has errors.
        ModelError: a model can't be read.
    """
    options = options or Options()
    _refuse(options)
    named = at_hand(models, options)
    loaded = read_quora_ir(data, split=options.reading.split)
    judges = _judges(Path(data), loaded.data, options)
    means = ("mean-vectors",) if options.vectors is not None else ()
    names = measured_names(named, (*_ALONE, *LEXICAL, *means), BASELINES, options)
    texts, fitted_on = _fit_texts(Path(data), options)
    suite = loaded.data
    parts: tuple[PairSet | DuplicateSet | RetrievalSet, ...] = (
        suite.pairs,
        suite.duplicates,
        suite.collection,
    )
    measured: list[tuple[Judge, PairSet | DuplicateSet | RetrievalSet]] = list(
        zip(judges, parts, strict=True)
    )
    alone: list[str] = []
    accounts = {judge.kind: DataCoverage() for judge in judges}
    of_one = {name: _predicted(name, named[name], measured, options) for name in predictions_among(named)}
    for name, seeds in names.items():
        if name in of_one:
            continue
        systems: list[System] = [
            resolve(model, fit_texts=texts, vectors=options.vectors, seed=options.sampling.seed)
            for model in seeds
        ]
        cache(systems, options.cache)
        if not all(map(can_mine, systems)):
            alone.append(name)
        for judge, part in measured:
            if isinstance(judge, PairJudge) or name not in alone:
                judge.take(name, *systems)
                accounts[judge.kind] += accounts_on(part, {name: systems})
    for name, (kind, predicted) in of_one.items():
        next(judge for judge in judges if judge.kind == kind).take(name, *(one.system for one in predicted))
    notes = [note for _, predicted in of_one.values() for one in predicted for note in one.notes]
    notes += [f"on pairs only, as two texts are compared at a time: {', '.join(alone)}"] if alone else []
    notes += [f"predictions of {kind} only: {name}" for name, (kind, _) in of_one.items()]
    if judges[0].dev is not None:
        without = ", of which predictions say nothing" if of_one else ""
        notes.append(f"F1, accuracy, precision and recall are at thresholds fitted on dev{without}")
    if options.out is not None:
        for judge in judges:
            with sole_writer(options.out / judge.kind) as place:
                judge.write(place)
    untaught = baselines_among(names, BASELINES)
    tables = tuple(
        _completed(
            _measured(judge, part.name, loaded, options, fitted_on, untaught), accounts[judge.kind], [*of_one]
        )
        for judge, part in measured
        if judge.names
    )
    return MeasuredSuite(loaded.data.name, tables, tuple(notes))


def _predicted(
    name: str, seeds: Sequence[AnyModel], measured: Sequence[tuple[Judge, Any]], options: Options
) -> tuple[str, list[Predicted]]:
    """The systems behind predictions, and the kind of data that these fit.

    Raises:
        UsageError: one of the seeds is a model.
        DataError: they fit none.
    """
    given = [one for one in seeds if isinstance(one, Predictions)]
    if len(given) < len(seeds):
        raise invalid("models", name, expected="predictions of all seeds, or of none")
    wrong = []
    for judge, part in measured:
        try:
            return judge.kind, [data_kind(part).predicted(judge, one, options) for one in given]
        except DataError as error:
            wrong.append(f"as {judge.kind}: {error.message}")
    raise given[0].wrong(
        f"fits none of the three data sets ({'; '.join(wrong)})",
        fix="give predictions of the pairs, the duplicates or the collection",
    )


def _judges(folder: Path, data: Suite, options: Options) -> tuple[PairJudge, MiningJudge, RetrievalJudge]:
    """The judges; on the dev side itself nothing is decided by thresholds, which would be fitted there."""
    sampling = options.sampling
    measures_test = (options.reading.split or "test") == "test"
    dev = read_quora_ir(folder, split="dev").data if measures_test else None
    return (
        PairJudge(data.pairs, sampling=sampling, dev=None if dev is None else dev.pairs),
        MiningJudge(data.duplicates, sampling=sampling, dev=None if dev is None else dev.duplicates),
        RetrievalJudge(
            data.collection,
            measures=options.measures or SUITE_MEASURES,
            sampling=sampling,
            depth=SUITE_DEPTH,
            drop_identical_ids=options.drop_identical_ids,
        ),
    )


def _fit_texts(folder: Path, options: Options) -> tuple[FitTexts, str]:
    if options.fit is None:
        texts = list(read_duplicates(folder / MINING, split="train").data.texts.values())
        return FitTexts(texts), f"the {len(texts):,} training questions (no labels)"
    found = load_texts(options.fit).data.texts
    return FitTexts(found), f"{len(found):,} texts of {options.fit.name}"


def _refuse(options: Options) -> None:
    """Refuse options that don't apply to a suite."""
    if options.dev is not None:
        raise inapplicable("dev", to="a suite, which has its own dev data")
    if options.threshold is not None:
        raise inapplicable("threshold", to="a suite, which fits its own on dev data")
    if options.report is not None:
        raise inapplicable("report", to="a suite of three data sets", fix="leave it out, or give `table`")


def _measured(
    judge: Judge, name: str, loaded: Loaded[Suite], options: Options, fitted_on: str, untaught: Sequence[str]
) -> Measured:
    baselines = [one for one in judge.names if one in untaught]
    reference = options.against if options.against in judge.names else None
    reference = reference or judge.best(judge.fair(baselines) or judge.names[:1])
    return Measured(
        data=name,
        kind=judge.kind,
        measure=judge.main,
        systems=judge.table(reference, trained=[one for one in judge.names if one not in baselines]),
        reference=reference,
        fitted_on=fitted_on,
        read=loaded.report,
        notes=judge.notes(),
    )


def _completed(measured: Measured, accounts: DataCoverage, predictions: Sequence[str]) -> Measured:
    shown = tuple(row.name for row in measured.systems.rows if row.name in predictions)
    return replace(
        measured,
        systems=replace(measured.systems, predictions=shown),
        truncations=accounts.truncations,
        coverages=accounts.coverages,
        notes=(*measured.notes, *accounts.sentences()),
    )

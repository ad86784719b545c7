"""Measure models that read answers out of passages beside baselines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textkin.base.errors import UsageError, inapplicable, invalid
from textkin.base.files import ensure_folder, sha256_of_file, sole_writer, write_text
from textkin.base.paths import is_file
from textkin.data.protocols import SpanReader
from textkin.data.readers.read_report import Loaded
from textkin.data.span_records import SpanSet
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.data_coverage import accounts_on
from textkin.kinds.leak_check import require_unseen
from textkin.kinds.measuring import Options
from textkin.kinds.prepared_systems import fit_texts_of, measured_names
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.span_judge import SpanJudge
from textkin.kinds.systems import AnyModel, reader_of
from textkin.measures.decisions.no_answer import SavedNoAnswer
from textkin.report.spans_page import NoAnswerPlots, SpansReport, spans_page
from textkin.verbs.evaluate.measured_table import Measured
from textkin.version import __version__

if TYPE_CHECKING:
    from textkin.models.model_folder import Model


def compare_spans(
    loaded: Loaded[SpanSet], named: Mapping[str, Sequence[AnyModel]], options: Options
) -> Measured:
    """Measure readers of answers and baselines, and test the differences.

    Raises:
        UsageError: a model reads no answers, or an option doesn't go with such data.
        DataError: there are no questions.
        LeakError: a model was trained on these questions.
    """
    _refuse(named, options)
    judge = SpanJudge(loaded.data, sampling=options.sampling, by=GroupedBy.of(options.group_by))
    names = measured_names(named, judge.baselines, judge.known, options)
    texts, fitted_on = fit_texts_of(judge.texts, options)
    systems = {
        name: [
            reader_of(
                model,
                fit_texts=texts,
                seed=options.sampling.seed,
                decision=options.decision if name in named else None,
            )
            for model in seeds
        ]
        for name, seeds in names.items()
    }
    for name, readers in systems.items():
        for reader in readers:
            require_unseen(name, seen_of(reader), loaded.data, accept_leaks=options.accept_leaks)
        judge.take(name, *readers)
    accounts = accounts_on(loaded.data, systems)
    abstentions = [found for name in named if (found := judge.abstention(name)) is not None]
    baselines = [name for name in names if name in judge.known]
    rival = options.against or judge.best(baselines or list(names)[:1])
    if options.out is not None:
        _write(judge, list(named), options.out)
    measured = Measured(
        data=loaded.data.name,
        kind=judge.kind,
        measure=judge.main,
        systems=judge.table(rival, trained=[name for name in names if name not in judge.known]),
        rival=rival,
        fitted_on=fitted_on,
        read=loaded.report,
        notes=(
            *judge.notes(),
            *(one.sentence() for one in abstentions),
            *_fitted_here(loaded, systems),
            *accounts.sentences(),
        ),
        truncations=accounts.truncations,
        coverages=accounts.coverages,
        abstentions=tuple(abstentions),
    )
    if options.report is not None:
        fitted = {name for name, readers in systems.items() if getattr(readers[0], "no_answer", None)}
        write_text(options.report, spans_page(_report(measured, fitted, options)))
    return measured


def _report(measured: Measured, fitted: Collection[str], options: Options) -> SpansReport:
    """All that the page shows; ``fitted`` names the systems with a rule of no answer."""
    sampling = options.sampling
    return SpansReport(
        title=f"Answers to the questions of {measured.data}",
        facts=(f"{measured.systems.questions:,} questions", f"beside {measured.rival}"),
        measure=measured.measure,
        systems=measured.systems,
        notes=measured.notes,
        plots=tuple(
            NoAnswerPlots(
                system=one.system,
                calibrated=one.system in fitted,
                coverage=one.coverage,
                risk=one.risk,
                risk_area=one.risk_area,
                bins=one.bins,
                calibration_error=one.calibration_error,
            )
            for one in measured.abstentions
        ),
        made_with={
            "baselines fitted on": measured.fitted_on,
            "intervals": f"{sampling.resamples:,} resamples of {options.group_by}s, seed {sampling.seed}",
            "textkin": __version__,
        },
    )


def _refuse(named: Mapping[str, Sequence[AnyModel]], options: Options) -> None:
    for option in ("measures", "dev", "vectors", "drop_identical_ids", "threshold", "cache"):
        if getattr(options, option) not in (None, False, ()):
            raise inapplicable(option, to="questions about passages")
    if options.corpora.asked():
        raise inapplicable("corpus", "support", to="questions about passages")
    seeds = sum(map(len, named.values()))
    if options.decision is not None and seeds != 1:
        raise UsageError(
            f"`decision` is for one model, and {seeds} models are compared",
            fix="compare that model alone, or save decisions with the models: `calibrate()`",
            params=("decision",),
            value=options.decision,
        )
    if options.out is not None and options.out.suffix == ".json" and seeds != 1:
        raise invalid("out", options.out, expected=f"a folder for the predictions of {seeds} models")


def _fitted_here(loaded: Loaded[SpanSet], systems: Mapping[str, Sequence[SpanReader]]) -> Iterator[str]:
    """Sentences on systems whose no-answer rule was fitted on these same questions."""
    hashes = {
        name: {saved.data_sha256 for reader in readers if (saved := _saved(reader)) is not None}
        for name, readers in systems.items()
    }
    if any(hashes.values()) and is_file(loaded.report.path):
        here = sha256_of_file(loaded.report.path)
        for name, found in hashes.items():
            if here in found:
                yield (
                    f"{name}'s probability of no answer was fitted on these very questions: its figures are "
                    "too good"
                )


def _saved(reader: SpanReader) -> SavedNoAnswer | None:
    model: Model | None = getattr(reader, "model", None)
    return None if model is None else model.no_answer


def _write(judge: SpanJudge, named: Sequence[str], out: Path) -> None:
    """The predictions of all systems into a folder, or of the one model into a file."""
    if out.suffix == ".json":
        ensure_folder(out.parent)
        judge.write_answers(judge.given[named[0]][0], out)
        return
    with sole_writer(out) as folder:
        judge.write(folder)

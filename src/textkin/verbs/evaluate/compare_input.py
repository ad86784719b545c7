"""A comparison as requested, handed to the measurement of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from textkin.base.errors import inapplicable, invalid, required
from textkin.base.files import refuse_overwriting
from textkin.base.paths import is_file
from textkin.base.progress import note
from textkin.base.python_inputs import path_of
from textkin.data.readers.read_report import note_read
from textkin.kinds.measuring import Options, overwriting_nothing
from textkin.kinds.prepared_systems import paths_of_predictions
from textkin.kinds.systems import named_systems
from textkin.report.table_file import WantedTable
from textkin.verbs.evaluate.ranking_inputs import qrels_of, retrieval_of, runs_of
from textkin.verbs.inputs import refuse_given
from textkin.verbs.pair_inputs import models_of

if TYPE_CHECKING:
    from textkin.kinds.measured_table import Measured
    from textkin.kinds.squad_measures import MeasuredSpans
    from textkin.verbs.evaluate.agree import AgreementResult
    from textkin.verbs.evaluate.measure_run import MeasureResult
    from textkin.verbs.evaluate.measure_runs import MeasuredRuns
    from textkin.verbs.evaluate.suite import MeasuredSuite

    Compared = Measured | MeasuredSuite | MeasuredRuns | MeasureResult | MeasuredSpans | AgreementResult


@dataclass(frozen=True, slots=True)
class SpansAsked:
    """SQuAD predictions to measure, see ``compare``."""

    predictions: Any = None
    na_prob: Any = None
    na_threshold: float | None = None
    threshold_from: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Input of ``compare``.

    Attributes:
        data: the data, or None where ``rankings`` or runs stand for them.
        models: one model, or several.
        rankings: corpus, queries and judgements, each None if it isn't given.
        spans: predictions.
        agreement: True to measure agreement.
        untrained: True if the model is a recipe.
        per_query: True to show the values of queries.
        table: the file of the table, and its columns.
    """

    data: Any
    models: Any
    rankings: tuple[Any, Any, Any]
    spans: SpansAsked
    agreement: bool
    untrained: bool
    per_query: bool
    table: WantedTable


def compare_given(asked: Asked, options: Options) -> Compared:
    """Run the comparison.

    Raises:
        UsageError: there are no data, or an option doesn't apply to them.
    """
    if asked.spans.predictions is not None:
        return _of_predictions(asked, options)
    for field in fields(asked.spans):
        if getattr(asked.spans, field.name) is not None:
            raise required("predictions", by=f"`{field.name}`")
    _, queries, qrels = asked.rankings
    if queries is None and qrels is not None:
        return _of_runs(asked, options)
    if asked.per_query:
        raise inapplicable("per_query", to="models")
    data, models = _data(asked), models_of(_models(asked))
    if asked.untrained:
        models = _untrained(models)
    _check_table(asked.table, data, options, named_systems(models))
    if asked.agreement:
        return _agreement(data, models, options, asked)
    return _of_models(data, models, options, asked.table)


def _data(asked: Asked) -> Any:
    corpus, queries, qrels = asked.rankings
    if queries is not None:
        path = path_of(asked.data)
        if asked.data is not None and (path is None or is_file(path)):
            raise inapplicable("queries", to="data from a file or records")
        return retrieval_of(corpus, queries, qrels)
    if asked.data is None:
        raise required("data", by="a comparison", fix="give labelled data, or judgements with runs")
    return asked.data


def _models(asked: Asked) -> Any:
    """The models; where judgements stand for the data, what is given first is one of them."""
    models = models_of(asked.models)
    if asked.data is None or asked.rankings[2] is None:
        return models
    return [asked.data, *models] if models else asked.data


def _untrained(models: Any) -> list[Any]:
    from textkin.networks.recipes.recipe import load_recipe
    from textkin.training.untrained_network import Untrained

    if isinstance(models, Mapping) or len(models) != 1:
        given = "systems by name" if isinstance(models, Mapping) else f"{len(models)} recipes"
        raise invalid("models", given, expected="one recipe with `untrained`")
    return [Untrained(load_recipe(models[0]))]


def _of_models(data: Any, models: Any, options: Options, table: WantedTable) -> Compared:
    from textkin.verbs.evaluate.comparison import compared
    from textkin.verbs.evaluate.suite import compare_suite, is_suite

    if path_of(data) is not None and is_suite(data, options):
        suite = compare_suite(data, models=models, options=options)
        table.write([one.titled() for one in suite.parts])
        return suite
    measured = compared(data, models=models, options=options)
    note_read(measured.read)
    table.write([measured.titled()])
    return measured


def _agreement(data: Any, models: Any, options: Options, asked: Asked) -> AgreementResult:
    from textkin.verbs.evaluate.agree import agree

    refuse_given(
        {
            "table": asked.table.path,
            "out": options.out,
            "measures": options.measures,
            "baselines": options.baselines,
            "against": options.reference,
        },
        to="agreement",
    )
    found = agree(data, models=models, options=overwriting_nothing(data, options))
    if options.report is None:
        return found
    return replace(found, report=found.write(options.report))


def _of_runs(asked: Asked, options: Options) -> MeasureResult | MeasuredRuns:
    """Measure runs against judgements: one with the official measures, several with tests."""
    from textkin.verbs.evaluate.measure_run import measure
    from textkin.verbs.evaluate.measure_runs import measure_runs

    runs = runs_of(_models(asked))
    qrels, sampling = asked.rankings[2], options.sampling
    if len(runs) > 1 or any(len(seeds) > 1 for seeds in runs.values()):
        refuse_given({"per_query": asked.per_query}, to="several runs")
        _check_table(asked.table, qrels, options, runs)
        found = measure_runs(
            runs,
            qrels=qrels_of(qrels),
            measures=options.measures,
            against=options.reference,
            drop_identical_ids=options.drop_identical_ids,
            sampling=sampling,
        )
        asked.table.write([found.titled()])
        return found
    if not runs:
        raise required("models", by="`qrels`", fix="give TREC runs: NAME=FILE")
    refuse_given({"against": options.reference, "table": asked.table.path}, to="one run")
    one = measure(
        next(iter(runs.values()))[0].given,
        qrels,
        measures=options.measures or ["official"],
        drop_identical_ids=options.drop_identical_ids,
        resamples=sampling.resamples,
        seed=sampling.seed,
    )
    for line in one.warnings():
        note(f"warning: {line}")
    return replace(one, shows_queries=asked.per_query)


def _of_predictions(asked: Asked, options: Options) -> MeasuredSpans:
    from textkin.kinds.span_grouping import GroupedBy
    from textkin.kinds.squad_measures import measure_predictions
    from textkin.verbs.evaluate.span_inputs import spans_of

    refuse_given({"models": models_of(asked.models)}, to="predictions")
    if asked.data is None:
        raise required("data", by="`predictions`")
    spans = asked.spans
    found = measure_predictions(
        spans_of(asked.data, spans.predictions, spans.na_prob),
        threshold=spans.na_threshold,
        dev=None if spans.threshold_from is None else spans_of(*spans.threshold_from),
        by=GroupedBy.of(options.group_by),
        sampling=options.sampling,
    )
    for line in found.warnings():
        note(f"warning: {line}")
    return replace(found, shows_questions=asked.per_query)


def _check_table(table: WantedTable, data: Any, options: Options, named: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a file for the table that is read."""
    if table.path is not None:
        read = (path_of(data), options.fit, path_of(options.dev), options.decision, options.vectors)
        refuse_overwriting([table.path], [*read, *paths_of_predictions(named)], param="table")

"""``textkin measure``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_table, emit_text, emit_tsv, note
from textkin.cli.shared_options import AsJson, Seed
from textkin.cli.span_measures import Resampling, SpanOptions, Squad, measure_squad
from textkin.cli.system_tables import (
    DropIdentical,
    Resamples,
    TableFile,
    check_table,
    save_tables,
    show_tested,
)

if TYPE_CHECKING:
    from textkin.measures.metrics.measure_names import Measure
    from textkin.verbs.evaluate.measure_run import MeasureResult
    from textkin.verbs.evaluate.measure_runs import MeasuredRuns

EXAMPLES = """
textkin measure qrels.txt run.txt -m AP -m nDCG@10 -m 'P(rel=2)@5'
textkin measure qrels.txt run.txt -m map -m ndcg_cut_10 --per-query
textkin measure qrels.txt bm25.trec colbert=c2/run.trec -m nDCG@10 --against bm25
textkin measure qrels.txt bm25.trec colbert.trec -m nDCG@10 --table runs.tex
textkin measure --squad dev-v1.1.json predictions.json
textkin measure --squad dev-v2.0.json predictions.json --na-prob null.json --na-threshold 0.4
"""
_SHOWN_IDS = 3


def command(
    qrels: Annotated[
        Path,
        Option("TREC file of relevance judgements; with --squad, SQuAD data.", metavar="QRELS"),
    ],
    runs: Annotated[
        list[str],
        Option(
            "TREC run file, or several, also NAME=FILE; with --squad, a JSON object of answers by id.",
            metavar="RUN...",
        ),
    ],
    /,
    *,
    measures: Annotated[
        list[str] | None,
        Option(
            "AP, RR, nDCG@10, P@5, R@100, ... or a name of trec_eval; its official set if left out, "
            "AP, RR, P@10 and nDCG@10 for several runs. May be repeated.",
            flag="--measure",
            short="-m",
            metavar="NAME",
        ),
    ] = None,
    per_query: Annotated[bool, Option("Also print the values of every query.")] = False,
    against: Annotated[
        str | None,
        Option("The run to compare several with; the first if left out.", metavar="NAME"),
    ] = None,
    drop_identical_ids: DropIdentical = False,
    squad: Squad = False,
    asked: SpanOptions,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    table: TableFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure TREC runs, or SQuAD predictions, with intervals.

    Every judged query counts; one that a run lacks scores zero, and is reported. Of several runs the first
    measure is tested: each against one of them, p corrected for the number of tests.
    """
    if squad:
        if measures or drop_identical_ids or against or table or len(runs) > 1:
            raise UsageError(
                "--measure, --drop-identical-ids, --against, --table and several files are for TREC runs",
                fix="leave them out",
            )
        measure_squad(
            qrels, Path(runs[0]), asked, Resampling(resamples, seed), per_query=per_query, as_json=as_json
        )
        return
    if asked != SpanOptions():
        raise UsageError(
            "--na-prob, --na-threshold, --threshold-from and --group-by are for SQuAD", fix="add --squad"
        )
    from textkin.kinds.foreign_runs import named_runs

    named = named_runs(runs)
    if len(named) > 1:
        if per_query:
            raise UsageError("--per-query is for one run", fix="measure each run by itself")
        check_table(table, qrels, *named.values())
        from textkin.kinds.pair_figures import Sampling
        from textkin.verbs.evaluate.measure_runs import measure_runs

        _show_runs(
            measure_runs(
                named,
                qrels=qrels,
                measures=measures or (),
                against=against,
                drop_identical_ids=drop_identical_ids,
                sampling=Sampling(resamples=resamples, seed=seed),
            ),
            as_json=as_json,
            table=table,
        )
        return
    if against is not None or table is not None:
        raise UsageError("--against and --table are for several runs", fix="give another run")
    from textkin.verbs.evaluate.measure_run import measure

    result = measure(
        next(iter(named.values())),
        qrels=qrels,
        measures=measures or ["official"],
        drop_identical_ids=drop_identical_ids,
        resamples=resamples,
        seed=seed,
    )
    _note_queries(result.missing, "judged queries are not in the run and score zero")
    _note_queries(result.unjudged, "queries of the run have no judgements and don't count")
    for odd in result.notes:
        note(f"warning: {odd}")
    if as_json:
        emit_json(_object(result, per_query=per_query))
    elif per_query:
        emit_tsv(("measure", "query", "value"), _lines(result))
    else:
        _print(result)


def _show_runs(found: MeasuredRuns, *, as_json: bool, table: Path | None) -> None:
    save_tables(table, [found])
    if as_json:
        emit_json(found)
        return
    show_tested(found)
    for line in found.notes:
        emit_text(line)


def _note_queries(queries: tuple[str, ...], what: str) -> None:
    if queries:
        more = ", ..." if len(queries) > _SHOWN_IDS else ""
        note(f"warning: {len(queries):,} {what}: {', '.join(queries[:_SHOWN_IDS])}{more}")


def _object(result: MeasureResult, *, per_query: bool) -> dict[str, Any]:
    figures = {
        str(one): {"value": figure.value, "low": figure.low, "high": figure.high}
        for one, figure in result.figures.items()
    }
    found: dict[str, Any] = {"queries": result.queries, "measures": figures}
    return found | {"per_query": result.per_query()} if per_query else found


def _lines(result: MeasureResult) -> Iterator[tuple[str, str, str]]:
    for query, values in result.per_query().items():
        for one, value in values.items():
            yield str(one), query, _shown(one, value)
    for one, figure in result.figures.items():
        yield str(one), "all", _shown(one, figure.value)


def _print(result: MeasureResult) -> None:
    emit_table(
        ("measure", "value", "95 % interval"),
        [
            (str(one), _shown(one, figure.value), _interval(one, figure.low, figure.high))
            for one, figure in result.figures.items()
        ],
    )
    emit_text(f"\n{result.queries:,} judged queries")


def _interval(one: Measure, low: float, high: float) -> str:
    return "" if _is_count(one) else f"{low:.4f} to {high:.4f}"


def _shown(one: Measure, value: float) -> str:
    return f"{value:.0f}" if _is_count(one) else f"{value:.4f}"


def _is_count(one: Measure) -> bool:
    from textkin.measures.metrics.measure_names import Average

    return one.average is Average.SUM

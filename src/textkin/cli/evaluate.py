"""``textkin evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textkin.cli.shared_options import (
    AnalyserName,
    AsJson,
    Columns,
    DecisionFile,
    Download,
    EncodingName,
    Format,
    ModelName,
    Quoting,
    Seed,
    Threshold,
    Vectors,
    reading,
)
from textkin.cli.system_tables import (
    AcceptLeaks,
    AnswerScorer,
    Baselines,
    Cache,
    Corpus,
    Depth,
    Dev,
    DropIdentical,
    Fit,
    GroupBy,
    KeepLeaks,
    Labels,
    Measures,
    Out,
    Questions,
    QuestionScorer,
    Reference,
    ReportPage,
    Resamples,
    Rounds,
    Runs,
    Split,
    Support,
    TableFile,
    Voters,
    corpora_of,
    measure_and_show,
    names_of,
)

EXAMPLES = """
textkin evaluate runs/mine/model test.tsv
textkin evaluate runs/mine/model test.tsv --threshold 0.7
textkin evaluate order WikiQA-test.tsv -m AP -m RR
textkin evaluate sentence-bm25 dev-v2.0.json --out predictions.json
textkin evaluate bm25 scifact/ -m nDCG@10 --out runs/scifact
textkin evaluate --untrained ranking-knrm WikiQA-test.tsv --vectors glove.txt --seed 1
textkin evaluate bag-of-words SICK_test_annotated.txt --fit SICK_train.txt
"""


def command(
    model: ModelName,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Labelled pairs, candidates to rank, SQuAD's JSON, or a folder such as BEIR's.",
        ),
    ],
    run: Runs = None,
    measures: Measures = None,
    questions: Questions = "answered",
    reference: Reference = None,
    split: Split = None,
    labels: Labels = "entailment",
    baselines: Baselines = None,
    analyser: AnalyserName = "plain",
    fit: Fit = None,
    dev: Dev = None,
    decision: DecisionFile = None,
    threshold: Threshold = None,
    vectors: Vectors = None,
    drop_identical_ids: DropIdentical = False,
    out: Out = None,
    report: ReportPage = None,
    table: TableFile = None,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    seed: Seed = 0,
    group_by: GroupBy = "paragraph",
    untrained: Annotated[
        bool,
        typer.Option(
            "--untrained",
            help="MODEL is a recipe: its network is measured with the initial weights that --seed draws, and "
            "the words of --fit, or of the data.",
        ),
    ] = False,
    corpus: Corpus = None,
    support: Support = None,
    k: Voters = 100,
    depth: Depth = 10,
    question_scorer: QuestionScorer = None,
    answer_scorer: AnswerScorer = None,
    keep_leaks: KeepLeaks = False,
    cache: Cache = None,
    accept_leaks: AcceptLeaks = False,
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Measure a model beside honest baselines."""
    from textkin.kinds.foreign_runs import named_runs
    from textkin.kinds.pair_figures import Sampling
    from textkin.verbs.evaluate.options import Options

    chosen = Options(
        baselines=names_of(baselines),
        analyser=analyser,
        measures=tuple(measures or ()),
        fit=fit,
        dev=dev,
        decision=decision,
        threshold=threshold,
        vectors=vectors,
        drop_identical_ids=drop_identical_ids,
        out=out,
        report=report,
        sampling=Sampling(resamples, rounds, seed),
        group_by=group_by,
        corpora=corpora_of(
            corpus,
            support,
            k=k,
            depth=depth,
            question_scorer=question_scorer,
            answer_scorer=answer_scorer,
            keep_leaks=keep_leaks,
        ),
        accept_leaks=accept_leaks,
        runs=named_runs(run or ()),
        reading=reading(
            columns,
            format,
            quoting,
            encoding,
            questions=questions,
            reference=reference,
            split=split,
            labels=labels,
        ),
        download=download,
        cache=cache,
    )
    if not untrained:
        measure_and_show(data, [model], chosen, as_json=as_json, table=table)
        return
    from textkin.networks.recipes.recipe import load_recipe
    from textkin.training.untrained_network import Untrained

    measure_and_show(data, [Untrained(load_recipe(model))], chosen, as_json=as_json, table=table)

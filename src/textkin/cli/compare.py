"""``textkin compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textkin.cli.shared_options import (
    AnalyserName,
    AsJson,
    Columns,
    Download,
    EncodingName,
    Format,
    Quoting,
    Seed,
    Vectors,
    reading,
)
from textkin.cli.system_tables import (
    AcceptLeaks,
    Against,
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
textkin compare test.tsv runs/a/model runs/b/model
textkin compare test.tsv runs/a/model runs/b/model --dev dev.tsv
textkin compare WikiQA-test.tsv bm25 mean-vectors --vectors glove.txt --against order
textkin compare scifact/ bm25:english default hybrid:bm25:english+default
textkin compare scifact/ default --run colbert=colbert.trec --against bm25
textkin compare test.tsv runs/a/model default --table paper.tex
textkin compare split/ mnrl=runs/a0/model,runs/a1/model bm25 --baselines tfidf
"""


def command(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Labelled pairs, candidates to rank, or a folder such as BEIR's or quora-ir's.",
        ),
    ],
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL...",
            help="Folders with models, names of cached ones, baselines; NAME=MODEL,... for several seeds; "
            "for rankings hybrid:MODEL for reciprocal rank fusion of bm25 and MODEL, hybrid:A+B+... of any.",
        ),
    ] = None,
    against: Against = None,
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
    vectors: Vectors = None,
    drop_identical_ids: DropIdentical = False,
    out: Out = None,
    report: ReportPage = None,
    table: TableFile = None,
    resamples: Resamples = 1000,
    rounds: Rounds = None,
    seed: Seed = 0,
    group_by: GroupBy = "paragraph",
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
    """Measure several models that exist and test their differences.

    To train recipes and compare them, see: textkin contest --help
    """
    from textkin.kinds.foreign_runs import named_runs
    from textkin.kinds.pair_figures import Sampling
    from textkin.verbs.evaluate.options import Options

    chosen = Options(
        baselines=names_of(baselines),
        analyser=analyser,
        rival=against,
        measures=tuple(measures or ()),
        fit=fit,
        dev=dev,
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
    measure_and_show(data, models or [], chosen, as_json=as_json, table=table)

"""``textkin compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from textkin.cli.contest import (
    DataFolder,
    Decisions,
    Dev,
    Jobs,
    Recipes,
    Seeds,
    Start,
    TaskName,
    Test,
    Train,
    TrainQuestions,
    hold,
    refuse,
    sources_of,
)
from textkin.cli.measured import (
    Against,
    Baselines,
    Fit,
    Labels,
    Measures,
    Out,
    Questions,
    Reference,
    Resamples,
    Rounds,
    Split,
    measure_and_show,
    options,
)
from textkin.cli.options import (
    AsJson,
    Columns,
    Device,
    Download,
    Format,
    Quoting,
    Seed,
    Vectors,
    fetch,
    reading,
)
from textkin.errors import UsageError

EXAMPLES = """
textkin compare test.tsv runs/a/model runs/b/model
textkin compare test.tsv runs/a/model runs/b/model --dev dev.tsv
textkin compare WikiQA-test.tsv bm25 mean-vectors --vectors glove.txt --against order
textkin compare split/ mnrl=runs/a0/model,runs/a1/model bm25 --baselines tfidf
textkin compare --recipes all --data wikiqa/ --vectors glove.txt --seeds 3 --out runs/wikiqa
"""


def command(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="Labelled pairs, candidates to rank, or a folder such as BEIR's or quora-ir's.",
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL...",
            help="Folders with models, names of cached ones, baselines; NAME=MODEL,... for several seeds.",
        ),
    ] = None,
    recipes: Recipes = None,
    folder: DataFolder = None,
    train: Train = None,
    dev: Dev = None,
    test: Test = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    start: Start = None,
    task: TaskName = None,
    decisions: Decisions = False,
    against: Against = None,
    measures: Measures = None,
    questions: Questions = "answered",
    train_questions: TrainQuestions = None,
    reference: Reference = None,
    split: Split = None,
    labels: Labels = "entailment",
    baselines: Baselines = None,
    fit: Fit = None,
    vectors: Vectors = None,
    out: Out = None,
    resamples: Resamples = 1000,
    rounds: Rounds = 10_000,
    seed: Seed = 0,
    device: Device = "auto",
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Measure several models and test their differences.

    With --recipes the models are trained first, each with several seeds; the same call goes on where an
    interrupted one stopped. The report is in DIR/report.html.
    """
    if recipes:
        from textkin.evaluation.test_set import Sampling
        from textkin.hub import located
        from textkin.tasks.experiments.contest import ContestOptions

        other_mode: dict[str, Any] = {"DATA": data, "MODEL": models, "--against": against}
        other_mode |= {"--baselines": baselines, "--fit": fit, "--split": split, "--reference": reference}
        refuse(other_mode, why="can't be given beside --recipes", fix="see: textkin compare --help")
        contest = ContestOptions(
            recipes=tuple(name for each in recipes for name in each.split(",") if name),
            seeds=seeds or 3,
            task=task,
            vectors=vectors,
            jobs=jobs,
            start=None if start is None else located(start),
            questions=questions,
            train_questions=train_questions or "answered",
            measures=tuple(measures or ()),
            decisions=decisions,
            device=device,
            sampling=Sampling(resamples, rounds, seed),
            reading={**reading(columns, format, quoting), "labels": labels},
        )
        hold(sources_of(folder, train, dev, test), out, contest, as_json=as_json)
        return
    from textkin.systems import named_systems

    training: dict[str, Any] = {"--data": folder, "--train": train, "--test": test, "--seeds": seeds}
    training |= {"--jobs": jobs, "--task": task, "--train-questions": train_questions}
    training |= {"--decisions": decisions, "--start": start}
    training["--device"] = device != "auto"
    refuse(training, why="can't be given without --recipes", fix="name recipes to train, or leave it out")
    if data is None or not models:
        raise UsageError(
            "there is nothing to compare", fix="give DATA and MODEL..., or --recipes and --data to train"
        )
    fetch(*(one for seeds in named_systems(models).values() for one in seeds), download=download)
    chosen = options(
        measures=measures,
        baselines=baselines,
        against=against,
        fit=fit,
        dev=dev,
        vectors=vectors,
        out=out,
        sampling=(resamples, rounds, seed),
        file=(columns, format, quoting),
        variant=(questions, reference, split, labels),
    )
    measure_and_show(data, models, chosen, as_json=as_json)

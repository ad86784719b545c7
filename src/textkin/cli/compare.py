"""``textkin compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textkin.cli.measured import (
    Against,
    Baselines,
    Dev,
    Fit,
    Labels,
    Measures,
    Out,
    Questions,
    Reference,
    Resamples,
    Rounds,
    Split,
    options,
    show,
)
from textkin.cli.options import AsJson, Columns, Format, Quoting, Seed, Vectors

EXAMPLES = """
textkin compare test.tsv runs/a/model runs/b/model
textkin compare test.tsv runs/a/model runs/b/model --dev dev.tsv
textkin compare WikiQA-test.tsv bm25 mean-vectors --vectors glove.txt --against order
"""


def command(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA", help="Labelled pairs, candidates to rank, or a folder such as BEIR's."
        ),
    ],
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Model directories, model2vec folders, baselines.")
    ],
    against: Against = None,
    measures: Measures = None,
    questions: Questions = "answered",
    reference: Reference = None,
    split: Split = None,
    labels: Labels = "entailment",
    baselines: Baselines = None,
    fit: Fit = None,
    dev: Dev = None,
    vectors: Vectors = None,
    out: Out = None,
    resamples: Resamples = 1000,
    rounds: Rounds = 10_000,
    seed: Seed = 0,
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure several models and test their differences."""
    from textkin.tasks.compare import compare

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
    show(compare(data, models, options=chosen), as_json=as_json)

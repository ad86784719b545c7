"""``textkin compare``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from textkin.base.options import Option
from textkin.cli.system_tables import (
    Against,
    MeasureOptions,
    SystemOptions,
    TableOptions,
    measure_and_show,
    options_of,
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
        Option(
            "Labelled pairs, candidates to rank, or a folder such as BEIR's or quora-ir's.", metavar="DATA"
        ),
    ],
    models: Annotated[
        list[str] | None,
        Option(
            "Folders with models, names of cached ones, baselines; NAME=MODEL,... for several seeds; "
            "for rankings hybrid:MODEL for reciprocal rank fusion of bm25 and MODEL, hybrid:A+B+... of any.",
            metavar="MODEL...",
        ),
    ] = None,
    /,
    *,
    against: Against = None,
    measured: MeasureOptions,
    shown: TableOptions,
    systems: SystemOptions,
) -> None:
    """Measure several models that exist and test their differences.

    To train recipes and compare them, see: textkin contest --help
    """
    chosen = replace(options_of(measured, shown, systems), rival=against)
    measure_and_show(data, models or [], chosen, as_json=systems.as_json, table=shown.table)

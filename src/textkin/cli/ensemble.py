"""``textkin ensemble``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import Vectors
from textkin.cli.system_tables import DrawOptions, PartOptions, SystemOptions

EXAMPLES = """
textkin ensemble runs/cross/model runs/bag/model tfidf --dev dev.tsv --out runs/both
textkin ensemble bm25:english default --dev scifact/ --split train --out runs/hybrid
textkin ensemble runs/c0/model runs/c1/model runs/c2/model --dev WikiQA-dev.tsv --combine sum --out runs/three
"""


def command(
    members: Annotated[
        list[str],
        Option("Model folders, cached models or baselines.", metavar="MEMBER..."),
    ],
    /,
    *,
    fit: Annotated[
        Path,
        Option(
            "Data to fit the rule on, which no member was trained on: labelled pairs, candidates, a BEIR "
            "folder, SQuAD's JSON, or exams.",
            flag="--dev",
            metavar="DEV",
        ),
    ],
    out: Annotated[
        Path,
        Option("Folder to write. The members' folders stay in use.", metavar="DIR"),
    ],
    rule: Annotated[
        Literal["mean", "rank", "rrf", "weighted", "logistic", "sum"],
        Option(
            "Rule: mean of normalised scores, rank, rrf (reciprocal ranks), weighted (best weights on "
            "dev), logistic regression, or sum of probabilities.",
            flag="--combine",
        ),
    ] = "weighted",
    folds: Annotated[int, Option("Folds of the cross-fitted metric.", metavar="N", low=2)] = 5,
    texts: Annotated[
        Path | None,
        Option(
            "Texts that baselines take word frequencies from. Default: those of dev.",
            flag="--fit",
            metavar="FILE",
        ),
    ] = None,
    vectors: Vectors = None,
    part: PartOptions,
    draws: DrawOptions,
    systems: SystemOptions,
) -> None:
    """Combine models and baselines into one.

    The directory can stand wherever a model can: evaluate, compare, score, calibrate, answer,
    choose. Weights and
    normalisation are fitted on DEV. The printed figure is cross-fitted: each part of DEV is measured with
    weights fitted on the others; components and questions stay whole. A member that is missing or has
    changed is refused when the ensemble is opened.
    """
    from textkin.verbs.ensemble.ensemble import EnsembleOptions, ensemble

    found = ensemble(
        fit,
        members=members,
        out=out,
        rule=rule,
        options=EnsembleOptions(
            folds=folds,
            fit=texts,
            vectors=vectors,
            sampling=draws.sampling(),
            **systems.named(part),
        ),
    )
    if systems.as_json:
        emit_json(found)
    else:
        emit_text(str(found))

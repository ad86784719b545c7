"""``textkin evaluate``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.cli.shared_options import DecisionFile, ModelName, Threshold
from textkin.cli.system_tables import (
    MeasureOptions,
    SystemOptions,
    TableOptions,
    measure_and_show,
    options_of,
)

if TYPE_CHECKING:
    from textkin.kinds.systems import AnyModel

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
        Option(
            "Labelled pairs, candidates to rank, SQuAD's JSON, or a folder such as BEIR's.", metavar="DATA"
        ),
    ],
    /,
    *,
    measured: MeasureOptions,
    decision: DecisionFile = None,
    threshold: Threshold = None,
    shown: TableOptions,
    untrained: Annotated[
        bool,
        Option(
            "MODEL is a recipe: its network is measured with the initial weights that --seed draws, and "
            "the words of --fit, or of the data."
        ),
    ] = False,
    systems: SystemOptions,
) -> None:
    """Measure a model beside honest baselines."""
    chosen = replace(options_of(measured, shown, systems), decision=decision, threshold=threshold)
    models: list[AnyModel] = [model]
    if untrained:
        from textkin.networks.recipes.recipe import load_recipe
        from textkin.training.untrained_network import Untrained

        models = [Untrained(load_recipe(model))]
    measure_and_show(data, models, chosen, as_json=systems.as_json, table=shown.table)

"""Small training runs of a few sample questions."""

import csv
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.samples import path
from textkin.data.splits.components import gold_components
from textkin.models.inference.engine import encode_ids
from textkin.networks.recipes.recipe import Recipe
from textkin.training.assemble import assemble
from textkin.training.device import Device
from textkin.training.loop import Dev, train
from textkin.training.objectives import build_objective
from textkin.training.pair_data import training_data
from textkin.verbs.train.material import rows_of


@cache
def pairs(count=24, start=0):
    """Positives of ``count`` groups of questions, and as many pairs across groups."""
    groups = {}
    with Path(path("questions.tsv")).open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            groups.setdefault(row["group"], []).append(row["text"])
    chosen = list(groups.values())[start : start + count]
    same = [Pair(texts[0], text, 1.0) for texts in chosen for text in texts[1:3]]
    other = [Pair(texts[0], after[1], 0.0) for texts, after in pairwise(chosen)]
    return PairSet((*same, *other), LabelKind.BINARY, name="sample questions")


def recipe(*objectives, model=None, text=None, **training):
    return Recipe.from_dict(
        {
            "name": "small",
            "text": text or {},
            "model": {"arguments": {"cell": "mean", "dim": 8, **(model or {})}},
            "objectives": list(objectives) or [LOGISTIC],
            "training": {"epochs": 3, "learning_rate": 0.01, **training},
        }
    )


LOGISTIC = {"loss": "logistic", "rows": "pairs", "batch_size": 16, "score_scale": 4.0}
IN_BATCH = {"loss": "triplet-in-batch", "rows": "positives", "batch_size": 7}
SEMI_HARD = {
    "loss": "cosine-ranking",
    "rows": "semi-hard-triplets",
    "batch_size": 8,
    "macrobatch": 20,
    "max_margin": 2.0,
}


class Teacher:
    """An encoder whose vectors depend only on the letters of a text."""

    name = "letters"
    dim = 8

    def encode(self, texts, *, side=None):
        counts = np.array([[text.count(letter) for letter in "aeinorst"] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def prepare(made, *, data=None, seed=0, teacher=None):
    """The module, the objectives and a dev score of a recipe."""
    data = data or pairs()
    texts = list(dict.fromkeys(text for pair in data.texts for text in pair))
    model = assemble(made, texts, seed=seed)
    rows = training_data(
        rows_of(data),
        pipeline=model.pipeline,
        components=gold_components(data),
        teacher=teacher,
        pad_to=made.text.pad_to,
    )
    objectives = [
        build_objective(config, rows, model=model.module, seed=seed + at)
        for at, config in enumerate(made.objectives)
    ]
    ids = [rows.ids[text] for text in np.concatenate([rows.a, rows.b])]

    def score(module):
        a, b = np.split(encode_ids(module, ids, pad_id=model.pipeline.pad_id), 2)
        return float(np.corrcoef((a * b).sum(axis=1), rows.labels)[0, 1])

    return model.module, objectives, Dev("Fit", score)


def run(made, folder, *, data=None, seed=0, dev=None, device=None):
    """Train; the module and the result."""
    module, objectives, score = prepare(made, data=data, seed=seed)
    result = train(
        module,
        objectives,
        settings=made.training,
        dev=dev or score,
        folder=folder,
        seed=seed,
        device=device or Device("cpu", precision=made.training.precision),
    )
    return module, result


def same_weights(first, second):
    a, b = first.state_dict(), second.state_dict()
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def figures(result):
    """The values that must be equal in two equal runs: all but the seconds."""
    return [(log.epoch, log.steps, dict(log.losses), log.dev) for log in result.history], result.best

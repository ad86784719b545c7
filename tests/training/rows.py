"""Rows of batches, and their sources."""

import torch
from torch import nn

from tests.training.making import prepare, recipe
from textkin.data.records import Candidates, CandidateSet
from textkin.data.splits.components import gold_components
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.recipes.recipe import ObjectiveConfig
from textkin.training.assemble import assemble
from textkin.training.objectives import build_objective
from textkin.training.pair_data import training_data
from textkin.verbs.train.material import rows_of

COLOURS = ["red", "blue", "green", "black", "white", "grey"]
HARD = {"loss": "multiple-negatives", "rows": "hard-negatives", "batch_size": 7, "negatives_each": 2}


class Product(Matcher):
    """The product of the sums of the token ids: enough to see which texts met."""

    outputs = 1

    def __init__(self, outputs=1):
        super().__init__(outputs)
        self.scale = nn.Parameter(torch.full((outputs,), 0.01))

    def forward(self, a: TextBatch, b: TextBatch):
        return (a.ids * a.mask).sum(1, keepdim=True) * (b.ids * b.mask).sum(1, keepdim=True) * self.scale


def triplets(count=24, *, scores=True):
    """Anchors with one right and one to three wrong candidates; every fourth anchor is a duplicate of the one
    before it.
    """
    made = []
    for number in range(count):
        colour = COLOURS[number % 6]
        right = f"a {colour} house number {number - (number % 4 == 3)}"
        wrong = [f"the {COLOURS[(number + step) % 6]} car of {number}" for step in range(1, 2 + number % 3)]
        docs = tuple(sorted([right, *wrong]))
        said = tuple(4.0 if doc == right else -float(len(doc)) / 8 for doc in docs) if scores else ()
        labels = tuple(int(doc == right) for doc in docs)
        ids = tuple(map(str, range(len(docs))))
        made.append(Candidates(str(number), f"where is the {colour} house {number}", ids, docs, labels, said))
    return CandidateSet(tuple(made), name="houses")


def data_of(material, pipeline, **options):
    rows = rows_of(material)
    return training_data(rows, pipeline=pipeline, components=gold_components(rows.pairs), **options)


def of_triplets(config, data=None, *, seed=0):
    material = data or triplets()
    texts = list(dict.fromkeys(text for pair in rows_of(material).pairs.texts for text in pair))
    made = assemble(recipe(config), texts, seed=0)
    found = build_objective(
        ObjectiveConfig(**config), data_of(material, made.pipeline), model=made.module, seed=seed
    )
    return found, made.module.eval()


def prepared(config, **options):
    tower, (found,), _ = prepare(recipe(config), **options)
    return found, tower.eval()


def texts_of(data, batch):
    places = {tuple(ids.tolist()): text for text, ids in enumerate(data.ids)}
    return [places[tuple(ids[mask].tolist())] for ids, mask in zip(batch.ids, batch.mask, strict=True)]


def matched(config, data, *, outputs=1):
    """The objective of pairs for a matcher, and the matcher."""
    made = assemble(recipe(), list(dict.fromkeys(text for pair in data.texts for text in pair)), seed=0)
    model = Product(outputs)
    return build_objective(
        ObjectiveConfig(**config), data_of(data, made.pipeline), model=model, seed=0
    ), model

"""A tiny network of phrases, untrained, in a folder."""

from pathlib import Path

import torch

from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, save_model
from textkin.networks.architectures.table import build
from textkin.text.pipeline import WordPipeline
from textkin.text.vocabulary import Oov, build_vocabulary


def tiny_phrases(folder: Path, **options: bool) -> None:
    """Write a model that encodes phrases."""
    words = ["who", "married", "the", "normans", "emma"]
    vocabulary = build_vocabulary([words], oov=Oov.HASH, buckets=3)
    pipeline = WordPipeline(vocabulary, steps=("lower",), tokenise="words")
    arguments = {"size": pipeline.size, "pad_id": pipeline.pad_id, "dim": 4, "hidden": 3}
    arguments |= {"zero_ids": list(vocabulary.zero_ids), **options}
    torch.manual_seed(0)
    save_model(Model(ModelFacts("tiny"), "piqa", arguments, build("piqa", **arguments), pipeline), folder)

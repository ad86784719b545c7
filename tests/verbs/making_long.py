"""Documents longer than encoders' limits, and an encoder that truncates them."""

import numpy as np
import torch

from textkin.data.samples import path
from textkin.models.inference.scorers import NeuralEncoder
from textkin.networks.architectures.table import build
from textkin.text.pipeline import WordPipeline
from textkin.text.vocabulary import build_vocabulary


def words():
    lines = path("questions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return sorted({word for line in lines for word in line.split("\t")[2].lower().split() if word.isalpha()})


def documents(count=20):
    """Texts with a common beginning of 700 words, and 2,000 unique words each."""
    rng = np.random.default_rng(0)
    head = " ".join(rng.choice(words(), 700))
    return [f"{head} {' '.join(rng.choice(words(), 2000))}" for _ in range(count)]


def siamese():
    """The network of the recipe siamese-lstm before training."""
    torch.manual_seed(0)
    pipeline = WordPipeline(build_vocabulary([words()]), max_length=64)
    module = build("siamese", size=pipeline.size, pad_id=pipeline.pad_id, dim=16, hidden=16)
    return NeuralEncoder(module, pipeline, name="siamese-lstm")

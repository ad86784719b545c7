"""Common parts of tests of models over a matrix of word similarities."""

import numpy as np
import torch

from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.token_weights import InverseDocumentFrequency

PAD, SIZE = 0, 30
A = [[2, 3, 4, 5, 6, 7, 8], [9], [3, 3, 1], [10, 11, 2, 4]]
B = [[12, 3, 4], [2, 5, 6, 7, 9, 20, 21, 22, 23, 24, 25, 26], [3], [1, 11, 12]]
IDF = np.linspace(1, 4, SIZE, dtype=np.float32)


def batch(texts):
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=PAD)


def matcher(name, **options):
    """A model in evaluation mode, with nonzero biases, so that a wrong one would show."""
    made = build(name, **{"size": SIZE, "pad_id": PAD, "zero_ids": [1], "dim": 6, **options}).eval()
    for part in made.modules():
        if isinstance(part, InverseDocumentFrequency):
            part.set(IDF)
    for key, parameter in made.named_parameters():
        if key.endswith("bias"):
            torch.nn.init.normal_(parameter)
    return made


def vectors(model, text):
    """The token vectors of one text, as lists."""
    return (model.words.embedding(torch.tensor([text]))[0] * model.words.scale).tolist()


def values(module):
    """Weight and bias of a layer, as lists."""
    return module.weight.tolist(), None if module.bias is None else module.bias.tolist()


def check(model, score):
    """Check that a padded batch is scored as ``score(a, b)`` scores the token ids of each pair alone."""
    found = model(batch(A), batch(B))
    expected = torch.tensor([score(a, b) for a, b in zip(A, B, strict=True)])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)

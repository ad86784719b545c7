"""Losses at several widths."""

import numpy as np
import pytest
import torch

from tests.networks.losses.making import vectors
from tests.reference import losses as reference
from textkin.networks.losses.distillation import distillation
from textkin.networks.losses.matryoshka import matryoshka

pytestmark = pytest.mark.torch


def test_adds_the_loss_of_shortened_vectors():
    a, b = torch.from_numpy(vectors(1, count=2))
    expected = float(distillation(a, b))
    for width, weight in ((3, 0.5), (1, 2.0)):
        short = (
            [[x / (np.linalg.norm(row[:width]) or 1) for x in row[:width]] for row in side.tolist()]
            for side in (a, b)
        )
        expected += weight * reference.distillation(*short, measure="square", reduction="mean")
    assert float(matryoshka(distillation, (a, b), (3, 1), (0.5, 2.0))) == pytest.approx(expected)
    assert float(matryoshka(distillation, (a, b), (), ())) == float(distillation(a, b))

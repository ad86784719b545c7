"""A matcher with additional overlap features."""

import pytest
import torch

from tests.networks.architectures.matching import A, B, batch, matcher
from textkin.networks.architectures.overlap import WithOverlap
from textkin.networks.nn.overlap import FEATURES, overlap_features

pytestmark = pytest.mark.torch


def test_the_features_are_added_linearly():
    model = matcher("word-means", overlap=True, outputs=3)
    assert isinstance(model, WithOverlap)
    assert model.outputs == 3
    a, b = batch(A), batch(B)
    features = overlap_features(a, b, model.idf(a.ids), model.idf(b.ids))
    assert features.shape == (len(A), FEATURES)
    torch.testing.assert_close(model(a, b), model.inner(a, b) + features @ model.linear.weight.T)


def test_no_weight_leaves_the_matcher_alone():
    model = matcher("word-means", overlap=True)
    torch.nn.init.zeros_(model.linear.weight)
    torch.testing.assert_close(model(batch(A), batch(B)), model.inner(batch(A), batch(B)))
    assert model.linear.bias is None

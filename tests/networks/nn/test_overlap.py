from itertools import pairwise
from math import log

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.overlap import overlap_features

pytestmark = pytest.mark.torch

TEXTS = st.lists(st.lists(st.integers(1, 6), max_size=6), min_size=4, max_size=4)
WEIGHTS = torch.tensor([0.0, 1.0, 2.0, 0.5, 3.0, 1.5, 0.1])


def share(kept, weights):
    return sum(w for k, w in zip(kept, weights, strict=True) if k) / sum(weights) if sum(weights) else 0.0


def oracle(a, b):
    weight = WEIGHTS.tolist()
    neighbours = set(pairwise(b))
    return [
        share([w in b for w in a], [1] * len(a)),
        share([w in b for w in a], [weight[w] for w in a]),
        share([w in a for w in b], [1] * len(b)),
        share([w in a for w in b], [weight[w] for w in b]),
        share([pair in neighbours for pair in pairwise(a)], [1] * max(0, len(a) - 1)),
        log(1 + len(b)),
    ]


def batch(texts):
    return TextBatch.from_ids([np.array(text, dtype=np.int32) for text in texts], pad_id=0)


@given(TEXTS, TEXTS)
def test_features_equal_those_counted_by_hand(left, right):
    a, b = batch(left), batch(right)
    found = overlap_features(a, b, WEIGHTS[a.ids], WEIGHTS[b.ids])
    expected = torch.tensor([oracle(x, y) for x, y in zip(left, right, strict=True)])
    torch.testing.assert_close(found, expected)

"""Cosine ranking loss."""

import numpy as np
import pytest
import torch

from tests.networks.losses.making import vectors
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.cosine_ranking import cosine_ranking

pytestmark = pytest.mark.torch


def test_equals_the_published_rows_of_three():
    for seed in range(6):
        rows = np.random.default_rng(seed).normal(size=(12, 5))
        rows[seed] = 0
        expected = reference.cosine_ranking_of_rows(rows.tolist(), margin=0.2)
        batch = torch.from_numpy(rows)
        assert float(cosine_ranking(batch[0::3], batch[1::3], batch[2::3])) == pytest.approx(
            expected, abs=1e-12
        )


def test_by_hand():
    anchor, far = torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 4.0]])
    assert float(cosine_ranking(anchor, far, anchor)) == pytest.approx(0.2 - 0.8 + 1)
    assert float(cosine_ranking(anchor, anchor, far)) == pytest.approx(0, abs=1e-6)  # .2 - 1 + .8
    assert float(cosine_ranking(anchor, anchor, far, margin=0.5)) == pytest.approx(0.3)


def test_order_does_not_matter_and_empty_batches_give_zero():
    three = torch.from_numpy(vectors(1))
    order = torch.randperm(three.shape[1])
    assert float(cosine_ranking(*three[:, order])) == pytest.approx(float(cosine_ranking(*three)))
    assert float(cosine_ranking(*torch.zeros(3, 0, 4))) == 0
    with pytest.raises(UsageError) as error:
        cosine_ranking(three[0], three[1], three[2, :1])
    assert error.value.value == {"anchor": [7, 4], "positive": [7, 4], "negative": [1, 4]}

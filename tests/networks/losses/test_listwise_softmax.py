import math

import numpy as np
import pytest
import torch

from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.listwise_softmax import listwise_softmax

pytestmark = pytest.mark.torch


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_equals_the_loops(reduction):
    for seed in range(10):
        random = np.random.default_rng(seed)
        sizes = random.integers(0, 6, int(random.integers(1, 7)))
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        scores = random.normal(size=offsets[-1]) * 4
        labels = random.integers(-1, 3, offsets[-1])
        expected = reference.listwise_softmax(
            scores.tolist(), labels.tolist(), offsets.tolist(), reduction=reduction
        )
        found = listwise_softmax(
            tensor(scores), torch.from_numpy(labels), torch.from_numpy(offsets), reduction=reduction
        )
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_by_hand():
    # Query 0: proportions 1, 0; softmax 3/4, 1/4. Query 1 has no positive. Query 2: equal proportions, equal
    # scores.
    scores, labels = tensor([math.log(3), 0, 5, 7, 1, 1]), torch.tensor([1, 0, 0, -1, 2, 2])
    offsets = torch.tensor([0, 2, 4, 6])
    assert float(listwise_softmax(scores, labels, offsets)) == pytest.approx(math.log(4 / 3) / 2)
    assert float(listwise_softmax(scores, labels, offsets, reduction="sum")) == pytest.approx(math.log(4 / 3))


def test_one_query_equals_torch():
    scores, labels = torch.randn(6, dtype=torch.float64), tensor([0, 1, 0, 2, 0, 1])
    expected = torch.nn.functional.kl_div(scores.log_softmax(0), labels / 4, reduction="sum")
    assert float(listwise_softmax(scores, labels, torch.tensor([0, 6]))) == pytest.approx(float(expected))


def test_queries_without_positives_get_no_gradient():
    scores = torch.randn(5, requires_grad=True)
    loss = listwise_softmax(scores, torch.tensor([0, 1, 0, 0, 0]), torch.tensor([0, 2, 5, 5]))
    loss.backward()
    assert (scores.grad[:2] != 0).all()
    assert (scores.grad[2:] == 0).all()


@pytest.mark.parametrize(
    ("labels", "offsets"), [([], [0]), ([], [0, 0]), ([0.0, 0.0], [0, 2]), ([1.0, 1.0], [0, 1, 2])]
)
def test_nothing_to_learn_is_zero(labels, offsets):
    scores = torch.zeros(len(labels), requires_grad=True)
    loss = listwise_softmax(scores, torch.tensor(labels), torch.tensor(offsets))
    loss.backward()
    assert float(loss.detach()) == 0
    assert (scores.grad == 0).all()


def test_large_scores_stay_finite():
    scores = torch.tensor([1e4, -1e4, 3e4], requires_grad=True)
    loss = listwise_softmax(scores, torch.tensor([0, 1, 0]), torch.tensor([0, 3]))
    loss.backward()
    assert float(loss.detach()) == pytest.approx(4e4)
    assert scores.grad.tolist() == [0, -1, 1]


def test_gradients_are_right_and_order_does_not_matter():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(6, dtype=torch.float64, generator=generator, requires_grad=True)
    labels, offsets = torch.tensor([0, 2, 1, 1, 0, 0]), torch.tensor([0, 3, 5, 6])
    assert torch.autograd.gradcheck(lambda given: listwise_softmax(given, labels, offsets), scores)
    order = torch.tensor([5, 4, 3, 1, 2, 0])
    shuffled = listwise_softmax(scores[order], labels[order], torch.tensor([0, 1, 3, 6]))
    assert float(shuffled.detach()) == pytest.approx(
        float(listwise_softmax(scores, labels, offsets).detach())
    )


def test_shapes_are_checked():
    with pytest.raises(UsageError) as error:
        listwise_softmax(torch.zeros(3), torch.zeros(3, 1), torch.tensor([0, 3]))
    assert error.value.value == {"scores": [3], "labels": [3, 1]}
    with pytest.raises(UsageError, match="offsets"):
        listwise_softmax(torch.zeros(3), torch.zeros(3), torch.tensor([], dtype=torch.int64))

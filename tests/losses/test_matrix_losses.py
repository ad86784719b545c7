"""Losses on the matrix of similarities of a batch: triplet in batch and multiple negatives."""

import math

import numpy as np
import pytest
import torch

from tests.reference import losses as reference
from textkin.batches.negatives import allowed_negatives
from textkin.errors import UsageError
from textkin.losses.multiple_negatives import multiple_negatives
from textkin.losses.triplet_in_batch import triplet_in_batch

OUTRANKED = [[0.9, -0.8, 0.3, -0.5], [-0.4, 0.5, 0.1, -0.1], [0.3, 0.1, -0.4, -0.8], [-0.5, -0.2, -0.7, 0.5]]
SEPARATED = [[0.9, -0.8, 0.3, -0.5], [-0.8, 0.5, 0.1, -0.2], [0.3, 0.1, 0.7, -0.8], [-0.5, -0.2, -0.8, 1.0]]
VARIANTS = [
    (
        triplet_in_batch,
        reference.triplet_in_batch,
        {"margin": margin, "closest": closest, "reduction": reduction},
    )
    for margin in (0.25, 0.9)
    for closest in ("below-positive", "row-max")
    for reduction in ("mean", "sum")
] + [
    (
        multiple_negatives,
        reference.multiple_negatives,
        {"scale": scale, "reduction": reduction},
    )
    for scale in (20.0, 1.0)
    for reduction in ("mean", "sum")
]


def matrix(values, **options):
    return torch.tensor(values, dtype=torch.float64, **options)


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
def test_equals_the_loops(loss, oracle, options):
    for seed in range(6):
        random = np.random.default_rng(seed)
        size = int(random.integers(1, 9))
        similarities = random.uniform(-1, 1, (size, size))
        if seed % 2:
            similarities = similarities.round(1)  # ties between negatives, and of negatives with the positive
        for allowed in (None, random.random((size, size)) < 0.6, np.zeros((size, size), dtype=bool)):
            expected = oracle(similarities.tolist(), None if allowed is None else allowed.tolist(), **options)
            mask = None if allowed is None else torch.from_numpy(allowed)
            assert float(loss(matrix(similarities), mask, **options)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("closest", "rows"), [("below-positive", [0, 0, 31 / 60, 0]), ("row-max", [0, 0, 22 / 15, 0])]
)
def test_published_triplet_example_in_which_a_negative_outranks_the_positive(closest, rows):
    for reduction, expected in (("sum", sum(rows)), ("mean", sum(rows) / 4)):
        loss = triplet_in_batch(matrix(OUTRANKED), closest=closest, reduction=reduction)
        assert float(loss) == pytest.approx(expected, abs=1e-12)
    assert sum(rows) == pytest.approx(0.51667 if closest == "below-positive" else 1.46667, abs=5e-6)
    assert sum(rows) / 4 == pytest.approx(0.12917 if closest == "below-positive" else 0.36667, abs=5e-6)


@pytest.mark.parametrize("closest", ["below-positive", "row-max"])
def test_published_triplet_example_in_which_positives_win(closest):
    assert float(triplet_in_batch(matrix(SEPARATED), closest=closest)) == 0


def test_published_triplet_example_of_vectors():
    one = matrix([1.0, 2, 3]) / math.sqrt(14)
    two = matrix([9.0, 10, 11]) / math.sqrt(302)
    similarities = torch.stack((one, -two)) @ torch.stack((one, two)).T
    assert float(triplet_in_batch(similarities, closest="row-max")) == pytest.approx(0.5, abs=1e-12)


def test_multiple_negatives_by_hand():
    similarities = matrix([[1.0, 0.5], [0.0, 0.25]])
    rows = [math.log(1 + math.exp(-1)), math.log(1 + math.exp(-0.5))]
    assert float(multiple_negatives(similarities, scale=2, reduction="sum")) == pytest.approx(sum(rows))


def test_multiple_negatives_is_cross_entropy_on_the_diagonal():
    similarities = torch.randn(7, 7, dtype=torch.float64)
    expected = torch.nn.functional.cross_entropy(20 * similarities, torch.arange(7))
    assert float(multiple_negatives(similarities)) == pytest.approx(float(expected))


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
def test_hard_negatives_are_further_columns(loss, oracle, options):
    random = np.random.default_rng(3)
    similarities, allowed = random.uniform(-1, 1, (5, 8)), random.random((5, 8)) < 0.7
    for mask in (None, allowed):
        expected = oracle(similarities.tolist(), None if mask is None else mask.tolist(), **options)
        given = None if mask is None else torch.from_numpy(mask)
        assert float(loss(matrix(similarities), given, **options)) == pytest.approx(expected)


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
def test_some_rows_know_where_their_positives_are(loss, oracle, options):
    similarities, allowed = torch.rand(5, 7, dtype=torch.float64), torch.rand(5, 7) < 0.7
    whole = loss(similarities, allowed, **{**options, "reduction": "sum"})
    parts = [
        loss(similarities[rows], allowed[rows], rows.start, **{**options, "reduction": "sum"})
        for rows in (slice(0, 2), slice(2, 5))
    ]
    assert float(sum(parts)) == pytest.approx(float(whole))


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
def test_order_of_rows_does_not_matter(loss, oracle, options):
    similarities = torch.rand(6, 6, dtype=torch.float64)
    allowed = torch.rand(6, 6) < 0.7
    order = torch.randperm(6)
    shuffled = loss(similarities[order][:, order], allowed[order][:, order], **options)
    assert float(shuffled) == pytest.approx(float(loss(similarities, allowed, **options)))


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
def test_gradients_are_right(loss, oracle, options):
    generator = torch.Generator().manual_seed(1)
    similarities = (torch.rand(4, 4, dtype=torch.float64, generator=generator) * 2 - 1).requires_grad_()
    allowed = torch.tensor([[0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]], dtype=torch.bool)
    assert torch.autograd.gradcheck(lambda values: loss(values, allowed, **options), similarities)


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
@pytest.mark.parametrize("size", [0, 1, 3])
def test_without_negatives_nothing_is_lost_and_gradients_are_finite(loss, oracle, options, size):
    similarities = torch.full((size, size), -1.0, requires_grad=True)
    value = loss(similarities, torch.zeros(size, size, dtype=torch.bool), **options)
    value.backward()
    assert float(value.detach()) == 0
    assert (similarities.grad == 0).all()


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_gradients_are_finite_where_all_is_equal(loss, oracle, options, value):
    similarities = torch.full((4, 4), value, requires_grad=True)
    loss(similarities, **options).backward()
    assert similarities.grad.isfinite().all()


@pytest.mark.parametrize(("loss", "oracle", "options"), VARIANTS)
def test_texts_of_one_component_are_never_negatives(loss, oracle, options):
    # Rows 0 and 2 are kin: whatever their similarity is, it changes neither the loss nor gets a gradient.
    components = np.array([5, 6, 5, 7])
    allowed = allowed_negatives(components, components)
    similarities = torch.rand(4, 4, dtype=torch.float64)
    twins = similarities.clone()
    twins[0, 2] = twins[2, 0] = 1.0
    twins.requires_grad_()
    value = loss(twins, allowed, **options)
    value.backward()
    assert float(value.detach()) == pytest.approx(float(loss(similarities, allowed, **options)))
    assert twins.grad[0, 2] == twins.grad[2, 0] == 0
    naive = allowed_negatives(components, components, naive=True)
    assert float(
        loss(twins.detach(), naive, **{**options, "closest": "row-max"} if "closest" in options else options)
    ) != (pytest.approx(float(value.detach())))


@pytest.mark.parametrize("loss", [triplet_in_batch, multiple_negatives])
def test_shapes_are_checked(loss):
    with pytest.raises(UsageError, match=r"\[3, 2\], expected \[R, C\] with C >= 0 \+ R"):
        loss(torch.zeros(3, 2))
    with pytest.raises(UsageError, match=r"C >= 2 \+ R"):
        loss(torch.zeros(3, 4), None, 2)
    with pytest.raises(UsageError, match=r"allowed \[3\]"):
        loss(torch.zeros(3, 3), torch.zeros(3, dtype=torch.bool))


@pytest.mark.parametrize("loss", [triplet_in_batch, multiple_negatives])
def test_a_positive_that_is_marked_as_allowed_is_no_negative(loss):
    similarities = torch.rand(4, 4)
    assert float(loss(similarities, torch.ones(4, 4, dtype=torch.bool))) == float(loss(similarities))

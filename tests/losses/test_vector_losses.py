"""Losses on vectors: of triplets, of graded pairs, beside a teacher, of groups, at several widths."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
import torch

from tests.reference import losses as reference
from textkin.errors import UsageError
from textkin.losses.angle import angle
from textkin.losses.cosent import cosent
from textkin.losses.cosine_ranking import cosine_ranking
from textkin.losses.distances import cosine_distance, euclidean_distance
from textkin.losses.distillation import distillation
from textkin.losses.grouped_triplet import batch_all_triplet, batch_hard_triplet
from textkin.losses.matryoshka import matryoshka
from textkin.losses.triplet import triplet


def vectors(seed, count=3, rows=7, width=4):
    random = np.random.default_rng(seed)
    made = random.normal(size=(count, rows, width))
    made[:, seed % rows] = made[0, seed % rows]  # anchor, positive and negative are equal
    made[seed % count, 0] = 0
    return made


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_triplet_equals_the_loops(measure, reduction):
    for seed, margin in itertools.product(range(6), (0.25, 2.0)):
        made = vectors(seed)
        expected = reference.triplet(*made.tolist(), margin=margin, measure=measure, reduction=reduction)
        found = triplet(*torch.from_numpy(made), margin=margin, measure=measure, reduction=reduction)
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_cosine_ranking_equals_the_published_rows_of_three():
    for seed in range(6):
        rows = np.random.default_rng(seed).normal(size=(12, 5))
        rows[seed] = 0
        expected = reference.cosine_ranking_of_rows(rows.tolist(), margin=0.2)
        batch = torch.from_numpy(rows)
        assert float(cosine_ranking(batch[0::3], batch[1::3], batch[2::3])) == pytest.approx(
            expected, abs=1e-12
        )


def test_by_hand():
    anchor, near, far = torch.tensor([[3.0, 4.0]]), torch.tensor([[3.0, 3.0]]), torch.tensor([[0.0, 4.0]])
    assert float(triplet(anchor, near, far, measure="euclidean", margin=1)) == 0  # 1 + 1 - 3
    assert float(triplet(anchor, far, near, measure="euclidean", margin=1)) == 3  # 1 + 3 - 1
    assert float(cosine_ranking(anchor, far, anchor)) == pytest.approx(0.2 - 0.8 + 1)
    assert float(cosine_ranking(anchor, anchor, far)) == pytest.approx(0, abs=1e-6)  # .2 - 1 + .8
    assert float(cosine_ranking(anchor, anchor, far, margin=0.5)) == pytest.approx(0.3)
    assert float(triplet(anchor, anchor, far, margin=0.5)) == pytest.approx(0.3)


@pytest.mark.parametrize("distance", [cosine_distance, euclidean_distance])
def test_distances_and_their_gradients_are_finite_everywhere(distance):
    corners = torch.tensor([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1e-30, 0.0], [1e18, 1e18]])
    for a, b in itertools.product(corners, corners):
        a, b = a[None].clone().requires_grad_(), b[None].clone().requires_grad_()
        value = distance(a, b)
        value.sum().backward()
        assert value.isfinite().all()
        assert a.grad.isfinite().all()
        assert b.grad.isfinite().all()
        assert max(a.grad.abs().max(), b.grad.abs().max()) <= 2e18  # and no zero row has a gradient of 1e12
    zero = torch.zeros(1, 2, requires_grad=True)
    distance(zero, torch.tensor([[0.6, 0.8]])).sum().backward()
    assert zero.grad.norm() <= 1.0001


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
def test_gradients_are_right(measure):
    generator = torch.Generator().manual_seed(2)
    three = [torch.randn(5, 3, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(3)]
    assert torch.autograd.gradcheck(lambda *parts: triplet(*parts, margin=0.7, measure=measure), three)


@pytest.mark.parametrize("loss", [triplet, partial(triplet, measure="euclidean"), cosine_ranking])
def test_order_does_not_matter_and_empty_batches_give_zero(loss):
    three = torch.from_numpy(vectors(1))
    order = torch.randperm(three.shape[1])
    assert float(loss(*three[:, order])) == pytest.approx(float(loss(*three)))
    assert float(loss(*torch.zeros(3, 0, 4))) == 0
    with pytest.raises(UsageError, match=r"negative \[1, 4\]"):
        loss(three[0], three[1], three[2, :1])


GRADES = [0.5, 0.0, 1.0, 0.5, 0.25, 1.0, 0.0]


@pytest.mark.parametrize("scale", [20.0, 2.0])
@pytest.mark.parametrize("width", [4, 5])
def test_orders_of_graded_pairs_equal_the_loops(scale, width):
    for seed in range(6):
        a, b = vectors(seed, count=2, width=width)
        expected = reference.angle(a.tolist(), b.tolist(), GRADES, scale=scale)
        given = torch.from_numpy(a), torch.from_numpy(b), torch.tensor(GRADES)
        assert float(angle(*given, scale=scale)) == pytest.approx(expected, abs=1e-12)
        scores = np.random.default_rng(seed).uniform(-1, 1, 7)
        expected = reference.cosent(scores.tolist(), GRADES, scale=scale)
        found = cosent(torch.from_numpy(scores), torch.tensor(GRADES), scale=scale)
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_cosent_by_hand():
    scores, grades = torch.tensor([0.3, 0.1, 0.9]), torch.tensor([1.0, 2.0, 2.0])
    assert float(cosent(scores, grades, scale=1)) == pytest.approx(
        math.log(1 + math.exp(0.2) + math.exp(-0.6))
    )
    assert float(cosent(scores, torch.ones(3))) == 0  # no pair is above another
    assert float(cosent(torch.zeros(0), torch.zeros(0))) == 0


@pytest.mark.parametrize("measure", ["square", "cosine"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_distillation_equals_the_loops(measure, reduction):
    for seed in range(6):
        found, teacher = vectors(seed, count=2)
        expected = reference.distillation(
            found.tolist(), teacher.tolist(), measure=measure, reduction=reduction
        )
        given = torch.from_numpy(found), torch.from_numpy(teacher)
        assert float(distillation(*given, measure=measure, reduction=reduction)) == pytest.approx(expected)


GROUPS = [3, 1, 3, 0, 1, 7, 3]  # two texts are alone


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_triplets_of_groups_equal_the_loops(hard, soft, measure, reduction):
    loss = batch_hard_triplet if hard else batch_all_triplet
    for seed, margin in itertools.product(range(6), (0.25, 2.0)):
        (made,) = vectors(seed, count=1)
        options = {"margin": margin, "soft": soft, "measure": measure, "reduction": reduction}
        expected = reference.grouped_triplets(made.tolist(), GROUPS, hard=hard, **options)
        found = loss(torch.from_numpy(made), torch.tensor(GROUPS), **options)
        assert float(found) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("loss", [batch_all_triplet, batch_hard_triplet])
@pytest.mark.parametrize("groups", [[], [1], [1, 1, 1], [1, 2, 3]])
def test_groups_without_triplets_give_zero_and_no_gradient(loss, groups):
    given = torch.randn(len(groups), 4, requires_grad=True)
    value = loss(given, torch.tensor(groups, dtype=torch.int64))
    value.backward()
    assert float(value.detach()) == 0
    assert (given.grad == 0).all()


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
def test_equal_texts_of_a_group_have_finite_gradients(measure):
    given = torch.tensor([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    for loss in (batch_all_triplet, batch_hard_triplet):
        loss(given, torch.tensor([0, 0, 1, 1]), measure=measure).backward()
    assert given.grad.isfinite().all()


def test_matryoshka_adds_the_loss_of_shortened_vectors():
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


NEW = [
    lambda rows: angle(rows, rows.flip(0), torch.arange(5.0)),
    lambda rows: cosent(rows[:, 0], torch.arange(5.0)),
    lambda rows: distillation(rows, torch.ones(5, 3)),
    lambda rows: distillation(rows, torch.ones(5, 3), measure="cosine"),
    *(
        partial(loss, groups=torch.tensor([0, 1, 0, 1, 2]), measure=measure, soft=soft)
        for loss in (batch_all_triplet, batch_hard_triplet)
        for measure in ("cosine", "euclidean")
        for soft in (False, True)
    ),
]


@pytest.mark.parametrize("loss", NEW)
def test_gradients_of_new_losses_are_right(loss):
    generator = torch.Generator().manual_seed(3)
    rows = torch.randn(5, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(loss, rows)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: angle(torch.zeros(2, 3), torch.zeros(2, 2), torch.zeros(2)), r"b \[2, 2\]"),
        (lambda: cosent(torch.zeros(2), torch.zeros(2, 1)), r"labels \[2, 1\]"),
        (lambda: distillation(torch.zeros(2, 3), torch.zeros(2, 4)), r"teacher \[2, 4\]"),
        (lambda: batch_all_triplet(torch.zeros(2, 3), torch.zeros(3)), r"groups \[3\]"),
    ],
)
def test_shapes_are_checked(wrong, message):
    with pytest.raises(UsageError, match=message):
        wrong()

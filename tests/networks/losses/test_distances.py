"""Distances between rows."""

import itertools

import pytest
import torch

from tests.networks.losses.making import vectors
from textkin.networks.losses.distances import (
    cosine_distance,
    distance,
    distances_within,
    euclidean_distance,
    manhattan_distance,
    unit,
)

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("distance", [cosine_distance, euclidean_distance, manhattan_distance])
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
    # The gradient of a sum of absolute values is a sign for each number.
    assert zero.grad.norm() <= (2**0.5 if distance is manhattan_distance else 1) + 1e-4


@pytest.mark.parametrize("name", ["cosine", "euclidean", "manhattan"])
def test_rows_among_themselves_are_rows_against_rows(name):
    (rows,) = torch.from_numpy(vectors(2, count=1))
    expected = torch.stack([distance(rows, row.expand_as(rows), name) for row in rows])
    assert torch.allclose(distances_within(rows, name), expected, atol=1e-12)


def test_manhattan_distances_by_hand():
    a, b = torch.tensor([[1.0, -2.0], [0.0, 0.0]]), torch.tensor([[4.0, 2.0], [0.0, 0.0]])
    assert distance(a, b, "manhattan").tolist() == [7.0, 0.0]


def test_euclidean_distances_of_nearly_equal_rows_keep_their_digits():
    rows = torch.tensor([[1e4, 1.0], [1e4, 1.0 + 1e-3]], dtype=torch.float32)
    assert float(distances_within(rows, "euclidean")[0, 1]) == pytest.approx(1e-3, rel=1e-3)


def test_unit_rows_have_length_one_or_are_zero():
    rows = unit(torch.tensor([[3.0, 4.0], [0.0, 0.0], [1e-13, 0.0], [0.3, 0.4], [3e-11, 4e-11]]))
    expected = [[0.6, 0.8], [0, 0], [1e-13, 0], [0.6, 0.8], [0.6, 0.8]]
    assert torch.allclose(rows, torch.tensor(expected), rtol=1e-6, atol=1e-15)

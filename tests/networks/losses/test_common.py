"""Common parts of losses: reduction, checks of shapes, masks of a batch."""

import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.losses.common import (
    at_least_single,
    negatives_mask,
    positives_mask,
    reduced,
    same_shape,
)

pytestmark = pytest.mark.torch


def test_the_mean_and_the_sum():
    values = torch.tensor([1.0, 2.0, 6.0])
    assert float(reduced(values, "mean")) == 3
    assert float(reduced(values, "sum")) == 9
    assert float(reduced(values[2:], "mean")) == 6


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_no_rows_give_zero(reduction):
    assert float(reduced(torch.zeros(0), reduction)) == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_summed_in_single(dtype):
    # 4,096 ones and a half are lost in either half precision.
    values = torch.cat((torch.ones(4096), torch.tensor([0.5]))).to(dtype)
    total = reduced(values, "sum")
    assert total.dtype == torch.float32
    assert float(total) == 4096.5


def test_wider_types_stay():
    assert at_least_single(torch.zeros(1, dtype=torch.float64)).dtype == torch.float64
    assert at_least_single(torch.zeros(1)).dtype == torch.float32


def test_shapes_that_would_broadcast_are_refused():
    same_shape(a=torch.zeros(2, 3), b=torch.ones(2, 3))
    with pytest.raises(UsageError) as error:
        same_shape(a=torch.zeros(2), b=torch.zeros(2, 1))
    assert error.value.value == {"a": [2], "b": [2, 1]}


def test_the_masks_of_some_rows():
    similarities = torch.zeros(2, 4)
    assert positives_mask(similarities, first=1).int().tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]
    assert negatives_mask(similarities, None, first=1).int().tolist() == [[1, 0, 1, 1], [1, 1, 0, 1]]
    allowed = torch.tensor([[1, 1, 0, 1], [0, 1, 1, 1]], dtype=torch.bool)
    assert negatives_mask(similarities, allowed, first=1).int().tolist() == [[1, 0, 0, 1], [0, 1, 0, 1]]


def test_positives_stand_on_the_diagonal_if_nothing_else_is_said():
    similarities = torch.zeros(2, 3)
    assert positives_mask(similarities).int().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert negatives_mask(similarities, None).int().tolist() == [[0, 1, 1], [1, 0, 1]]


@pytest.mark.parametrize(("shape", "first"), [((3, 2), 0), ((3, 4), 2), ((3,), 0)])
def test_a_row_without_a_column_for_its_positive_is_refused(shape, first):
    with pytest.raises(UsageError) as error:
        negatives_mask(torch.zeros(shape), None, first=first)
    assert error.value.expected == f"[R, C] with C >= {first} + R"


def test_a_mask_of_another_shape_is_refused():
    with pytest.raises(UsageError) as error:
        negatives_mask(torch.zeros(3, 3), torch.zeros(3, dtype=torch.bool))
    assert error.value.value == {"similarities": [3, 3], "allowed": [3]}

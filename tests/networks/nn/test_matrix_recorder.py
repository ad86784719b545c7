import pytest
import torch
from torch import nn

from textkin.networks.nn.matrix_recorder import TextMatrix, watched

pytestmark = pytest.mark.torch


class Network(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.place = TextMatrix("products", **options)

    def forward(self, a, b):
        return self.place(self.linear(a) @ b.transpose(1, 2))


def texts():
    return torch.randn(2, 4, 3), torch.randn(2, 5, 3)


def test_a_matrix_passes_as_it_is_and_has_no_weights():
    matrix = torch.randn(1, 2, 3)
    assert TextMatrix("any")(matrix) is matrix
    assert {*Network().state_dict()} == {"linear.weight", "linear.bias"}


def test_matrices_are_kept_inside_of_the_block_only():
    network, pair = Network(), texts()
    expected = network(*pair)
    with watched(network) as (seen,):
        found = network(*pair)
    network(*pair)
    assert torch.equal(found, expected)
    assert seen.place is network.place and len(seen.passed) == 1
    assert torch.equal(seen.of_pair(0), expected[:1])
    with pytest.raises(RuntimeError), watched(network) as (seen,):
        raise RuntimeError
    network(*pair)
    assert seen.passed == []


def test_rows_that_come_one_after_another_are_one_matrix():
    place, rows = TextMatrix("rows"), torch.randn(2, 4, 5)
    with watched(place) as (seen,):
        for row in rows.unbind(1):
            place(row)
    assert torch.equal(seen.of_pair(0), rows[:1])


def test_texts_that_come_one_after_another_have_a_matrix_each():
    place, a, b = TextMatrix("own", rows="own", columns="own"), torch.randn(1, 2, 2), torch.randn(1, 3, 3)
    with watched(place) as (seen,):
        place(a), place(b)
    assert torch.equal(seen.of_pair(0), a) and torch.equal(seen.of_pair(1), b)


def test_parts_are_told_apart_if_they_have_names_and_else_their_mean_counts():
    parts = torch.randn(2, 3, 2, 4, 5)
    named, nameless = TextMatrix("named", parts=["part"] * 6), TextMatrix("nameless")
    with watched(nn.ModuleList([named, nameless])) as (first, second):
        named(parts), nameless(parts)
    assert torch.equal(first.of_pair(0), parts[0].reshape(6, 4, 5))
    torch.testing.assert_close(second.of_pair(0)[0], sum(parts[0].reshape(6, 4, 5)) / 6)

import pytest
import torch

from tests.reference.matching_matrix import matrix
from textkin.base.errors import UsageError
from textkin.networks.nn.interaction import similarities

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("how", ["cosine", "dot"])
def test_similarities_are_those_of_the_plain_loop(how):
    a, b = torch.randn(3, 4, 5), torch.randn(3, 6, 5)
    a[0, 1] = b[1, 2] = 0
    expected = [matrix(x, y, how=how) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    torch.testing.assert_close(similarities(a, b, how=how), torch.tensor(expected))


def test_zero_vectors_have_no_gradient_and_short_ones_a_cosine():
    vectors = torch.tensor([[[0.0, 0.0], [3e-15, 4e-15], [3.0, 4.0]]], requires_grad=True)
    found = similarities(vectors, vectors)
    torch.testing.assert_close(found[0], torch.tensor([[0.0, 0, 0], [0, 1, 1], [0, 1, 1]]))
    found[0, 2].sum().backward()
    assert vectors.grad.isfinite().all()
    assert vectors.grad[0, 0].tolist() == [0, 0]


@pytest.mark.parametrize("dim", [50, 300, 1024])
def test_a_vector_is_hardly_anything_but_one_from_itself(dim):
    vectors = 7 * torch.randn(20, 10, dim)
    found = similarities(vectors, vectors).diagonal(dim1=1, dim2=2)
    assert (found - 1).abs().max() < 3e-6


def test_half_precision_becomes_single():
    vectors = torch.randn(1, 2, 300, dtype=torch.bfloat16)
    found = similarities(vectors, vectors)
    assert found.dtype == torch.float32
    assert (found.diagonal(dim1=1, dim2=2) - 1).abs().max() < 3e-6


def test_an_unknown_similarity_is_refused():
    with pytest.raises(UsageError) as error:
        similarities(torch.zeros(1, 1, 1), torch.zeros(1, 1, 1), how="euclid")
    assert error.value.params == ("similarity",)

import pytest
import torch

from tests.reference.alignment import compared
from textkin.base.errors import UsageError
from textkin.networks.nn.comparison import Comparison, enhanced

pytestmark = pytest.mark.torch

WIDTHS = {"mult": 3, "sub": 3, "submult-nn": 4, "nn": 4, "euccos": 2, "ntn": 4}


@pytest.mark.parametrize("how", WIDTHS)
def test_comparisons_are_the_plain_loop(how):
    comparison = Comparison(how=how, dim=3, hidden=4)
    a, h = torch.randn(2, 5, 3), torch.randn(2, 5, 3)
    h[0, 0] = 0  # an answer's word that turned to the zero row
    found = comparison(a, h)
    assert found.shape == (2, 5, comparison.width) == (2, 5, WIDTHS[how])
    layer = comparison.layer and [part.tolist() for part in (comparison.layer.weight, comparison.layer.bias)]
    for row in range(2):
        for place in range(5):
            expected = torch.tensor(compared(how, a[row, place].tolist(), h[row, place].tolist(), layer))
            torch.testing.assert_close(found[row, place], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("how", WIDTHS)
def test_equal_and_zero_vectors_have_finite_gradients(how):
    comparison = Comparison(how=how, dim=3, hidden=4)
    a = torch.randn(1, 2, 3, requires_grad=True)
    h = (a.detach() * torch.tensor([[[1.0], [0.0]]])).requires_grad_()
    comparison(a, h).sum().backward()
    assert a.grad.isfinite().all()
    assert h.grad.isfinite().all()


def test_enhancement_has_both_their_difference_and_their_product():
    a, h = torch.tensor([[2.0, 3.0]]), torch.tensor([[5.0, -1.0]])
    assert enhanced(a, h).tolist() == [[2, 3, 5, -1, -3, 4, 10, -3]]


def test_an_unknown_comparison_is_refused():
    with pytest.raises(UsageError) as error:
        Comparison(how="cosine", dim=3, hidden=4)
    assert error.value.params == ("comparison",)

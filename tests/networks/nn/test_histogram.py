import pytest
import torch

from tests.reference.matching_matrix import histogram, sums_by_bin
from textkin.base.errors import UsageError
from textkin.networks.nn.histogram import known_bins, known_histogram, match_histogram, similarity_sums
from textkin.networks.nn.pooling import unit

pytestmark = pytest.mark.torch

LENGTHS = [6, 2, 1, 0]
MASK = torch.arange(6) < torch.tensor(LENGTHS)[:, None]


def cosines():
    values = torch.rand(4, 3, 6) * 2 - 1
    values[0, 0, :5] = torch.tensor([1.0, 0.99999994, 1.0000001, -1.0000001, 0.0])
    return values


@pytest.mark.parametrize("bins", [2, 30, 31])
@pytest.mark.parametrize("kind", ["CH", "NH", "LCH"])
def test_histograms_are_counted_by_hand(kind, bins):
    values = cosines()
    expected = [
        [histogram(row[:length], bins=bins, kind=kind) for row in rows]
        for rows, length in zip(values.tolist(), LENGTHS, strict=True)
    ]
    found = match_histogram(values, MASK, bins=bins, kind=kind)
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float32))


@pytest.mark.parametrize("bins", [2, 20])
def test_sums_are_added_up_by_hand_and_pass_a_gradient(bins):
    values = cosines().requires_grad_()
    expected = [
        [sums_by_bin(row[:length], bins=bins) for row in rows]
        for rows, length in zip(values.tolist(), LENGTHS, strict=True)
    ]
    found = similarity_sums(values, MASK, bins=bins)
    torch.testing.assert_close(found, torch.tensor(expected))
    found.sum().backward()
    assert torch.equal(values.grad, MASK.unsqueeze(1).expand_as(values).float())


def test_a_word_matches_itself_exactly_whatever_rounding_does():
    vectors = unit(torch.randn(1, 500, 37))
    values = (vectors * vectors).sum(dim=2, keepdim=True)
    assert (values != 1).any()
    found = match_histogram(values, torch.ones(1, 1, dtype=torch.bool), bins=30, kind="CH")
    assert found[0, :, -1].min() == 1


def test_unknown_kinds_and_too_few_bins_are_refused():
    with pytest.raises(UsageError) as error:
        known_histogram("LHC")
    assert error.value.params == ("histogram",)
    with pytest.raises(UsageError) as error:
        known_bins(1)
    assert (error.value.params, error.value.value) == (("bins",), 1)

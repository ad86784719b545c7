"""The likelihood of the answer's spans."""

import numpy as np
import pytest
import torch

from tests.reference.span_likelihood import likelihood
from textkin.base.errors import UsageError
from textkin.networks.losses.cross_entropy import cross_entropy
from textkin.networks.losses.span_likelihood import span_likelihood

pytestmark = pytest.mark.torch

PLACES = [[(0, 2), (3, 3)], [(1, 1)], [(4, 5), (0, 0), (2, 4)]]
LENGTHS = (4, 3, 6)


def made(places, seed):
    """Logits with padding, and the same as lists without it; spans as a tensor."""
    random = np.random.default_rng(seed)
    rows = [[random.normal(size=length).tolist() for length in LENGTHS] for _ in range(2)]
    padded = torch.full((2, 3, 6), float("-inf"), dtype=torch.float64)
    for side, row in np.ndindex(2, 3):
        padded[side, row, : LENGTHS[row]] = torch.tensor(rows[side][row])
    spans = torch.full((3, 3, 2), -1)
    for row, found in enumerate(places):
        for number, place in enumerate(found):
            spans[row, number] = torch.tensor(place)
    return rows, padded, spans


@pytest.mark.parametrize("with_none", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_loops(with_none, seed):
    places = [PLACES[0], [] if with_none else PLACES[1], PLACES[2]]
    rows, (start, end), spans = made(places, seed)
    none = np.random.default_rng(seed + 9).normal(size=(3, 2)) if with_none else None
    found = span_likelihood(start, end, None if none is None else torch.from_numpy(none), spans)
    expected = likelihood(*rows, None if none is None else none.tolist(), places)
    assert float(found) == pytest.approx(expected)
    total = span_likelihood(
        start, end, None if none is None else torch.from_numpy(none), spans, reduction="sum"
    )
    assert float(total) == pytest.approx(3 * expected)


def test_of_one_span_it_is_two_cross_entropies():
    _, (start, end), spans = made([places[:1] for places in PLACES], 0)
    both = cross_entropy(start, spans[:, 0, 0]) + cross_entropy(end, spans[:, 0, 1])
    assert float(span_likelihood(start, end, None, spans)) == pytest.approx(float(both))


def test_gradients_are_finite_beside_padding():
    _, padded, spans = made(PLACES, 1)
    padded.requires_grad_()
    span_likelihood(padded[0], padded[1], None, spans).backward()
    assert padded.grad.isfinite().all()
    assert (padded.grad[~padded.detach().isfinite()] == 0).all()


def test_a_row_without_spans_needs_a_logit_for_that():
    _, (start, end), spans = made([PLACES[0], [], PLACES[2]], 0)
    with pytest.raises(UsageError, match="a row has no span") as raised:
        span_likelihood(start, end, None, spans)
    assert "answers_none" in raised.value.fix

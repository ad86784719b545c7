"""Invariants of every loss on labelled pairs: a base for the test class of each."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from tests.networks.losses.making import pair_data, tensor
from textkin.base.errors import UsageError


class PairLossChecks:
    """The checks.

    Attributes:
        loss: takes distances or scores [B] and labels [B].
        oracle: the slow loops; None if a separate test compares.
        variants: options to compare loss and oracle with.
        lowest: of the values that are compared.
    """

    loss: Callable[..., torch.Tensor]
    oracle: Callable[..., float] | None = None
    variants: Sequence[dict[str, Any]] = ({},)
    lowest = -3.0

    @pytest.mark.parametrize("reduction", ["mean", "sum"])
    def test_equals_the_loops(self, reduction):
        for options in self.variants if self.oracle else ():
            for seed in range(8):
                values, labels = pair_data(seed, self.lowest, 2)
                expected = self.oracle(values.tolist(), labels.tolist(), reduction=reduction, **options)
                for given in (torch.from_numpy(labels), tensor(labels)):
                    found = self.loss(tensor(values), given, reduction=reduction, **options)
                    assert float(found) == pytest.approx(expected, abs=1e-12)

    def test_no_rows_contribute_nothing(self):
        assert float(self.loss(torch.zeros(0), torch.zeros(0))) == 0

    def test_gradients_are_right_and_order_does_not_matter(self):
        values = tensor([0.31, 0.12, 0.43, 0.27, 0.84, 0.05]).requires_grad_()
        labels = tensor([1, 0, 1, 0, 0, 1])
        assert torch.autograd.gradcheck(lambda given: self.loss(given, labels), values)
        order = torch.tensor([4, 2, 5, 0, 1, 3])
        shuffled = float(self.loss(values[order], labels[order]).detach())
        assert shuffled == pytest.approx(float(self.loss(values, labels).detach()))

    def test_gradients_are_finite_at_the_edges(self):
        values = torch.tensor([0.0, 0.0, 0.5, 0.5, 1e4, -1e4, 1.0, -1.0], requires_grad=True)
        labels = torch.tensor([1.0, 0, 1, 0, 1, 0, 1, 0])
        value = self.loss(values, labels)
        value.backward()
        assert value.isfinite()
        assert values.grad.isfinite().all()

    def test_columns_of_labels_do_not_broadcast(self):
        with pytest.raises(UsageError, match=r"labels \[3, 1\]; expected the same"):
            self.loss(torch.zeros(3), torch.zeros(3, 1))

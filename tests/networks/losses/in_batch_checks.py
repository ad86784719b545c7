"""Invariants of every loss on in-batch similarities: a base for the test class of each."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.networks.losses.making import tensor
from textkin.base.errors import UsageError
from textkin.networks.batches.negatives import allowed_negatives


class InBatchChecks:
    """The checks.

    Attributes:
        loss: takes similarities [R, C], allowed negatives [R, C] or None, and the first row's positive.
        oracle: the slow loops, which take lists.
        variants: options to try, each with a reduction.
    """

    loss: Callable[..., torch.Tensor]
    oracle: Callable[..., float]
    variants: Sequence[dict[str, Any]]

    def test_equals_the_loops(self):
        for options in self.variants:
            for seed in range(6):
                random = np.random.default_rng(seed)
                size = int(random.integers(1, 9))
                similarities = random.uniform(-1, 1, (size, size))
                if seed % 2:  # ties between negatives, and of negatives with the positive
                    similarities = similarities.round(1)
                for allowed in (None, random.random((size, size)) < 0.6, np.zeros((size, size), dtype=bool)):
                    self._equal(similarities, allowed, options)

    def test_hard_negatives_are_further_columns(self):
        random = np.random.default_rng(3)
        similarities, allowed = random.uniform(-1, 1, (5, 8)), random.random((5, 8)) < 0.7
        for options in self.variants:
            self._equal(similarities, None, options)
            self._equal(similarities, allowed, options)

    def _equal(self, similarities, allowed, options):
        mask = None if allowed is None else torch.from_numpy(allowed)
        expected = self.oracle(
            similarities.tolist(), None if allowed is None else allowed.tolist(), **options
        )
        assert float(self.loss(tensor(similarities), mask, **options)) == pytest.approx(expected, abs=1e-12)

    def test_some_rows_know_where_their_positives_are(self):
        similarities, allowed = torch.rand(5, 7, dtype=torch.float64), torch.rand(5, 7) < 0.7
        for options in self.variants:
            summed = {**options, "reduction": "sum"}
            parts = [
                self.loss(similarities[rows], allowed[rows], rows.start, **summed)
                for rows in (slice(0, 2), slice(2, 5))
            ]
            assert float(sum(parts)) == pytest.approx(float(self.loss(similarities, allowed, **summed)))

    def test_order_of_rows_does_not_matter(self):
        similarities = torch.rand(6, 6, dtype=torch.float64)
        allowed = torch.rand(6, 6) < 0.7
        order = torch.randperm(6)
        for options in self.variants:
            shuffled = self.loss(similarities[order][:, order], allowed[order][:, order], **options)
            assert float(shuffled) == pytest.approx(float(self.loss(similarities, allowed, **options)))

    def test_gradients_are_right(self):
        generator = torch.Generator().manual_seed(1)
        similarities = torch.rand(4, 4, dtype=torch.float64, generator=generator) * 2 - 1
        similarities.requires_grad_()
        allowed = torch.tensor([[0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]], dtype=torch.bool)
        for options in self.variants:

            def loss(values, options=options):
                return self.loss(values, allowed, **options)

            assert torch.autograd.gradcheck(loss, similarities)

    @pytest.mark.parametrize("size", [0, 1, 3])
    def test_without_negatives_nothing_is_lost_and_gradients_are_finite(self, size):
        for options in self.variants:
            similarities = torch.full((size, size), -1.0, requires_grad=True)
            value = self.loss(similarities, torch.zeros(size, size, dtype=torch.bool), **options)
            value.backward()
            assert float(value.detach()) == 0
            assert (similarities.grad == 0).all()

    @pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
    def test_gradients_are_finite_where_all_is_equal(self, value):
        for options in self.variants:
            similarities = torch.full((4, 4), value, requires_grad=True)
            self.loss(similarities, **options).backward()
            assert similarities.grad.isfinite().all()

    def test_texts_of_one_component_are_never_negatives(self):
        # Rows 0 and 2 are duplicates: their similarity neither changes the loss nor gets a gradient.
        components = np.array([5, 6, 5, 7])
        allowed = allowed_negatives(components, components)
        naive = allowed_negatives(components, components, naive=True)
        similarities = torch.rand(4, 4, dtype=torch.float64)
        for options in self.variants:
            twins = similarities.clone()
            twins[0, 2] = twins[2, 0] = 1.0
            twins.requires_grad_()
            value = self.loss(twins, allowed, **options)
            value.backward()
            expected = float(value.detach())
            assert expected == pytest.approx(float(self.loss(similarities, allowed, **options)))
            assert twins.grad[0, 2] == twins.grad[2, 0] == 0
            closest = {"closest": "row-max"} if "closest" in options else {}
            assert float(self.loss(twins.detach(), naive, **{**options, **closest})) != pytest.approx(
                expected
            )

    def test_shapes_are_checked(self):
        with pytest.raises(UsageError) as error:
            self.loss(torch.zeros(3, 2))
        assert error.value.value == {"similarities": [3, 2]}
        with pytest.raises(UsageError) as error:
            self.loss(torch.zeros(3, 4), None, 2)
        assert error.value.expected == "[R, C] with C >= 2 + R"
        with pytest.raises(UsageError) as error:
            self.loss(torch.zeros(3, 3), torch.zeros(3, dtype=torch.bool))
        assert error.value.value == {"similarities": [3, 3], "allowed": [3]}

    def test_a_positive_that_is_marked_as_allowed_is_no_negative(self):
        similarities = torch.rand(4, 4)
        everything = torch.ones(4, 4, dtype=torch.bool)
        assert float(self.loss(similarities, everything)) == float(self.loss(similarities))

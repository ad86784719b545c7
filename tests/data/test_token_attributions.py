import numpy as np
import pytest
from scipy.sparse import csr_array

from textkin.base.errors import UsageError
from textkin.data.token_attributions import Addends, TokenShares


def test_shares_sum_to_the_product_of_the_sums():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(2, 5))
    found = TokenShares.of(Addends(("x", "y", "z"), a), Addends(("u", "v"), b))
    assert found.score == pytest.approx(a.sum(axis=0) @ b.sum(axis=0))
    for row in range(3):
        for column in range(2):
            assert found.shares[row, column] == pytest.approx(a[row] @ b[column])
    assert found.of_first == pytest.approx(a @ b.sum(axis=0))
    assert found.of_second == pytest.approx(b @ a.sum(axis=0))
    sparse = TokenShares.of(Addends(found.first, csr_array(a)), Addends(found.second, csr_array(b)))
    assert sparse.shares == pytest.approx(found.shares)


def test_nothing_has_no_share():
    found = TokenShares.of(Addends((), np.empty((0, 4))), Addends(("u",), np.ones((1, 4))))
    assert (found.score, found.shares.shape) == (0.0, (0, 1))


def test_another_shape_is_refused():
    with pytest.raises(UsageError) as error:
        TokenShares(("a", "b"), ("c",), np.zeros((1, 1)))
    assert (error.value.params, error.value.value) == (("shares",), (1, 1))

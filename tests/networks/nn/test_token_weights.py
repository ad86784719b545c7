"""Inverse document frequencies of tokens."""

import numpy as np
import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.nn.token_weights import InverseDocumentFrequency

pytestmark = pytest.mark.torch


def test_frequencies_are_worth_nothing_at_padding():
    idf = InverseDocumentFrequency(size=4, pad_id=0)
    idf.set(np.array([9, 1, 2, 3], dtype=np.float32))
    assert idf(torch.tensor([[3, 1, 0]])).tolist() == [[3, 1, 0]]
    assert "values" in idf.state_dict()
    with pytest.raises(UsageError) as error:
        idf.set(np.ones(3, dtype=np.float32))
    assert (error.value.params, error.value.value) == (("frequencies",), [3])

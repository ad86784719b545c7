import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interop.tiny import tokenizer
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.token_windows import Limits, homes, limits_of, windows
from textkin.text.tokenizer_pipeline import TokenizerPipeline

SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]"}


@given(st.integers(1, 60), st.integers(1, 20))
def test_half_of_a_window_is_in_the_next(tokens, most):
    parts = windows(tokens, most)
    assert parts[0][0] == 0
    assert parts[-1][1] == tokens
    assert all(stop - start == min(tokens, most) for start, stop in parts)
    for one, other in itertools.pairwise(parts):
        assert 0 < other[0] - one[0] <= max(1, most // 2)


@given(st.integers(1, 40), st.integers(1, 12))
def test_a_span_belongs_to_the_window_in_whose_middle_it_stands_most(tokens, most):
    parts = windows(tokens, most)
    first, last = np.divmod(np.arange(tokens * tokens), tokens)
    found = homes(parts, first, last)
    for i, j, home in zip(first.tolist(), last.tolist(), found.tolist(), strict=True):
        whole = {n: min(i - start, stop - 1 - j) for n, (start, stop) in enumerate(parts)}
        whole = {n: margin for n, margin in whole.items() if margin >= 0 and i <= j}
        if i <= j:
            assert home == (max(whole, key=lambda n: (whole[n], -n)) if whole else -1)
    single = found[first == last]
    assert set(single.tolist()) == set(range(len(parts)))


@pytest.mark.parametrize("max_length", [None, 12])
def test_each_text_has_the_limit_for_itself_unless_they_share_a_sequence(max_length):
    made = TokenizerPipeline(tokenizer("bert").to_str(), max_length=max_length, special_tokens=SPECIAL)
    most = None if max_length is None else 10
    assert limits_of(made) == Limits(most, most)
    assert limits_of(PairPipeline(made)) == (Limits(None, None) if most is None else Limits(2, 6))

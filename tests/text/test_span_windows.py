"""Windows over the tokens of a passage."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.making_tokenizers import wordpiece
from textkin.base.errors import ConfigError
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import WordPipeline
from textkin.text.span_windows import SpanLimits, homes, limits_of, locating, windows
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import Oov, build_vocabulary


@given(st.integers(0, 3_000), st.integers(1, 400))
def test_windows_cover_all_and_every_short_span_is_whole_in_one(tokens, most):
    found = windows(tokens, most)
    assert found[0][0] == 0 and found[-1][1] == tokens
    assert all(stop - start == min(most, tokens) for start, stop in found)
    longest = max(1, most // 2) if len(found) > 1 else tokens
    for (_, stop), (start, _) in pairwise(found):
        assert stop - start >= longest - 1
    assert len(found) <= 2 + 2 * tokens // max(1, most - 1)


def test_without_a_limit_there_is_one_window():
    assert windows(9_000, None) == [(0, 9_000)]


def test_what_reads_any_number_of_tokens_reads_a_book_in_windows():
    limits = limits_of(WordPipeline(build_vocabulary([["mill"]], oov=Oov.HASH, buckets=1)))
    assert limits.question is None
    assert len(windows(limits.passage, limits.passage)) == 1
    assert max(stop - start for start, stop in windows(100_000, limits.passage)) == 4_096


def test_a_question_and_a_window_share_the_sequence_of_a_transformer():
    def pair(most):
        return PairPipeline(TokenizerPipeline(wordpiece("mill"), max_length=most, special_tokens={}))

    most = pair(400).max_tokens
    assert limits_of(pair(400)) == SpanLimits(64, most - 64)
    assert limits_of(pair(20)) == SpanLimits(
        pair(20).max_tokens // 4, pair(20).max_tokens - pair(20).max_tokens // 4
    )
    assert limits_of(TokenizerPipeline(wordpiece("mill"), max_length=50)) == SpanLimits(None, 50)
    assert limits_of(TokenizerPipeline(wordpiece("mill"))) == SpanLimits(None, 4_096)


def test_a_transformer_reads_no_more_of_a_question_than_of_a_window():
    made = TokenizerPipeline(wordpiece("mill"), max_length=50, special_tokens={})
    assert limits_of(made) == SpanLimits(made.max_tokens, made.max_tokens)


def test_a_pipeline_without_places_is_refused():
    assert locating(TokenizerPipeline(wordpiece("mill")))
    with pytest.raises(ConfigError, match="stop-words"):
        locating(StopWordPipeline(["mill"]))


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

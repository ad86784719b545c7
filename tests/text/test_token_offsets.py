"""Tokens with their offsets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.making_tokenizers import wordpiece
from textkin.base.errors import UsageError
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import WordPipeline
from textkin.text.token_offsets import Located, places_of
from textkin.text.token_spelling import TokenSpelling, Units
from textkin.text.tokenisers import TOKENISERS
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import Oov, Order, build_vocabulary

TEXT = "The Mill (built 1911)  stands; ﬁne wood, naïve doors."


def words(oov=Oov.UNK, **options):
    vocabulary = build_vocabulary(
        [["the", "mill", "built", "1911", "stands"]], order=Order.FREQUENCY, oov=oov
    )
    return WordPipeline(vocabulary, **options)


def found_in(text, located):
    return [text[start:end] for start, end in located.offsets.tolist()]


def test_words_stand_where_they_stood_before_they_were_normalised():
    pipeline = words()
    (located,) = pipeline.located([TEXT])
    assert found_in(TEXT, located) == [
        *("The", "Mill", "(", "built", "1911", ")", "stands", ";"),
        *("ﬁne", "wood", ",", "naïve", "doors", "."),
    ]
    assert located.ids.tolist() == pipeline.ids([TEXT])[0].tolist()


def test_words_that_are_dropped_have_no_place():
    (located,) = words(oov=Oov.DROP).located([TEXT])
    assert found_in(TEXT, located) == ["The", "Mill", "built", "1911", "stands"]


def test_units_stand_beside_the_ids():
    pipeline = words(spelling=TokenSpelling(Units("characters"), rows=64, most=5, lengths=(3, 3)))
    located = pipeline.located([TEXT, ""])
    assert located[0].ids.tolist() == pipeline.ids([TEXT])[0].tolist()
    assert located[1].ids.shape == (0, 6) and located[1].offsets.shape == (0, 2)


def test_nothing_is_cut():
    assert len(words(max_length=2).located([TEXT])[0]) == 14


@pytest.mark.parametrize("options", [{"tokenise": "keras"}, {"ngrams": (3, 4), "ngram_buckets": 10}])
def test_what_leaves_no_way_back_is_refused(options):
    with pytest.raises(UsageError, match="no way back"):
        words(**options).located(["The MILL's"])


def test_a_tokenizers_pieces_stand_in_the_untouched_text():
    text = "  Miller  mill"
    whole = TokenizerPipeline(wordpiece("mill", "##er"), drop_unknown=False)
    (located,) = whole.located([text])
    assert found_in(text, located) == ["Mill", "er", "mill"]
    assert PairPipeline(whole).located([text])[0].offsets.tolist() == located.offsets.tolist()


def test_unknown_tokens_are_dropped_where_ids_leave_them_out():
    text = "mill zz mill"
    kept, dropped = (TokenizerPipeline(wordpiece("mill"), drop_unknown=one) for one in (False, True))
    assert found_in(text, kept.located([text])[0]) == ["mill", "zz", "mill"]
    (located,) = dropped.located([text])
    assert found_in(text, located) == ["mill", "mill"]
    assert located.ids.tolist() == dropped.ids([text])[0].tolist()


def test_the_tokens_of_a_span_are_those_that_it_touches():
    (located,) = words().located(["the old mill"])
    assert located.tokens_of(0, 3) == (0, 0)
    assert located.tokens_of(5, 9) == (1, 2)  # parts of words count
    assert located.tokens_of(3, 4) is None  # a blank
    assert located.tokens_of(0, 12) == (0, 2)
    assert Located(np.empty(0, np.int32), np.empty((0, 2), np.int64)).tokens_of(0, 1) is None


@given(st.text(max_size=60), st.sampled_from(["words", "whitespace", "treebank"]))
def test_tokens_are_found_again_in_any_text(text, name):
    tokens = TOKENISERS[name](text)
    places = places_of(tokens, text)
    assert places is not None
    assert [text[start:end] for start, end in places.tolist()] == tokens


def test_what_was_not_cut_from_a_text_is_not_found_in_it():
    assert places_of(["mill", "The"], "The mill") is None

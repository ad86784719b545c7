import numpy as np
import pytest

from tests.models.interop import tiny, tiny_pairs
from textkin.data.protocols import Side
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import WordPipeline
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.token_texts import located_tokens, named_tokens
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate
from textkin.text.vocabulary import build_vocabulary

pytestmark = pytest.mark.torch

WORDS = build_vocabulary([["how", "do", "i", "reset", "it"]])
SPECIAL = {"pad_token": "[PAD]"}


def both(pipeline, text):
    """The named tokens, whose ids must be those of the pipeline."""
    found = named_tokens(pipeline, text)
    assert np.array_equal(found.ids, pipeline.ids([text])[0])
    assert len(found) == len(found.ids)
    return found.texts


@pytest.mark.parametrize(
    ("truncate", "kept"), [(Truncate.HEAD, ("How", "do", "YOU")), (Truncate.TAIL, ("YOU", "reset", "it"))]
)
def test_words_stand_as_in_the_text_and_are_cut_as_the_network_reads_them(truncate, kept):
    assert both(WordPipeline(WORDS), "How do YOU reset it") == ("How", "do", "YOU", "reset", "it")
    assert both(WordPipeline(WORDS, max_length=3, truncate=truncate), "How do YOU reset it") == kept
    assert both(WordPipeline(WORDS), "") == ()


def test_ngrams_have_the_number_of_their_row():
    pipeline = WordPipeline(WORDS, ngrams=(3, 3), ngram_buckets=5)
    found = both(pipeline, "How reset")
    assert found[0] == "how" and found[1].startswith("#")


def test_pieces_have_special_tokens_around_them_by_name():
    definition = tiny_pairs.tokenizer("bert").to_str()
    text = tiny.TEXTS[0]
    whole = both(TokenizerPipeline(definition, special_tokens=SPECIAL), text)
    assert (whole[0], whole[-1]) == ("[CLS]", "[SEP]")
    assert "".join(whole[1:-1]).lower() == "".join(text.lower().split())
    cut = both(TokenizerPipeline(definition, special_tokens=SPECIAL, max_length=5), text)
    assert cut == (*whole[:4], "[SEP]")
    assert both(TokenizerPipeline(definition, drop_unknown=False), text) == whole[1:-1]
    pairs = PairPipeline(TokenizerPipeline(definition, special_tokens=SPECIAL))
    assert both(pairs, text) == whole[1:-1]


def test_with_a_prompt_tokens_have_their_own_names():
    definition = tiny_pairs.tokenizer("bert").to_str()
    prompts = {Side.TEXT: "how "}
    found = both(TokenizerPipeline(definition, special_tokens=SPECIAL, prompts=prompts), "my password")
    assert found[0] == "[CLS]" and len(found) > 4


def test_words_of_old_models_are_those_of_the_vocabulary():
    assert both(StopWordPipeline(["reset", "how", "i"], stop_words=["i"]), "How i reset") == ("how", "reset")


def test_a_part_of_located_tokens():
    (found,) = WordPipeline(WORDS).located(["How do I reset it"])
    part = located_tokens(found, "How do I reset it").part(slice(1, 3))
    assert part.texts == ("do", "I")
    assert np.array_equal(part.ids, found.ids[1:3])

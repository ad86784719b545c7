import json

import pytest
from tokenizers import Tokenizer

from tests.models.interop.tiny import tokenizer
from textkin.base.errors import DataError, UsageError
from textkin.text.distilled_tokens import distilled_tokens, read_frequencies, read_words
from textkin.text.tokenizer_pipeline import TokenizerPipeline

pytestmark = pytest.mark.torch

TEXTS = ["How do I reset my password?", "Ünïcode, 漢字 and WORDS", "the lazy dog refunds", "zebras [unused1]"]


def pipeline(family: str = "bert") -> TokenizerPipeline:
    definition = json.loads(tokenizer(family).to_str())
    if family == "bert":
        vocabulary = definition["model"]["vocab"]
        for token in ("[unused1]", "[unused77]"):
            vocabulary[token] = len(vocabulary)
    return TokenizerPipeline(json.dumps(definition), drop_unknown=False)


def test_special_and_unused_tokens_go_and_texts_are_cut_as_before():
    teacher = pipeline()
    found = distilled_tokens(teacher)
    gone = set(teacher.tokens) - set(found.tokens)
    assert gone == {"[PAD]", "[CLS]", "[SEP]", "[MASK]", "[unused1]", "[unused77]"}
    assert found.pieces[found.tokens.index("[UNK]")] == ()
    made = Tokenizer.from_str(found.tokenizer)
    whole = Tokenizer.from_str(teacher.definition)
    for text in TEXTS:
        assert made.encode(text).tokens == whole.encode(text, add_special_tokens=False).tokens
    for token, pieces in zip(found.tokens, found.pieces, strict=True):
        assert made.id_to_token(made.token_to_id(token)) == token
        assert token == "[UNK]" or [teacher.tokens[piece] for piece in pieces] == [token]


def test_words_stand_on_top_of_tokens():
    teacher = pipeline()
    words = ["passwords", "two words", "the", "don't", "passwords", "Zebras"]
    found = distilled_tokens(teacher, words)
    assert found.tokens[-2:] == ("passwords", "Zebras")
    assert (found.words, found.left_out) == (2, 4)
    spelt = [teacher.tokens[piece] for piece in found.pieces[-2]]
    assert len(spelt) > 1 and "".join(part.removeprefix("##") for part in spelt) == "passwords"
    assert Tokenizer.from_str(found.tokenizer).encode("passwords the").tokens == [
        "passwords",
        *(teacher.tokens[row] for row in teacher.ids(["the"])[0]),
    ]


def test_tokens_that_others_are_built_of_stay():
    teacher = pipeline("roberta")
    found = distilled_tokens(teacher)
    assert tuple(found.tokens) == teacher.tokens
    empty = {token for token, pieces in zip(found.tokens, found.pieces, strict=True) if not pieces}
    assert empty == {"<pad>", "<unk>", "<s>", "</s>", "<mask>"}
    with pytest.raises(UsageError, match="BPE"):
        distilled_tokens(teacher, ["word"])


def test_files_of_words_and_frequencies(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("one\n\n two \none\n")
    assert read_words(path) == ["one", "two"]
    path.write_text("\n")
    with pytest.raises(DataError) as error:
        read_words(path)
    assert str(error.value.path).endswith("words.txt")
    path.write_text("the\t12\n##s\t3.5\n")
    assert read_frequencies(path) == {"the": 12, "##s": 3.5}
    for broken in ("the\n", "the\t0\n", "the\tmany\n", "\t3\n", "the\tnan\n"):
        path.write_text("a\t1\n" + broken)
        with pytest.raises(DataError) as error:
            read_frequencies(path)
        assert error.value.line == 2
    with pytest.raises(DataError) as error:
        read_words(tmp_path / "none.txt")
    assert str(error.value.path).endswith("none.txt")

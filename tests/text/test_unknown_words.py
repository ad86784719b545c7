"""Texts tokenised piece by piece, against the same texts as a whole, token by token."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textkin.base.hub import DEFAULT, located
from textkin.text import unknown_words as between_blanks
from textkin.text.static_embeddings import load_static
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.unknown_tokens import Unknown, unknown_of
from textkin.text.unknown_words import BetweenBlanks

_LETTERS = st.sampled_from(
    [*"aé1-.β≥ж超क़\u0301\u0378\ue000", "\u00ad", "\u200b", "\u200d", "\u00a0", "\u2003", "\u0085", "\x1c"]
    + ["\t", "\n", "\x00", "\U0001f494", "\U0001f3f4\U000e0067\U000e007f", "tgf", "[UNK]", "[SEP]", "x" * 101]
    + [" "] * 8
)
_TEXTS = st.lists(st.lists(_LETTERS, max_size=14).map("".join), max_size=5)


@pytest.fixture(scope="module")
def box() -> TokenizerPipeline:
    return load_static(located(DEFAULT)).pipeline


@given(texts=_TEXTS)
def test_texts_are_read_as_if_whole(box, texts) -> None:
    reads = box._pieces.read(texts)
    assert len(reads) == len(texts)
    for text, read in zip(texts, reads, strict=True):
        spans = box._spans(text)
        assert read.known.tolist() == [span.known for span in spans]
        assert read.unknown == unknown_of(text, spans)


@pytest.fixture(scope="module")
def shortened(box) -> dict[int, TokenizerPipeline]:
    return {most: box.shortened(most) for most in range(1, 7)}


@pytest.mark.slow
@given(texts=_TEXTS, most=st.integers(1, 6))
@example(texts=["\u0301\u093cβ", "a\u0301≥", "βa\u0301", "β\u0301\u093c"], most=1)
def test_texts_that_are_cut_are_read_to_the_cut(shortened, texts, most: int) -> None:
    short = shortened[most]
    _, found = short.read_flat(texts)
    for place, text in enumerate(texts):
        expected = unknown_to_the_cut(short, text, most)
        if expected is not None:  # which is looked up again in a composed form
            expected = unknown_to_the_cut(short, short._again(text), most)
        assert found.get(place) == expected


def unknown_to_the_cut(short: TokenizerPipeline, text: str, most: int) -> Unknown | None:
    spans = short._spans(text)
    return unknown_of(text, spans[:most], whole=len(spans) <= most)


def test_each_piece_is_looked_at_once(box, monkeypatch) -> None:
    asked: list[str] = []

    def spans(text: str):
        asked.append(text)
        return box._spans(text)

    pieces = BetweenBlanks(box._words.ids, box._unknown_id, spans)
    first = pieces.read(["the βж and the βж", "a plain text"])
    assert asked == ["βж"]
    assert pieces.read(["the βж and the βж"])[0].unknown == first[0].unknown
    assert asked == ["βж"]
    assert first[1].unknown is None and first[1].known.all()
    monkeypatch.setattr(between_blanks, "_MOST", 1)
    pieces.read(["жβ", "βж"])
    assert asked == ["βж", "жβ", "βж"]


@pytest.mark.slow
def test_a_special_token_with_a_blank_is_no_piece(box) -> None:
    parts = json.loads(box.definition)
    parts["added_tokens"].append({**parts["added_tokens"][0], "id": box.token_count, "content": "[A B]"})
    pipeline = TokenizerPipeline(json.dumps(parts))
    flat, unknown = pipeline.read_flat(["x [A B] \U0001f494"])
    assert box.token_count in flat.ids and unknown[0].parts == ("\U0001f494",)
    assert unknown[0].tokens == 3 and np.array_equal(flat.lengths, [2])

"""Texts of invented words and codes, which a vocabulary splits into small pieces."""

import hashlib
import random
import string

import pytest

import textkin as tk
from textkin.data import samples
from textkin.text.fragmented_words import may_be_in_pieces

RANDOM = random.Random(0)
COMMON = samples.path("inbox.txt").read_text().split()


def letters():
    return "".join(RANDOM.choices(string.ascii_lowercase, k=RANDOM.randint(4, 9)))


def syllables():
    return "".join(RANDOM.choice("bdfgklmnprstvz") + RANDOM.choice("aeiou") for _ in range(3))


def code():
    return f"{''.join(RANDOM.choices(string.ascii_uppercase, k=2))}-{RANDOM.randint(1000, 99999)}-X"


def digest():
    return hashlib.md5(RANDOM.randbytes(8)).hexdigest()


def log_line():
    address = f"10.0.{RANDOM.randint(0, 255)}.{RANDOM.randint(0, 255)}"
    return f"{address} GET /{digest()[:8]} {RANDOM.randint(100, 999)}ms"


@pytest.mark.slow
@pytest.mark.parametrize("made", [letters, syllables, code, digest, log_line])
def test_texts_of_made_up_words_stay_though_their_vectors_agree(made):
    base = RANDOM.choices(COMMON, k=700)
    texts = [" ".join(RANDOM.sample([*base, *(made() for _ in range(2000))], 2700)) for _ in range(6)]
    found = tk.dedupe(texts, guards=())
    assert found.kept.tolist() == [0, 1, 2, 3, 4, 5] and found.withheld_texts == 6
    vectors = tk.load_encoder().encode(texts)
    assert (vectors @ vectors.T).min() > 0.97
    assert len(tk.mine(texts, threshold=0.9)) == 0


def slowly(tokenizer, text):
    """The tokens of words in small pieces, and of all, by the tokenizer's own word indices."""
    read = tokenizer.encode(text, add_special_tokens=False)
    words = {}
    for token, number in zip(read.tokens, read.word_ids, strict=True):
        words.setdefault(number, []).append(token.removeprefix("##"))
    odd = 0
    for pieces in words.values():
        has_digit = any(one.isdigit() for one in "".join(pieces))
        small = len(pieces) >= 3 and len("".join(pieces)) <= 2 * len(pieces)
        odd += len(pieces) if small or (has_digit and len(pieces) > 1) else 0
    return odd, len(read.tokens)


@pytest.mark.slow
def test_counts_are_those_of_the_tokenizer():
    pipeline = tk.load_encoder().pipeline
    made = (letters, syllables, code, digest, log_line, lambda: RANDOM.choice(COMMON))
    texts = [" ".join(RANDOM.choice(made)() for _ in range(RANDOM.randint(1, 60))) for _ in range(200)]
    texts += [
        " ".join([*RANDOM.choices(COMMON, k=share), *(digest() for _ in range(4))])
        for share in range(0, 600, 20)
    ]
    unknown = pipeline.unknown(texts)
    for place, text in enumerate(texts):
        odd, tokens = slowly(pipeline._tokenizer, text)
        expected = odd >= 16 and odd >= 0.2 * tokens and may_be_in_pieces(text)
        assert (place in unknown) is expected, text
        if expected:
            assert (sum(unknown[place].sizes), unknown[place].tokens) == (odd, tokens)
    assert 100 < len(unknown) < len(texts) - 10


def test_ordinary_texts_are_known():
    texts = samples.path("inbox.txt").read_text().splitlines()
    long = [" ".join(texts[place : place + 20]) for place in range(0, 160, 20)]
    assert tk.load_encoder().unknown([*texts, *long]) == {}
    assert (
        tk.load_encoder().unknown(["Where is my order 4711-2234-XZ?", "https://www.example.com/a/b?id=12345"])
        == {}
    )


def test_what_is_known_in_pieces_is_told(capsys):
    text = " ".join(digest() for _ in range(5))
    tk.dedupe([text, "a text"])
    assert "doesn't know 20 % or more of the tokens of 1 of 2 texts" in capsys.readouterr().err

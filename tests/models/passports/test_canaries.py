"""The canaries show any change of a model."""

import re

from textkin.models.passports.canaries import bundled_canaries

TEXTS = bundled_canaries().texts


def test_there_are_64_different_ones():
    assert len(set(TEXTS)) == len(TEXTS) == 64
    assert bundled_canaries().version == 1


def test_what_they_have_of_everything():
    assert len({text.lower().rstrip("?!") for text in TEXTS}) < len({text.rstrip("?!") for text in TEXTS})
    bags = [tuple(sorted(re.findall(r"\w+", text.lower()))) for text in TEXTS[:60]]
    assert len(set(bags)) <= 56  # some differ in the order of words, or in punctuation
    assert sum(bool(re.search(r"\d", text)) for text in TEXTS) >= 8
    assert sum(bool(re.search(r"\b(not|never|doesn't|can't)\b", text)) for text in TEXTS) >= 5
    scripts = (
        "[а-я]",
        "[α-ω]",
        "[א-ת]",
        "[ء-ي]",
        "[ऀ-ॿ]",
        "[一-鿿]",
        "[ぁ-ヿ]",
        "[가-힣]",
        "[ก-๙]",
        "[àéïöüß]",
    )
    assert all(any(re.search(script, text) for text in TEXTS) for script in scripts)
    words = sorted(len(text.split()) for text in TEXTS)
    assert words[0] == 1 and words[-1] > 1_000 and sum(60 < count < 1_000 for count in words) >= 3


def test_pairs_are_of_neighbours_and_of_strangers():
    pairs = bundled_canaries().pairs
    assert len(set(pairs)) == 64 and [a for a, _ in pairs] == list(TEXTS)
    assert all(a != b for a, b in pairs)
    assert pairs[1] == (TEXTS[1], TEXTS[2]) and pairs[2] == (TEXTS[2], TEXTS[9])
    assert pairs[63] == (TEXTS[63], TEXTS[0])

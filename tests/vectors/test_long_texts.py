import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.long_texts import best_way
from textkin.data.protocols import Side
from textkin.vectors.long_texts import LongTexts, Windows, encoder_input, rescored


class Words:
    """An encoder with a limit of four words, which counts their letters."""

    name, dim, max_tokens, reads_pairs = "words", 26, 4, False

    def lengths(self, texts, *, side=Side.DOCUMENT):
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def encode(self, texts, *, side=Side.DOCUMENT):
        return np.array([[t.count(chr(97 + k)) for k in range(26)] for t in texts], dtype=np.float32)

    def score(self, pairs):
        raise NotImplementedError


TEXTS = ["a b", "a b. c d. e f", "a b c d", "a b. c d. e g"]


def test_long_texts_are_found():
    found = encoder_input(TEXTS, Words(), LongTexts.WITHHOLD)
    assert found.unread.tolist() == [False, True, False, True] and found.texts == TEXTS
    assert (found.account.cut, found.account.texts, found.account.longest) == (2, 4, 6)
    assert not encoder_input(TEXTS, Words(), LongTexts.ACCEPT).unread.any()
    assert encoder_input(TEXTS, Words(), LongTexts.ACCEPT).account == found.account


def test_they_are_read_in_windows():
    found = encoder_input(["a b. c d. e f. g h", "a"], Words(), LongTexts.WINDOWS)
    windows = [found.texts[0], *found.further]
    assert windows[0].startswith("a b.") and windows[-1].endswith("g h")
    assert found.starts.tolist() == [0, len(found.further), len(found.further)]
    assert not found.unread.any() and found.account.windows == len(found.further) > 0
    assert "were read in windows" in found.account.sentence()


def test_what_windows_can_t_hold_stays_unread():
    class Bytes(Words):
        max_tokens = 1

        def lengths(self, texts, *, side=Side.DOCUMENT):
            return np.array([2 * len(text) for text in texts])

    assert encoder_input(["ab", ""], Bytes(), LongTexts.WINDOWS).unread.tolist() == [True, False]


def made(counts, seed=0, dim=3):
    rng = np.random.default_rng(seed)
    further = rng.normal(size=(sum(counts), dim)).astype(np.float32)
    ends = np.cumsum(counts)
    return Windows(rng.normal(size=(len(counts), dim)).astype(np.float32), further, ends - counts, ends)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.integers(0, 99), st.integers(1, 200))
def test_scores_are_those_of_the_best_way(counts, seed, cells):
    windows = made(np.array(counts), seed)
    a, b = (places.ravel() for places in np.indices((len(counts), len(counts))))
    rows = [
        [windows.first[text].tolist(), *windows.further[windows.starts[text] : windows.ends[text]].tolist()]
        for text in range(len(counts))
    ]
    several = np.array(counts) > 0
    alone = np.array(
        [best_way(rows[x][:1], rows[y][:1]) for x, y in zip(a, b, strict=True)], dtype=np.float32
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textkin.vectors.long_texts._CELLS", cells)
        found = rescored(alone, windows, windows, a, b)
    expected = [best_way(rows[x], rows[y]) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    untouched = ~(several[a] | several[b])
    assert (found[untouched] == alone[untouched]).all()


def test_two_sets_of_texts_may_be_paired():
    one, other = made(np.array([1, 0]), 1), Windows.single(made(np.array([0, 0, 0]), 2).first)
    found = rescored(np.array([0.5, 0.5], dtype=np.float32), one, other, np.array([0, 1]), np.array([2, 1]))
    rows = [one.first[0].tolist(), one.further[0].tolist()]
    np.testing.assert_allclose(found, [best_way(rows, [other.first[2].tolist()]), 0.5], atol=1e-6)
    plain = np.array([0.25], dtype=np.float32)
    assert rescored(plain, other, other, np.array([0]), np.array([1])) is plain


def test_a_window_of_zeros_pairs_with_nothing():
    windows = made(np.array([1, 1]))
    windows.further[1] = 0
    scores = np.ones(1, dtype=np.float32)
    assert rescored(scores, windows, windows, np.array([0]), np.array([1]))[0] <= 0
    some = windows.of(np.array([1]))
    assert some.first.shape == (1, 3) and some.starts.tolist() == [1]


def test_whole_readers_get_windows_of_a_fixed_size(monkeypatch):
    class Whole(Words):
        max_tokens = None

    monkeypatch.setattr("textkin.vectors.long_texts.WINDOW", 4)
    assert not encoder_input(TEXTS, Whole(), LongTexts.WITHHOLD).unread.any()
    found = encoder_input(TEXTS, Whole(), LongTexts.WINDOWS)
    assert np.diff(found.starts).astype(bool).tolist() == [False, True, False, True]
    assert (found.account.limit, found.account.cut, found.account.texts) == (None, 0, 4)
    assert found.account.sentence() == ""

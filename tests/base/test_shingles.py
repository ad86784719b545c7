import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import MissingExtraError
from textkin.base.shingles import PERMUTATIONS, Unit, jaccard, min_hashes, shingle_list, shingles


def test_runs_of_four_letters():
    assert shingle_list("abcabcab") == ["abca", "bcab", "cabc", "abca", "bcab"]
    assert shingles("abcabcab") == {"abca", "bcab", "cabc"}


def test_runs_of_two_words():
    assert shingle_list("is it, or is it not?", Unit.WORDS) == ["is it", "it or", "or is", "is it", "it not"]


@pytest.mark.parametrize("unit", Unit)
def test_a_short_text_is_its_own_only_shingle(unit):
    for text in ("", "a", "?!", "ça"):
        assert shingle_list(text, unit) == [text]
    assert shingles("no.", unit) == ({"no."} if unit is Unit.LETTERS else {"no"})


@given(st.text(alphabet="ab ,", max_size=12), st.sampled_from(Unit))
def test_every_run_is_there_once_for_each_place(text, unit):
    units, size, blank = (
        (list(text), 4, "") if unit is Unit.LETTERS else (text.replace(",", " ").split(), 2, " ")
    )
    if len(units) >= size:
        expected = [blank.join(units[place : place + size]) for place in range(len(units) - size + 1)]
        assert shingle_list(text, unit) == expected


def test_jaccard():
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset("a"), frozenset("b")) == 0
    assert jaccard(frozenset("a"), frozenset("a")) == 1


def test_min_hashes_agree_in_the_share_of_their_sets():
    agreed = []
    for start in range(0, 3000, 100):
        sets = ({str(number) for number in range(low, low + 60)} for low in (start, start + 20))
        one, other = min_hashes(sets)
        agreed.append(np.mean(one.hashvalues == other.hashvalues))
    expected, deviation = 40 / 80, np.sqrt(0.25 / PERMUTATIONS / len(agreed))
    assert abs(np.mean(agreed) - expected) < 4 * deviation


def test_without_datasketch(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(MissingExtraError):
        min_hashes([{"a"}])

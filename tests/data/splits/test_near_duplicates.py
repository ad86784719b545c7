import random
import sys
from itertools import combinations

import pytest

from textkin.base.errors import MissingExtraError, UsageError
from textkin.base.shingles import Unit, shingles
from textkin.data.splits.near_duplicates import near_identical


def _slow(keys, similarity, unit=Unit.LETTERS):
    sets = [shingles(key, unit) for key in keys]
    return [
        (i, j)
        for i, j in combinations(range(len(keys)), 2)
        if len(sets[i] & sets[j]) / len(sets[i] | sets[j]) >= similarity
    ]


def _keys():
    generator = random.Random(5)
    base = ["".join(generator.choices("abcdefgh", k=40)) for _ in range(40)]
    return base + [key[:-1] + "z" for key in base[:20]] + [key[:20] + "zzzz" + key[24:] for key in base[:20]]


def test_equals_comparing_everything_with_everything():
    keys = _keys()
    for similarity in (0.7, 0.9, 1.0):
        assert near_identical(keys, similarity, quiet=True) == _slow(keys, similarity)
    assert len(_slow(keys, 0.9)) == 20


def test_a_pair_that_shares_just_so_much_is_found():
    keys = _keys()
    sets = [shingles(key, Unit.LETTERS) for key in keys]
    shared = len(sets[0] & sets[40]) / len(sets[0] | sets[40])
    assert (0, 40) in near_identical(keys, shared, quiet=True)
    assert (0, 40) not in near_identical(keys, shared + 1e-9, quiet=True)


def test_words_equal_comparing_everything_with_everything():
    generator = random.Random(5)
    base = [generator.choices("abcdefghijklmnopqrstuvwxyz", k=20) for _ in range(40)]
    # One word at the end is one of 19 shingles, one in the middle two.
    changed = [[*words[:-1], "other"] for words in base[:20]] + [
        [*words[:9], "other", *words[10:]] for words in base
    ]
    keys = [" ".join(words) for words in base + changed] + ["other", "other!", "word"]
    for similarity in (0.7, 0.88):
        found = near_identical(keys, similarity, unit=Unit.WORDS, quiet=True)
        wanted = _slow(keys, similarity, Unit.WORDS)
        assert found == wanted
    assert len(wanted) == 21
    assert (len(keys) - 3, len(keys) - 2) in found


def test_the_order_of_the_keys_changes_nothing():
    keys = _keys()
    mixed = random.Random(1).sample(keys, len(keys))
    names = {frozenset((keys[i], keys[j])) for i, j in near_identical(keys, 0.6, quiet=True)}
    assert names == {frozenset((mixed[i], mixed[j])) for i, j in near_identical(mixed, 0.6, quiet=True)}


@pytest.mark.parametrize("similarity", [0.0, -1.0, 1.1, float("nan")])
def test_similarity_out_of_range(similarity):
    with pytest.raises(UsageError) as error:
        near_identical(["a", "b"], similarity)
    assert error.value.params == ("near",)


def test_without_datasketch(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(MissingExtraError):
        near_identical(["a", "b"], 0.8)

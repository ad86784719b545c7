from dataclasses import replace

import numpy as np
import pytest

from tests.data.splits.making import binary
from textkin.base.errors import LeakError, UsageError
from textkin.data.splits.leak_proof import Disjointness, Overlap, leaks, prove_disjoint
from textkin.data.splits.partition import CutRule, Split, partition


def _named(name, *rows, ids=None):
    return replace(binary(*rows, ids=ids), name=name)


def test_leaks_count_texts_keys_pairs_and_ids():
    train = _named("train", ("a", "b", 1.0), ("c", "d", 0.0), ids=[("1", "2"), ("3", "4")])
    test = _named("test", ("B?", "A!", 1.0), ("c", "e", 0.0), ids=[("7", "8"), ("3", "9")])
    other = _named("other", ("x", "y", 1.0))
    report = leaks(train, test, other)
    assert report.overlaps == (
        Overlap("train", "test", texts=1, keys=3, pairs=1, ids=1, examples=("a", "b", "c")),
        Overlap("train", "other", texts=0, keys=0, pairs=0, ids=0, examples=()),
        Overlap("test", "other", texts=0, keys=0, pairs=0, ids=0, examples=()),
    )
    assert any(one.keys for one in report.overlaps)
    assert not any(one.keys for one in leaks(train, other).overlaps)


def test_a_leak_check_needs_two_sets():
    with pytest.raises(UsageError) as error:
        leaks(binary(("a", "b", 1.0)))
    assert error.value.params == ("sets",)


def _data():
    return binary(
        *((f"a{i}", f"b{i}", float(i % 2)) for i in range(20)),
        ids=[(f"{i}", f"{i + 100}") for i in range(20)],
    )


def test_a_split_is_proved():
    data = _data()
    assert prove_disjoint(data, partition(data)) == Disjointness(texts=0, keys=0, ids=0, components=0)


def test_a_shared_text_is_found():
    data = _data()
    split = partition(data)
    leaked = replace(split, test=np.append(split.test, split.train[0]))
    with pytest.raises(LeakError):
        prove_disjoint(data, leaked)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda pair, other: replace(pair, a=other.a.upper() + "!"), "0 texts, 1 keys"),
        (lambda pair, other: replace(pair, id_a=other.id_a), "0 texts, 0 keys, 1 ids"),
    ],
)
def test_a_shared_key_or_id_is_found(change, expected):
    data = _data()
    split = partition(data)
    pairs = list(data.pairs)
    pairs[split.test[0]] = change(pairs[split.test[0]], pairs[split.train[0]])
    with pytest.raises(LeakError, match=expected):
        prove_disjoint(replace(data, pairs=tuple(pairs)), split)


def test_dropped_pairs_say_as_well_whether_the_columns_share_their_ids():
    rows = [("a", "b", 1.0), ("c", "d", 1.0), ("e", "e", 1.0), ("g", "h", 0.0), ("i", "j", 0.0)]
    ids = [("1", "2"), ("3", "1"), ("5", "5"), ("7", "8"), ("9", "7")]
    sides = (np.array([place]) for place in range(3))
    split = Split(*sides, np.array([3, 4]), np.array([0, 1, 2, -1, -1]), CutRule.CUT, 2)
    assert prove_disjoint(binary(*rows, ids=ids), split).ids == 0


def test_a_shared_component_is_found():
    data = _data()
    split = partition(data)
    components = split.components.copy()
    components[split.test[0]] = components[split.dev[0]]
    with pytest.raises(LeakError):
        prove_disjoint(data, replace(split, components=components))

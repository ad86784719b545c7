import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.splits.making import binary, pair_sets
from tests.reference import graph as reference
from textkin.base.errors import DataError, UsageError
from textkin.base.text_equality import key_of
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.leak_proof import prove_disjoint
from textkin.data.splits.partition import CutRule, KeptTogether, Shares, _strata, partition

_RULES = st.sampled_from(list(CutRule))


def _side_of_each(split, count):
    sides = ["dropped"] * count
    for name, rows in split.sides.items():
        for row in rows.tolist():
            sides[row] = name
    return sides


def _try(data, **options):
    try:
        return partition(data, **options)
    except DataError as error:
        assert "too few groups" in str(error)
        return None


def _scattered(pairs=300, seed=0, texts=20000):
    """Mostly unconnected pairs, a third of them positive."""
    generator = random.Random(seed)
    return binary(
        *(
            (f"t{generator.randrange(texts)}", f"t{generator.randrange(texts)}", float(row % 3 == 0))
            for row in range(pairs)
        )
    )


def _giant(pairs=900):
    """Clusters of positives joined into one component by a ring of negatives."""
    rows = []
    for cluster in range(pairs // 3):
        rows += [(f"c{cluster} first", f"c{cluster} second", 1.0)] * 2
        rows += [(f"c{cluster} first", f"c{(cluster + 1) % (pairs // 3)} second", 0.0)]
    return binary(*rows)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(pair_sets(), _RULES, st.integers(-5, 5))
def test_every_pair_is_on_one_side_or_dropped_and_sides_share_nothing(data, rule, seed):
    split = _try(data, rule=rule, seed=seed)
    if split is None:
        return
    rows = np.concatenate([split.train, split.dev, split.test, split.dropped])
    assert sorted(rows.tolist()) == list(range(len(data)))
    assert all(len(side) for side in split.sides.values())
    keys = {
        name: {key_of(text) for row in side.tolist() for text in data.texts[row]}
        for name, side in split.sides.items()
    }
    assert not (keys["train"] & keys["dev"] | keys["train"] & keys["test"] | keys["dev"] & keys["test"])
    assert all(data.pairs[row].label == 0 for row in split.dropped.tolist())
    if split.rule is CutRule.WHOLE:
        assert not len(split.dropped)
    prove_disjoint(data, split)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(pair_sets(), _RULES, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(data, rule, generator):
    order = list(range(len(data)))
    generator.shuffle(order)
    split, mixed = _try(data, rule=rule), _try(data.select(order), rule=rule)
    if split is None or mixed is None:
        assert split is mixed
        return
    sides = _side_of_each(split, len(data))
    assert _side_of_each(mixed, len(data)) == [sides[row] for row in order]
    assert mixed.components.tolist() == [split.components[row] for row in order]
    assert (mixed.rule, mixed.largest) == (split.rule, split.largest)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(pair_sets(), _RULES)
def test_components_equal_walking_over_the_kept_pairs(data, rule):
    split = _try(data, rule=rule)
    if split is None:
        return
    kept = [row for row in range(len(data)) if row not in set(split.dropped.tolist())]
    edges = [tuple(map(key_of, data.texts[row])) for row in kept]
    walked = reference.components({key for edge in edges for key in edge}, edges)
    named = {
        frozenset(key for row in rows for key in map(key_of, data.texts[row]))
        for rows in reference.groups(kept, split.components[kept].tolist())
    }
    assert named == walked
    assert split.components[split.dropped].tolist() == [-1] * len(split.dropped)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(pair_sets())
def test_a_mirrored_pair_goes_along(data):
    mirrored = PairSet(
        data.pairs + tuple(Pair(pair.b, pair.a, pair.label) for pair in data), data.kind, name=data.name
    )
    split = _try(mirrored)
    if split is not None:
        sides = _side_of_each(split, len(mirrored))
        assert sides[: len(data)] == sides[len(data) :]


@pytest.mark.slow
def test_shares_and_labels_are_met_closely():
    data = _scattered(2000)
    for shares in (Shares(), Shares(0.8, 0.1, 0.1), Shares(0.2, 0.3, 0.5)):
        split = partition(data, shares=shares)
        for rows, wanted in zip(split.sides.values(), shares.values, strict=True):
            assert len(rows) / len(data) == pytest.approx(wanted, abs=0.002)
            assert data.labels[rows].mean() == pytest.approx(data.labels.mean(), abs=0.005)


def test_graded_labels_and_classes_are_spread_too():
    generator = random.Random(3)
    graded = PairSet(
        tuple(Pair(f"a{i}", f"b{i}", generator.betavariate(1, 3) * 5) for i in range(1000)), LabelKind.GRADED
    )
    split = partition(graded)
    means = [graded.labels[rows].mean() for rows in split.sides.values()]
    assert max(means) - min(means) < 0.1
    classes = PairSet(
        tuple(Pair(f"a{i}", f"b{i}", float(i % 10 == 0) + (i % 3)) for i in range(1000)),
        LabelKind.CLASSES,
        ("x", "y", "z", "rare"),
    )
    split = partition(classes)
    for rows in split.sides.values():
        got, all_of_them = Counter(classes.labels[rows]), Counter(classes.labels)
        for value, count in all_of_them.items():
            assert got[value] == pytest.approx(count * len(rows) / len(classes), abs=2)


def test_grades_are_spread_by_fifths_and_missing_ones_apart():
    labels = [None, *map(float, range(10)), None]
    data = PairSet(tuple(Pair(f"a{i}", f"b{i}", label) for i, label in enumerate(labels)), LabelKind.GRADED)
    assert _strata(data).tolist() == [5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]


def test_unlabelled_pairs_split():
    data = PairSet(tuple(Pair(f"a{i}", f"b{i}") for i in range(100)), LabelKind.NONE)
    assert [len(rows) for rows in partition(data).sides.values()] == [70, 15, 15]


def test_another_seed_gives_another_split():
    data = _scattered()
    splits = {tuple(partition(data, seed=seed).test.tolist()) for seed in range(5)}
    assert len(splits) == 5
    assert partition(data, seed=3).test.tolist() == partition(data, seed=3).test.tolist()


def test_components_of_every_size_are_spread():
    rows = [
        (f"g{group}", f"g{group} v{i}", float(group % 2))
        for group in range(120)
        for i in range(1 + group % 10)
    ]
    data = binary(*rows)
    split = partition(data)
    means = [len(side) / len(np.unique(split.components[side])) for side in split.sides.values()]
    assert max(means) / min(means) < 1.35


def test_a_heavy_component_goes_to_the_largest_side():
    data = binary(
        *(("hub", f"spoke {i}", 0.0) for i in range(60)), *((f"x{i}", f"y{i}", 0.0) for i in range(140))
    )
    split = partition(data, rule="whole")
    assert set(range(60)) <= set(split.train.tolist())
    assert split.largest == 60


def test_no_component_rules_a_small_side():
    hubs = [(f"hub {hub}", f"spoke {hub} {i}", 0.0) for hub in range(3) for i in range(20)]
    data = binary(*hubs, *((f"x{i}", f"y{i}", 0.0) for i in range(140)))
    split = partition(data)
    assert [len(rows) for rows in split.sides.values()] == [140, 30, 30]
    assert set(range(60)) <= set(split.train.tolist())


def test_a_giant_is_cut_and_few_pairs_are_dropped():
    data = _giant()
    with pytest.raises(DataError, match="too few groups"):
        partition(data, rule=CutRule.WHOLE)
    split = partition(data)
    assert split.rule is CutRule.CUT
    assert 0 < len(split.dropped) < 0.03 * len(data)
    for rows, wanted in zip(split.sides.values(), Shares().values, strict=True):
        assert len(rows) == pytest.approx(wanted * len(data), rel=0.1)
    assert prove_disjoint(data, split).texts == 0


def test_whole_is_kept_where_it_gives_the_shares():
    data = PairSet(_scattered().pairs + _giant(90).pairs, LabelKind.BINARY)
    split = partition(data)
    assert split.largest == 90 > 0.15 * len(data)
    assert split.rule is CutRule.WHOLE
    assert partition(data, rule=CutRule.CUT).rule is CutRule.CUT


def test_positives_are_never_cut():
    chain = binary(
        *((f"c{i}", f"c{i + 1}", 1.0) for i in range(50)), *((f"x{i}", f"y{i}", 0.0) for i in range(20))
    )
    split = partition(chain, rule=CutRule.CUT)
    assert not len(split.dropped)
    assert len(set(split.components[:50].tolist())) == 1


def test_near_identical_texts_stay_together():
    texts = [
        f"how do I return the {thing} I bought last week"
        for thing in ("table", "lamp", "chair", "desk", "sofa")
    ]
    rows = [(text + end, f"{number} {end}", 0.0) for number, text in enumerate(texts) for end in ("", "s")]
    data = binary(*rows)
    split = partition(data, together=KeptTogether(similarity=0.9))
    sides = _side_of_each(split, len(data))
    assert sides[0::2] == sides[1::2]


def test_small_sets_fill_all_sides():
    split = partition(binary(("a", "b", 1.0), ("c", "d", 0.0), ("e", "f", 1.0)))
    assert [len(rows) for rows in split.sides.values()] == [1, 1, 1]


@pytest.mark.parametrize("rows", [[], [("a", "b", 1.0)], [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)]])
def test_what_cannot_be_split(rows):
    with pytest.raises(DataError):
        partition(binary(*rows))


@pytest.mark.parametrize(
    "shares", [(0.7, 0.2, 0.2), (1.0, 0.0, 0.0), (1.2, -0.1, -0.1), (float("nan"), 0.5, 0.5)]
)
def test_shares_must_make_sense(shares):
    with pytest.raises(UsageError) as error:
        Shares(*shares)
    assert error.value.params == ("shares",)


def test_texts_that_differ_in_superscripts_alone_do_not_tie_by_their_rows():
    rows = [(f"area {number}{sign} m", f"text {number}{sign}", 1.0) for number in range(30) for sign in "²2"]
    data = binary(*rows)
    turned = binary(*reversed(rows))
    sides = [
        {name: {rows_[row][0] for row in found.tolist()} for name, found in partition(one).sides.items()}
        for one, rows_ in ((data, rows), (turned, rows[::-1]))
    ]
    assert sides[0] == sides[1]
    assert sum(map(len, sides[0].values())) == 60


def test_groups_of_one_size_fill_sides_by_hash_where_they_are_too_few():
    rows = [("a", "b", 1.0), ("c", "d", 0.0)]
    found = set()
    for seed in range(9):
        one, other = (
            partition(binary(*some), seed=seed, may_be_empty=True).train.tolist()
            for some in (rows, rows[::-1])
        )
        assert rows[one[0]] == rows[::-1][other[0]]
        found.add(one[0])
    assert found == {0, 1}

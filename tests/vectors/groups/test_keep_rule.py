import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.vectors.groups.keep_rule import KeepRule, Lengths, preferred
from textkin.vectors.groups.linkage import Edges

TEXTS, TIES = Lengths.of(["bb", "a", "bb", "ccc"]), np.array([2, 0, 1, 3])  # ids 4, 3, 2, 1
EDGES = Edges(np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.8], dtype=np.float32))


@pytest.mark.parametrize(
    ("keep", "order"),
    [(KeepRule.LONGEST, [3, 2, 0, 1]), (KeepRule.FIRST, [0, 1, 2, 3]), (KeepRule.CENTRAL, [1, 0, 2, 3])],
)
def test_order_of_preference(keep, order):
    assert np.argsort(preferred(keep, TEXTS, TIES, edges=EDGES).rank).tolist() == order


@pytest.mark.parametrize(
    ("keep", "kept", "gone", "words"),
    [
        (KeepRule.LONGEST, 3, 1, "longest: 3 characters against 1 character"),
        (KeepRule.LONGEST, 2, 0, "longest: both 2 characters; it is first by text, then by id"),
        (KeepRule.FIRST, 0, 2, "first: place 1 against place 3"),
        (KeepRule.CENTRAL, 1, 0, "central: 1.700 in all against 0.900 in all"),
        (KeepRule.HIGHEST, 2, 1, "highest: 5 against no number"),
    ],
)
def test_reasons(keep, kept, gone, words):
    values = np.array([1.0, np.nan, 5.0, 1.0])
    assert preferred(keep, TEXTS, TIES, edges=EDGES, values=values).reason(kept, gone) == words


def test_values_of_a_column():
    values = np.array([1.0, np.nan, 5.0, 1.0])
    rank = preferred(KeepRule.HIGHEST, TEXTS, TIES, edges=EDGES, values=values).rank
    assert np.argsort(rank).tolist() == [2, 0, 3, 1]
    for wrong in (None, values[:2]):
        with pytest.raises(UsageError) as error:
            preferred(KeepRule.HIGHEST, TEXTS, TIES, edges=EDGES, values=wrong)
        assert error.value.params == ("values",)


@pytest.mark.parametrize("keep", [KeepRule.LONGEST, KeepRule.CENTRAL])
def test_the_order_of_the_rows_does_not_count(keep):
    order = np.array([2, 0, 3, 1])
    place = np.argsort(order)
    moved = Edges(place[EDGES.a], place[EDGES.b], EDGES.score)
    again = preferred(keep, Lengths(TEXTS.seen[order], TEXTS.padding[order]), TIES[order], edges=moved)
    assert (again.rank == preferred(keep, TEXTS, TIES, edges=EDGES).rank[order]).all()


def test_a_clean_copy_is_preferred_to_a_padded_one():
    lengths = Lengths.of(
        ["\u5bc6\u200b\u7801", "\u5bc6\u7801", " \u5bc6\u7801\u00ad ", "Zoe\u0301", "Zo\u00e9"]
    )
    assert lengths.seen.tolist() == [2, 2, 2, 3, 3]
    found = preferred(KeepRule.LONGEST, lengths, np.array([0, 1, 2, 3, 4]), edges=EDGES)
    assert np.argsort(found.rank).tolist() == [4, 3, 1, 0, 2]
    assert "nobody sees" in found.reason(1, 0)

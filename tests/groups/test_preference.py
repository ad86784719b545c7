import numpy as np
import pytest

from textkin.errors import UsageError
from textkin.groups.linkage import Edges
from textkin.groups.preference import Keep, ranks

TEXTS, IDS = ["bb", "a", "bb", "ccc"], ["4", "3", "2", "1"]
EDGES = Edges(np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.8], dtype=np.float32))


@pytest.mark.parametrize(
    ("keep", "order"),
    [(Keep.LONGEST, [3, 2, 0, 1]), (Keep.FIRST, [0, 1, 2, 3]), (Keep.CENTRAL, [1, 0, 2, 3])],
)
def test_order_of_preference(keep, order):
    assert np.argsort(ranks(keep, TEXTS, IDS, edges=EDGES)).tolist() == order


def test_values_of_a_column():
    values = np.array([1.0, np.nan, 5.0, 1.0])
    assert np.argsort(ranks(Keep.HIGHEST, TEXTS, IDS, edges=EDGES, values=values)).tolist() == [2, 0, 3, 1]
    for wrong in (None, values[:2]):
        with pytest.raises(UsageError, match="column"):
            ranks(Keep.HIGHEST, TEXTS, IDS, edges=EDGES, values=wrong)


@pytest.mark.parametrize("keep", [Keep.LONGEST, Keep.CENTRAL])
def test_the_order_of_the_rows_does_not_count(keep):
    order = np.array([2, 0, 3, 1])
    place = np.argsort(order)
    moved = Edges(place[EDGES.a], place[EDGES.b], EDGES.score)
    again = ranks(keep, [TEXTS[i] for i in order], [IDS[i] for i in order], edges=moved)
    assert (again == ranks(keep, TEXTS, IDS, edges=EDGES)[order]).all()

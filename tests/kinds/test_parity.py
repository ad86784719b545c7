import numpy as np
import pytest

from textkin.kinds.parity import pairs_of, parity_of_classes, parity_of_scores, parity_of_vectors


def ranks_by_hand(scores, others, depth):
    """The largest rank change among the best, and the fraction of rows that kept them."""
    moved, same = 0, 0
    for row, other in zip(scores, others, strict=True):
        before = sorted(range(len(row)), key=lambda place: (-row[place], place))
        after = sorted(range(len(row)), key=lambda place: (-other[place], place))
        steps = [abs(after.index(place) - rank) for rank, place in enumerate(before[:depth])]
        moved, same = max(moved, *steps), same + (max(steps) == 0)
    return moved, same / len(scores)


def cosine(a, b):
    return float(a @ b / (a @ a) ** 0.5 / (b @ b) ** 0.5)


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("count", [2, 7, 40])
def test_vectors_are_compared_by_the_definition(count, noise):
    draw = np.random.default_rng(count)
    a = draw.normal(size=(count, 6)).astype(np.float32)
    b = (a * 3 + noise * draw.normal(size=a.shape)).astype(np.float32)
    found = parity_of_vectors(a, b)
    wide, near = a.astype(float), b.astype(float)
    cosines = [cosine(x, y) for x, y in zip(wide, near, strict=True)]
    assert (found.measure, found.count) == ("cosine", count)
    assert (found.mean, found.worst) == pytest.approx((np.mean(cosines), min(cosines)), abs=1e-6)
    tables = [
        [[-9 if i == j else cosine(x, y) for j, y in enumerate(one)] for i, x in enumerate(one)]
        for one in (wide, near)
    ]
    assert (found.rank_change, found.same) == ranks_by_hand(*tables, min(10, count - 1))


def test_zero_vectors_are_like_themselves_alone():
    a = np.eye(3, dtype=np.float32)
    a[2] = 0
    assert parity_of_vectors(a, a).worst == 1
    b = a.copy()
    b[2, 0] = 1
    assert parity_of_vectors(a, b).worst == parity_of_vectors(b, a).worst == 0


def test_scores_are_compared_by_the_definition():
    draw = np.random.default_rng(1)
    a = draw.normal(size=(20, 10)).astype(np.float32)
    b = a + draw.normal(size=a.shape).astype(np.float32) / 20
    found = parity_of_scores(a, b)
    assert (found.measure, found.count) == ("difference", 200)
    assert (found.mean, found.worst) == pytest.approx((abs(a - b).mean(), abs(a - b).max()), rel=1e-5)
    assert (found.rank_change, found.same) == ranks_by_hand(a, b, 10)


def test_classes():
    a = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.5, 0.5]], dtype=np.float32)
    b = np.array([[0.8, 0.2], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]], dtype=np.float32)
    found = parity_of_classes(a, b)
    assert (found.count, found.rank_change, found.same) == (4, None, 0.75)
    assert (found.mean, found.worst) == pytest.approx((0.075, 0.2))


def test_pairs_of_a_sample():
    assert pairs_of(["a", "b", "c"], count=2) == [
        *(("a", "b"), ("a", "c")),
        *(("b", "c"), ("b", "a")),
        *(("c", "a"), ("c", "b")),
    ]
    assert pairs_of(["a", "b"]) == [("a", "b"), ("b", "a")]

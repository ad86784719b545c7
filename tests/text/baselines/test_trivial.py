import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from textkin.data.protocols import Scorer
from textkin.text.baselines.trivial import Constant, Random, SourceOrder

PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=3)))


def test_constant():
    assert Constant().score([("a", "b")] * 3).tolist() == [0, 0, 0]
    assert Constant().score([]).dtype == np.float32


def test_order_counts_down_within_a_run_of_equal_queries():
    pairs = [("q", "x"), ("q", "y"), ("q", "z"), ("r", "x"), ("q", "x"), ("q", "x")]
    assert SourceOrder().score(pairs).tolist() == [0, -1, -2, 0, 0, -1]
    assert SourceOrder().score([]).tolist() == []


@given(PAIRS)
def test_random_depends_on_the_texts_and_the_seed_alone(pairs):
    scores = Random(seed=7).score(pairs)
    assert scores.tolist() == [float(Random(seed=7).score([pair])[0]) for pair in pairs]
    assert ((scores >= 0) & (scores < 1)).all()


def test_random_is_uniform_and_tells_pairs_apart():
    scores = Random().score([(str(i), str(j)) for i in range(50) for j in range(50)])
    assert len(set(scores.tolist())) > 2490
    np.testing.assert_allclose(np.histogram(scores, bins=5, range=(0, 1))[0], 500, atol=100)
    assert Random().score([("ab", "c")]) != Random().score([("a", "bc")])
    assert Random().score([("ab", "c")]) != Random(seed=1).score([("ab", "c")])


def test_all_are_scorers():
    assert all(isinstance(scorer, Scorer) for scorer in (Constant(), Random(), SourceOrder()))

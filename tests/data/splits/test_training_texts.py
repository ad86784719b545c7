"""The training texts and pairs of a model."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson

from textkin.base.errors import ModelError
from textkin.data.splits.training_texts import Seen, SeenShare

TEXT = st.text(max_size=8)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=12)


@given(PAIRS, st.randoms(use_true_random=False))
def test_what_was_learnt_from_is_always_found(pairs, random):
    turned = [(b, a) if random.random() < 0.5 else (a, b) for a, b in pairs]
    random.shuffle(turned)
    assert Seen.of(pairs).share(turned) == SeenShare(len(pairs), len(pairs), len(pairs))


def test_what_is_counted():
    seen = Seen.of([("How do I reset it?", "Reset my password"), ("one", "two"), ("three", "four")])
    found = seen.share(
        [
            ("reset my password!", "how do i reset it"),  # the same pair, turned and spelt otherwise
            ("one", "four"),  # two known texts that were no pair
            ("one", "another"),
            ("another", "four"),
            ("nothing", "known"),
        ]
    )
    assert found == SeenShare(5, 1, 4)


def test_other_texts_are_hardly_ever_taken_for_learnt():
    seen = Seen.of([(f"text {i}", f"question {i}") for i in range(2000)])
    found = seen.share([(f"other {i}", f"words {i}") for i in range(2000)])
    assert found.learnt + found.sharing <= 1


def test_a_text_is_no_pair_and_a_pair_no_text():
    assert Seen.of([("ab", "ab")]).share([("ab", "cd")]) == SeenShare(1, 0, 1)
    assert len(Seen.of([("ab", "ab")]).hashes) == 2


def test_a_pair_of_which_a_text_is_unknown_was_not_learnt():
    pair = Seen(np.setdiff1d(Seen.of([("ab", "cd")]).hashes, Seen.of([("cd", "cd")]).hashes))
    assert pair.share([("ab", "cd")]) == SeenShare(1, 0, 1)


@pytest.mark.parametrize(
    ("learnt", "by_chance", "may"),
    [(1, 0.2, True), (1, 0.005, False), (3, 0.2, False), (3, 1.5, True), (1, 0.0, False), (500, 0.2, False)],
)
def test_few_pairs_may_be_found_by_chance(learnt, by_chance, may):
    assert SeenShare(5000, learnt, 5000, by_chance).may_be_chance is may
    assert (float(poisson.sf(learnt - 1, by_chance)) >= 0.01) is may


def test_what_chance_finds_grows_with_hashes_and_pairs():
    seen = Seen.of([(f"text {i}", f"question {i}") for i in range(2000)])
    found = seen.share([(f"text {i}", f"question {i + 1}") for i in range(1999)])
    assert found.by_chance == pytest.approx(1999 * 6000 / 2**32, rel=0.01)


def test_one_model_after_another():
    both = Seen.of([("a", "b")]) | Seen.of([("c", "d"), ("a", "b")])
    assert both.share([("a", "b"), ("d", "c"), ("a", "c")]) == SeenShare(3, 2, 3)
    assert len(both.hashes) == 6


def test_saved_and_loaded(tmp_path: Path):
    seen = Seen.of([("a", "b"), ("c", "\ud800")])
    seen.save(tmp_path / "seen.npy")
    assert Seen.load(tmp_path / "seen.npy").hashes.tolist() == seen.hashes.tolist()


@pytest.mark.parametrize(
    "content", [b"", b"no numpy file", np.zeros(3), np.zeros((2, 2), dtype=np.uint32), np.array("x")]
)
def test_another_file_is_refused(tmp_path: Path, content):
    path = tmp_path / "seen.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content)
    with pytest.raises(ModelError) as error:
        Seen.load(path)
    assert str(error.value.path).endswith("seen.npy")

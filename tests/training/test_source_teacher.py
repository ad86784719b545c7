"""A teacher of translations."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes

from textkin.training.source_teacher import SourceTeacher, placed_beside

pytestmark = pytest.mark.torch


class Known:
    def __init__(self, width, seed):
        self.width, self.seed = width, seed

    def encode(self, texts):
        draws = [np.random.default_rng([self.seed, *map(ord, text)]) for text in texts]
        return np.stack([one.normal(size=self.width) for one in draws]).astype(np.float32)


def test_translations_have_the_vectors_of_their_sources():
    teacher = Known(4, seed=0)
    pairs = [("yes", "ja"), ("yeah", "ja"), ("no", "nein"), ("ok", "ok")]
    found = SourceTeacher(teacher, pairs, student=Known(4, seed=1)).encode(["ja", "yes", "nein", "no", "ok"])
    yes, yeah, no, ok = teacher.encode(["yes", "yeah", "no", "ok"])
    np.testing.assert_allclose(found, [(yes + yeah) / 2, yes, no, no, ok], rtol=1e-6)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_source_has_its_own_vector_in_any_order_of_the_pairs(turn):
    teacher = Known(4, seed=0)
    pairs = [("ok", "ok"), ("all right", "ok"), ("all right", "gut"), ("gut", "bon")][::turn]
    found = SourceTeacher(teacher, pairs, student=Known(4, seed=1)).encode(["ok", "gut", "bon", "all right"])
    np.testing.assert_array_equal(found, teacher.encode(["ok", "gut", "gut", "all right"]))


@pytest.mark.parametrize("width", [3, 8])
def test_vectors_of_another_width_keep_their_cosines_and_turn_to_the_student(width):
    texts = [f"t{number}" for number in range(60)]
    plain = Known(3, seed=0).encode(texts)
    own = Known(5, seed=1).encode(texts)
    given = plain @ np.random.default_rng(5).normal(size=(3, width)).astype(np.float32)
    found = placed_beside(given, own)
    np.testing.assert_allclose(found @ found.T, given @ given.T, atol=1e-3)  # they have three directions
    turned = found @ orthogonal_procrustes(found, own)[0]
    assert np.linalg.norm(found - own) <= np.linalg.norm(turned - own) + 1e-3  # nothing is left to turn

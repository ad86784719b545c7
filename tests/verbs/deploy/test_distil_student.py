"""Students that learn from translations."""

import numpy as np
import pytest

import textkin as tk
from tests.models.interop.tiny import write_bare
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.data.readers.translations import Translation
from textkin.verbs.deploy.translation_retrieval import find_translations

pytestmark = pytest.mark.torch

WORDS = ["ice", "fire", "sun", "moon", "tree", "bird", "stone", "river", "bread", "wine"]
PAIRS = [
    (f"the {one} and the {other}", f"das {one[::-1]} und das {other[::-1]}")
    for one in WORDS
    for other in WORDS
    if one != other
]


class Table:
    name, dim = "table", 3

    def __init__(self, vectors):
        self.vectors = vectors

    def encode(self, texts):
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def test_translations_found_both_ways_by_a_plain_loop():
    draws = np.random.default_rng(0)
    pairs = [Translation(f"s{n % 35}", f"t{n}", "de" if n < 30 else "fr") for n in range(40)]
    pairs += [Translation(f"s{n % 6}", f"t{n % 9}", "nl") for n in range(18)]  # several of one text
    vectors = {text: draws.normal(size=3) for one in pairs for text in one[:2]}
    vectors |= {one.translation: vectors[one.source] + draws.normal(size=3) / 3 for one in pairs}

    def cosine(a, b):
        a, b = vectors[a], vectors[b]
        return a @ b / np.sqrt((a @ a) * (b @ b))

    for found in find_translations(Table(vectors), pairs):
        own = [one for one in pairs if one.language == found.language]
        for way, figure in ((0, found.to), (1, found.back)):
            others = sorted({one[1 - way] for one in own})
            best = [max(others, key=lambda text: cosine(one[way], text)) for one in own]
            right = [
                text in {two[1 - way] for two in own if two[way] == one[way]}
                for text, one in zip(best, own, strict=True)
            ]
            assert figure[0] == pytest.approx(np.mean(right))
            assert 0 <= figure[1] <= figure[0] <= figure[2] <= 1
        assert found.pairs == len(own)


def test_texts_with_equal_vectors_are_not_found():
    pairs = [Translation("a", "x"), Translation("b", "y")]
    (found,) = find_translations(Table({text: [1.0, 0, 0] for text in "abxy"}), pairs)
    assert found.to[0] == found.back[0] == 0


@pytest.mark.torch
@pytest.mark.slow
def test_a_student_learns_the_vectors_of_the_sources(tmp_path):
    teacher = write_bare(tmp_path / "teacher")
    made = tk.distil(teacher, parallel=PAIRS, student="default", out=tmp_path / "out", epochs=20)
    before, after = made.before[0], made.after[0]
    assert before.pairs == after.pairs == made.teacher[0].pairs == 9
    assert made.run.evaluations[-1].loss < 0.5 * made.run.evaluations[0].loss
    student = tk.load_encoder(made.model)
    sources, others = zip(*PAIRS, strict=True)
    near = np.vecdot(student.encode(others), student.encode(sources))
    assert near.mean() > np.vecdot(*map(tk.load_encoder().encode, (others, sources))).mean() + 0.2
    again = tk.distil(teacher, parallel=PAIRS, student="default", out=tmp_path / "out", epochs=20)
    assert again.run.seconds == made.run.seconds  # it was finished


@pytest.mark.torch
def test_what_does_not_fit_is_refused(tmp_path):
    out = tmp_path / "out"
    for options, params in (
        ({"dim": 3}, ("dim",)),
        ({"texts": "a.txt", "ngrams": 0}, ("texts", "ngrams")),
        ({"epochs": 0}, ("epochs",)),
    ):
        with pytest.raises(UsageError) as error:
            tk.distil("minilm", parallel=PAIRS, out=out, **options)
        assert error.value.params == params
    with pytest.raises(UsageError) as error:
        tk.distil("minilm", student="default", out=out)
    assert error.value.params == ("student",)
    with pytest.raises(DataError):
        tk.distil("minilm", parallel=PAIRS[:5], out=out)
    with pytest.raises(ModelError):
        tk.distil("minilm", parallel=PAIRS, student="tfidf", out=out)
    assert not out.exists()

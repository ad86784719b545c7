"""Students that learn from translations."""

import numpy as np
import pytest

import textkin as tk
from tests.models.interop.tiny import write_bare
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.data.readers.translations import Translation
from textkin.verbs.deploy.distil_student import _sides
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
        own = {one[:2] for one in pairs if one.language == found.language}
        sides = [sorted({one[way] for one in own}) for way in (0, 1)]
        for way, figure in ((0, found.to), (1, found.back)):
            right = []
            for text in sides[way]:
                best = max(sides[1 - way], key=lambda other: cosine(text, other))
                right.append(((text, best) if way == 0 else (best, text)) in own)
            assert figure[0] == pytest.approx(np.mean(right))
            assert 0 <= figure[1] <= figure[0] <= figure[2] <= 1
        assert (found.pairs, found.sources, found.translations) == (len(own), *map(len, sides))


def test_each_text_counts_once_in_what_is_found():
    draws = np.random.default_rng(1)
    pairs = [Translation(f"s{n}", f"t{n}") for n in range(12)]
    pairs += [Translation(f"button {n}", "OK") for n in range(8)]  # one translation of eight sources
    pairs += [Translation("s0", f"other {n}") for n in range(5)]  # six translations of one source
    vectors = {text: draws.normal(size=3) for one in pairs for text in one[:2]}
    vectors |= {one.translation: vectors[one.source] + draws.normal(size=3) / 3 for one in pairs[:12]}
    encoder = Table(vectors)
    (found,) = find_translations(encoder, pairs)
    assert (found.pairs, found.sources, found.translations) == (25, 20, 18)
    assert (found.to[0] * 20) % 1 == pytest.approx(0)
    assert (found.back[0] * 18) % 1 == pytest.approx(0)
    assert list(find_translations(encoder, pairs * 25)) == [found]
    assert list(find_translations(encoder, pairs + pairs[:3] * 9)) == [found]


def _made(count, *, start=0):
    return [Translation(f"s{n}", f"t{n}", "de") for n in range(start, start + count)]


def test_every_translation_is_on_a_side_or_counted():
    data = _made(100) + [Translation(f"button {n}", "OK", "de") for n in range(40)]
    sides = _sides([*data, *data[:7]], None, 0)
    on_sides = {*sides.learnt, *sides.chosen, *sides.measured}
    assert len(on_sides) == sum(map(len, (sides.learnt, sides.chosen, sides.measured)))
    assert (sides.left_out, sides.repeated) == (len(set(data) - on_sides), 7)
    texts = [{text for one in side for text in one[:2]} for side in (sides.learnt, sides.chosen)]
    assert texts[0].isdisjoint(texts[1])
    assert sides.left_out >= 20, "most buttons share their text with those that are measured on"


def test_translations_that_share_a_text_with_dev_are_counted():
    dev = [one[:2] for one in (*_made(20, start=90), *_made(5, start=90))]
    sides = _sides(_made(100), dev, 0)
    assert (len(sides.learnt) + len(sides.chosen), len(sides.measured)) == (90, 20)
    assert (sides.left_out, sides.repeated) == (10, 5)


def test_texts_with_equal_vectors_are_not_found():
    pairs = [Translation("a", "x"), Translation("b", "y")]
    (found,) = find_translations(Table({text: [1.0, 0, 0] for text in "abxy"}), pairs)
    assert found.to[0] == found.back[0] == 0


@pytest.mark.torch
@pytest.mark.slow
def test_a_student_learns_the_vectors_of_the_sources(tmp_path):
    teacher = write_bare(tmp_path / "teacher")
    given = [*PAIRS, *PAIRS[:4]]
    made = tk.distil(teacher, parallel=given, student="default", out=tmp_path / "out", epochs=20)
    counts = {"learnt": 72, "chosen": 9, "measured": 9, "left_out": 0, "repeated": 4}
    assert made.as_dict() == {"rows": made.rows(), "model": made.model, **counts}
    assert tk.open_result(made.save(tmp_path / "made")).as_dict() == made.as_dict()
    before, after = made.before[0], made.after[0]
    assert before.pairs == after.pairs == made.teacher[0].pairs == 9
    assert made.run.evaluations[-1].loss < 0.5 * made.run.evaluations[0].loss
    student = tk.load_encoder(made.model)
    sources, others = zip(*PAIRS, strict=True)
    near = np.vecdot(student.encode(others), student.encode(sources))
    assert near.mean() > np.vecdot(*map(tk.load_encoder().encode, (others, sources))).mean() + 0.2
    again = tk.distil(teacher, parallel=given, student="default", out=tmp_path / "out", epochs=20)
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

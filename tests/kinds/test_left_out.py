"""Baselines that can't be measured are skipped, and the run continues."""

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.kinds.measuring import Options
from textkin.verbs.evaluate.agree import agree
from textkin.verbs.evaluate.comparison import compared

# No pair shares a word, for any analysis.
GRADED = [(f"aa{n}", f"bb{n}", n % 5) for n in range(12)]


def test_a_constant_baseline_is_left_out_with_a_note():
    found = compared(GRADED, models=["tfidf-char"], options=Options(baselines=("bm25", "random")))
    assert {row.name for row in found.systems.rows} == {"tfidf-char", "random"}
    assert found.reference == "random"
    assert any(note.startswith("bm25 gives every pair the same score") for note in found.notes)


def test_what_the_user_compares_with_is_an_error():
    with pytest.raises(DataError, match="bm25 gives every pair the same score"):
        compared(GRADED, models=["tfidf-char"], options=Options(reference="bm25"))
    with pytest.raises(DataError, match="no system can be measured"):
        compared(GRADED, models=["bm25"], options=Options(baselines=()))


def test_texts_without_words_leave_the_baselines_of_words_out():
    pairs = [("😀", "😁" if n % 3 else "😀", int(n % 3 == 0)) for n in range(12)]
    found = compared(pairs, models=["tfidf-char"])
    assert {"bm25", "tfidf"}.isdisjoint(row.name for row in found.systems.rows)
    assert any(note.startswith("bm25 is left out: no words") for note in found.notes)


def test_vectors_that_cannot_be_read_are_an_error(tmp_path):
    missing = tmp_path / "vectors.txt"
    with pytest.raises(DataError, match="can't read it") as error:
        compared(GRADED, models=["tfidf-char"], options=Options(vectors=missing))
    assert error.value.path == missing


@pytest.mark.parametrize("values", [(-1, 1), (1, 2)])
def test_two_values_get_a_hint(values):
    pairs = [(f"word {n} a", f"word {n * n} b", values[n % 2]) for n in range(12)]
    hint = f"labels are {values[0]} and {values[1]}, which are read as grades; for yes and no write 1 and 0"
    assert hint in compared(pairs, models=["tfidf-char"]).notes
    with pytest.raises(UsageError) as error:
        agree(pairs, models=["tfidf-char", "bm25"])
    assert error.value.params == ("data",)


def test_a_scale_gets_none():
    pairs = [(f"word {n} a", f"word {n * n} b", n % 3) for n in range(12)]
    assert not any("read as grades" in note for note in compared(pairs, models=["tfidf-char"]).notes)

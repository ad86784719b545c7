"""Vectors of texts that have changed since; messages of commands are tested with ``encode_shards``."""

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.vectors.manifest import MANIFEST, refuse_other_ids, refuse_other_texts


def test_nothing_is_known_without_a_manifest(tmp_path):
    texts, vectors = tmp_path / "texts", tmp_path / "vectors"
    for folder in (texts, vectors):
        folder.mkdir()
    (texts / "part-0.txt").write_text("one\n")
    for given in (None, np.zeros((1, 2)), tmp_path / "v.npy", vectors):
        refuse_other_texts(given, texts)
    (vectors / MANIFEST).write_text("[]")
    refuse_other_texts(vectors, texts / "part-0.txt")
    with pytest.raises(DataError) as error:
        refuse_other_texts(vectors, texts)
    assert str(error.value.path).endswith("manifest.json")


def test_the_ids_beside_vectors_must_be_those_of_the_texts(tmp_path):
    beside = tmp_path / "v.ids.txt"
    for given in (None, np.zeros((2, 2)), tmp_path / "v.npy"):
        refuse_other_ids(given, ["a", "b"], "texts.csv")
    beside.write_text("a\nb\n")
    refuse_other_ids(tmp_path / "v.npy", ["a", "b"], "texts.csv")
    refuse_other_ids(tmp_path / "v.npy", ["a"], "texts.csv")  # another number is another error
    with pytest.raises(DataError, match="another order") as error:
        refuse_other_ids(str(tmp_path / "v.npy"), ["b", "a"], "texts.csv")
    assert (error.value.path, error.value.line) == (beside, 1)
    beside.write_bytes(b"\xff\n\n")
    with pytest.raises(DataError, match="can't be read"):
        refuse_other_ids(tmp_path / "v.npy", ["b", "a"], "texts.csv")


def test_ids_may_hold_line_breaks(tmp_path):
    (tmp_path / "v.ids.txt").write_bytes(b"a\r\nb\nc\n")
    refuse_other_ids(tmp_path / "v.npy", ["a\r\nb", "c"], "texts.csv")


@pytest.mark.parametrize(
    ("made_of", "ids"), [("1 2 3", "0 1 2"), ("1 3 4", "1 2 3"), ("a b c", "1 2 3"), ("1 2 3", "a b c")]
)
def test_numbers_of_rows_are_no_names(tmp_path, made_of, ids):
    (tmp_path / "v.ids.txt").write_text(made_of.replace(" ", "\n") + "\n")
    refuse_other_ids(tmp_path / "v.npy", ids.split(), "texts.csv")


@pytest.mark.parametrize(("made_of", "ids"), [("1 2 3", "3 1 2"), ("7 5 6", "5 6 7"), ("a b c", "a b d")])
def test_ids_in_another_order_and_other_names_are_refused(tmp_path, made_of, ids):
    (tmp_path / "v.ids.txt").write_text(made_of.replace(" ", "\n") + "\n")
    with pytest.raises(DataError, match="other texts, or in another order"):
        refuse_other_ids(tmp_path / "v.npy", ids.split(), "texts.csv")

"""Vectors of texts that have changed since; messages of commands are tested with ``encode_shards``."""

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.vectors.manifest import MANIFEST, refuse_other_texts


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

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.data.protocols import Side
from textkin.vectors.unique_texts import VectorCache, embedded

TEXTS = ["b", "a", "b", "c", "a"]


class Lengths:
    """An encoder that counts its texts."""

    name = "lengths"
    dim = 2

    def __init__(self, *, dies_after: int = 100) -> None:
        self.seen: list[str] = []
        self._dies_after = dies_after

    def encode(self, texts: Sequence[str], *, side: Side = Side.DOCUMENT) -> NDArray[np.float32]:
        if len(self.seen) >= self._dies_after:
            raise KeyboardInterrupt
        self.seen += texts
        return np.array([[len(text), ord(text[0])] for text in texts], dtype=np.float32)

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        raise NotImplementedError


def test_equal_texts_are_one() -> None:
    encoder = Lengths()
    found = embedded(TEXTS, encoder)
    assert found.texts == ("a", "b", "c") == tuple(encoder.seen) and len(found) == 3
    assert found.number.tolist() == [1, 0, 1, 2, 0]
    assert found.order.tolist() == [1, 4, 0, 2, 3] and found.first.tolist() == [1, 0, 3]
    assert found.vectors.tolist() == [[1, 97], [1, 98], [1, 99]]


def test_ids_say_which_of_equal_texts_is_the_first() -> None:
    ids = ["10", "x", "9", "1", "009"]
    found = embedded(["same"] * 5, Lengths(), ids=ids)
    assert [ids[place] for place in found.order] == ["1", "009", "9", "10", "x"]
    assert found.first.tolist() == [3]


@pytest.mark.parametrize(
    "ids", [["1", "3", "12"], ["3", "1", "12"], ["1", "1", "x"], ["01", "1", "2"], ["01", "2", "3"]]
)
def test_growing_numbers_are_ordered_as_others_are(ids: list[str]) -> None:
    found = embedded(["same"] * 3, Lengths(), ids=ids)
    rest = lambda name: (0, int(name), name) if name.isdecimal() else (1, 0, name)  # noqa: E731
    assert [ids[place] for place in found.order] == sorted(ids, key=rest)


def test_vectors_of_several_files_are_taken_block_by_block(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("textkin.vectors.unique_texts._AT_ONCE", 3)
    rng = np.random.default_rng(0)
    texts = [f"text {number}" for number in rng.integers(20, size=50)]
    of_text = {text: rng.standard_normal(4).astype(np.float32) for text in texts}
    vectors = np.stack([of_text[text] for text in texts])
    (tmp_path / "parts").mkdir()
    for name, part in (("part-0", vectors[:7]), ("part-1", vectors[7:8]), ("part-2", vectors[8:])):
        np.save(tmp_path / "parts" / f"{name}.npy", part)
    for source in (vectors, tmp_path / "parts"):
        found = embedded(texts, source)
        np.testing.assert_array_equal(found.vectors, np.stack([of_text[text] for text in sorted(of_text)]))
    vectors[11, 2] = np.inf
    np.save(tmp_path / "parts" / "part-2.npy", vectors[8:])
    with pytest.raises(DataError, match=r"parts: vector 11 \(counted from 0\) holds a number"):
        embedded(texts, tmp_path / "parts")
    np.save(tmp_path / "parts" / "part-1.npy", np.ones((1, 5)))
    with pytest.raises(DataError, match="parts: holds vectors of different widths"):
        embedded(texts, tmp_path / "parts")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_vectors_of_a_file_go_with_their_texts(tmp_path: Path, dtype: Any) -> None:
    vectors = np.array([[2, 1], [1, 1], [2, 1], [3, 1], [1, 1]], dtype=dtype)
    np.save(tmp_path / "v.npy", vectors)
    for folder in (None, tmp_path):
        found = embedded(TEXTS, tmp_path / "v.npy", folder=folder)
        assert found.vectors.tolist() == [[1, 1], [2, 1], [3, 1]] and found.vectors.dtype == np.float32
    assert [each.name for each in tmp_path.iterdir()] == ["v.npy"]


def test_the_vector_of_a_text_does_not_depend_on_the_order() -> None:
    vectors = np.random.default_rng(0).normal([5, 5, 5], 1e-3, (5, 3)).astype(np.float32)
    once = embedded(TEXTS, vectors)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(5)
        again = embedded([TEXTS[place] for place in order], vectors[order])
        np.testing.assert_array_equal(again.vectors, once.vectors)
    taken = {tuple(row) for row in once.vectors.tolist()}
    assert taken <= {tuple(row) for row in vectors.tolist()}


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        (np.ones((4, 2)), "4 vectors for 5 texts; give one vector for each text"),
        (np.ones(5), r"shape \(5,\)"),
        (np.ones((5, 2), dtype=np.int64), "type int64"),
        (np.array([[1, 1]] * 4 + [[1, np.nan]]), r"vector 4 \(counted from 0\)"),
        (np.array([[1, 1]] * 3 + [[1, 1e300], [1, 1]]), r"vector 3 \(counted from 0\)"),
        (np.array([[1.0, 1]] * 4 + [[1, -1]]), "vector 4 .* another vector of it is not the same"),
    ],
)
def test_vectors_that_are_not_of_these_texts(tmp_path: Path, vectors: NDArray[Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        embedded(TEXTS, vectors)
    np.save(tmp_path / "v.npy", vectors)
    with pytest.raises(DataError, match=f"v.npy: .*{words}"):
        embedded(TEXTS, tmp_path / "v.npy")


def test_no_text() -> None:
    with pytest.raises(DataError) as error:
        embedded([], Lengths())
    assert error.value.params == ("texts",)


def test_files_that_hold_no_vectors(tmp_path: Path) -> None:
    (tmp_path / "text.npy").write_text("no vectors")
    (tmp_path / "empty.npy").touch()
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "many.npz", a=np.ones(2), b=np.ones(2))
    np.save(tmp_path / "cut.npy", np.ones((5, 2)))
    whole = (tmp_path / "cut.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-8])
    for name in ("text.npy", "empty.npy", "objects.npy", "many.npz", "cut.npy", "none.npy", "."):
        with pytest.raises(DataError, match=name):
            embedded(TEXTS, tmp_path / name)


def test_encoding_goes_on_after_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textkin.vectors.batched_encoding._WINDOW", 4)
    texts = [f"{number} text" for number in range(10)]
    keep = VectorCache(tmp_path, {"model": "lengths"})
    with pytest.raises(KeyboardInterrupt):
        embedded(texts, Lengths(dies_after=8), keep=keep)
    encoder = Lengths()
    found = embedded(texts, encoder, keep=keep)
    assert encoder.seen == texts[8:]
    np.testing.assert_array_equal(found.vectors, Lengths().encode(texts))
    embedded(texts[::-1], encoder, keep=keep)
    assert len(encoder.seen) == 2
    embedded(texts, encoder, keep=VectorCache(tmp_path, {"model": "another"}))
    assert len(encoder.seen) == 12

"""Codes by tk.encode and tk.search: what they take, and what its results give."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import UsageError

TEXTS = ["When do you open?", "Where can I park?"]


def test_a_text_texts_and_a_frame_have_codes():
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    found = tk.encode(TEXTS, bits=64)
    assert repr(found) == "<Codes: 2 texts, codes of 64 bits, of meaning, default>"
    assert found.as_dict()["bits"] == 64 == 8 * found.codes.shape[1]
    assert np.array_equal(tk.encode(TEXTS[0], bits=64).codes, found.codes[:1])
    assert np.array_equal(tk.encode(frames.DataFrame({"text": TEXTS}), bits=64).codes, found.codes)


def test_codes_are_found(tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    made = tk.encode(tmp_path / "texts.txt", out=tmp_path / "codes.npy", bits=64, of="letters")
    found = tk.search(made.out, tmp_path / "texts.txt", k=1, out=tmp_path / "found.tsv")
    assert (found.found, found.as_dict()["queries"]) == (2, 2)


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"of": "word"}, ("of",)),
        ({"sample": -1}, ("sample",)),
        ({"seed": 0, "bits": None}, ("seed",)),
        ({"of": "words", "bits": None}, ("of",)),
        ({"side": "query"}, ("side",)),
        ({"batch_size": 8}, ("batch_size",)),
        ({"out": "codes.npy"}, ("out",)),
        ({"model": "default", "embeddings": [[1.0], [2.0]]}, ("model", "embeddings")),
    ],
)
def test_wrong_options_of_encode_are_named(options, params):
    with pytest.raises(UsageError) as error:
        tk.encode(TEXTS, **{"bits": 64, **options})
    assert error.value.params == params


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"k": 0}, ("k",)),
        ({"mode": "words", "explain": True}, ("explain", "mode")),
        ({"texts": TEXTS, "bands": 3}, ("bands",)),
    ],
)
def test_wrong_options_of_search_are_named(options, params):
    with pytest.raises(UsageError) as error:
        tk.search(options.pop("texts", "codes.npy"), TEXTS, **{"out": "found.tsv", **options})
    assert error.value.params == params

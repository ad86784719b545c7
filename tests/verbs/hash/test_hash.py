"""tk.hash_texts: what it takes, and what its results give."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import UsageError

TEXTS = ["When do you open?", "Where can I park?"]


def test_a_text_texts_and_a_frame_have_codes():
    frames = pytest.importorskip("pandas", reason="pandas is not installed")
    found = tk.hash_texts(TEXTS, bits=64)
    assert repr(found) == "<Hashed: 2 texts, codes of 64 bits, of meaning, default>"
    assert found.as_dict()["bits"] == 64 == 8 * found.codes.shape[1]
    assert np.array_equal(tk.hash_texts(TEXTS[0], bits=64).codes, found.codes[:1])
    assert np.array_equal(tk.hash_texts(frames.DataFrame({"text": TEXTS}), bits=64).codes, found.codes)


def test_codes_are_found(tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    made = tk.hash_texts(tmp_path / "texts.txt", out=tmp_path / "codes.npy", of="letters")
    found = tk.hash_texts(tmp_path / "texts.txt", search=made.out, k=1, out=tmp_path / "found.tsv")
    assert (found.found, found.as_dict()["queries"]) == (2, 2)


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"of": "word"}, ("of",)),
        ({"sample": -1}, ("sample",)),
        ({"k": 3}, ("search",)),
        ({"bands": 3}, ("search",)),
        ({"search": "codes.npy"}, ("out",)),
        ({"search": "codes.npy", "bits": 64, "seed": 0}, ("bits", "seed")),
        ({"search": "codes.npy", "k": 0}, ("k",)),
        ({"out": "codes.npy"}, ("out",)),
    ],
)
def test_wrong_options_are_named(options, params):
    with pytest.raises(UsageError) as error:
        tk.hash_texts(TEXTS, **options)
    assert error.value.params == params

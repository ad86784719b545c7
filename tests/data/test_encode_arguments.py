"""One text or several, and sentence-transformers' arguments; tests/models/interop compares with it."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.data.encode_arguments import EncodesTexts
from textkin.data.protocols import Side

TEXTS = ["When do you open?", "Where can I park?", "", "When do you open?"]


class Codes(EncodesTexts):
    """Vectors that show the encoder's input."""

    dim = 3

    def _encode(self, texts, side):
        return np.array([[len(text), side is Side.QUERY, 0] for text in texts], dtype=np.float32).reshape(
            -1, 3
        )


def test_one_text_has_one_vector():
    encoder = tk.load_encoder()
    assert np.array_equal(encoder.encode(TEXTS[0]), encoder.encode(TEXTS)[0])
    assert np.array_equal(tk.encode(TEXTS[0]), encoder.encode(TEXTS)[0])
    assert tk.encode([TEXTS[0]]).shape == (1, encoder.dim)
    assert encoder.encode(np.array(TEXTS)).shape == (4, encoder.dim)
    assert encoder.encode([]).shape == (0, encoder.dim)
    assert encoder.lengths(TEXTS[0]) == encoder.lengths(TEXTS)[0]


def test_one_pair_has_one_score():
    encoder, pair = tk.load_encoder(), (TEXTS[0], TEXTS[1])
    assert encoder.score(pair) == encoder.score([pair])[0] == encoder.score(tk.Pair(*pair))
    assert tk.score(pair) == tk.score(*pair) == encoder.score(pair)
    assert encoder.score([pair, pair]).shape == (2,)


def test_what_reaches_the_encoder():
    encoder = Codes()
    assert encoder.encode(["ab"], prompt="x: ").tolist() == [[5, 0, 0]]
    assert encoder.encode(["ab"], prompt_name="query").tolist() == [[2, 1, 0]]
    assert encoder.encode_query(["ab"]).tolist() == [[2, 1, 0]]
    assert encoder.encode_document(["ab"]).tolist() == encoder.encode(["ab"]).tolist() == [[2, 0, 0]]
    lengths = encoder.encode(["abc", ""], prompt_name="query", normalize_embeddings=True)
    np.testing.assert_allclose(np.linalg.norm(lengths, axis=1), 1)
    assert encoder.encode([""], normalize_embeddings=True).tolist() == [[0, 0, 0]]  # no direction, no NaN


def test_progress_is_shown_if_asked_for_and_changes_nothing(capsys):
    texts = [f"{number % 2_500}" for number in range(5_000)]
    encoder = Codes()
    assert np.array_equal(encoder.encode(texts, show_progress_bar=True), encoder.encode(texts))
    assert "encoding: 3/3" in capsys.readouterr().err
    encoder.encode(texts, show_progress_bar=None)
    assert encoder.encode([], show_progress_bar=True).shape == (0, 3)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"batch_size": 0}, "batch_size is"),
        ({"prompt_name": "sts"}, "prompt_name is 'sts', expected one of query, document"),
        ({"side": Side.QUERY, "prompt_name": "document"}, "give one of them"),
        ({"side": Side.QUERY, "prompt": ""}, "give one of them"),
        ({"prompt": 3}, r"prompt\[0\] is 3, expected a text"),
    ],
)
def test_what_means_nothing_is_refused(arguments, words):
    with pytest.raises(UsageError, match=words):
        Codes().encode(["a"], **arguments)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("batchsize", "'batchsize'; did you mean 'batch_size'"),
        ("device", "'device'; choose"),
    ],
)
def test_an_argument_that_is_not_there_is_an_error_as_in_every_function(name, words):
    for encode in (Codes().encode, tk.encode):
        with pytest.raises(TypeError, match=words):
            encode(["a"], **{name: 3})
    with pytest.raises(TypeError, match=words):
        tk.encode(["a"], on="ray", **{name: 3})


def test_a_file_written_takes_no_such_argument(tmp_path):
    (tmp_path / "texts.txt").write_text("one\n", encoding="utf-8")
    with pytest.raises(UsageError) as error:
        tk.encode(tmp_path / "texts.txt", out=tmp_path / "v.npy", convert_to_tensor=True)
    assert error.value.params == ("convert_to_tensor", "out")

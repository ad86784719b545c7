import resource

import numpy as np
import pytest

import textkin as tk
from tests.models.interop.tiny import TEXTS, write_bare
from tests.verbs.rival import meets_a_rival
from textkin.base.cpu import ProductSpeeds
from textkin.base.errors import OutputError, UsageError
from textkin.models.inference import trained_network as networks
from textkin.models.inference.scorers import load_scorer
from textkin.vectors import batched_encoding as streaming
from textkin.verbs.use import encoded_file as module
from textkin.verbs.use.encoded_file import encode_file

pytestmark = pytest.mark.torch


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text} number {number}\n" for number in range(5) for text in TEXTS if text))
    return path


def test_a_call_that_was_killed_goes_on(tmp_path, questions, monkeypatch):
    monkeypatch.setattr(streaming, "_WINDOW", 8)
    model, out = write_bare(tmp_path / "model"), tmp_path / "v.npy"
    seen = []
    vectors = streaming._vectors

    def dies(encoder, windows, side):
        for rows in vectors(encoder, windows, side):
            seen.append(len(rows))
            yield rows
            if len(seen) == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(streaming, "_vectors", dies)
    with pytest.raises(KeyboardInterrupt):
        encode_file(str(model), questions, out)
    assert not out.exists()
    done = encode_file(str(model), questions, out)
    assert seen == [8, 8, 8, 6]  # nothing twice
    assert (done.count, done.dim) == (30, 32)
    texts = questions.read_text().splitlines()
    np.testing.assert_allclose(np.load(out), load_scorer(model).encode(texts), atol=1e-6)
    assert sorted(item.name for item in tmp_path.iterdir() if "v." in item.name) == ["v.ids.txt", "v.npy"]


@pytest.mark.parametrize("name", ["v.parquet", "v.npz", "v"])
def test_a_file_of_vectors_is_named_as_one(tmp_path, questions, name):
    with pytest.raises(UsageError) as error:
        encode_file("default", questions, tmp_path / name)
    assert error.value.params == ("out",)
    assert not (tmp_path / name).exists()


def test_a_full_disk_says_what_is_kept(tmp_path, questions, monkeypatch):
    monkeypatch.setattr(streaming, "_WINDOW", 8)
    model, out = write_bare(tmp_path / "model"), tmp_path / "v.npy"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The first window fits, with its header of 128 bytes; the second one doesn't.
    resource.setrlimit(resource.RLIMIT_FSIZE, (128 + 8 * 32 * 4 + 100, hard))
    try:
        with pytest.raises(OutputError, match=r"can't write .*v\.npy: File too large") as caught:
            encode_file(str(model), questions, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    part = tmp_path / ".v.npy.part"
    assert caught.value.__notes__ == [f"{part} keeps what is done, and the same call goes on from there"]
    assert part.exists() and not out.exists()
    assert encode_file(str(model), questions, out).count == 30
    assert not part.exists()


def test_precision_is_told(tmp_path, questions, monkeypatch, capsys):
    model, out = write_bare(tmp_path / "model"), tmp_path / "v.npy"
    assert encode_file(str(model), questions, out, precision="fp32").precision == "fp32"
    exact = np.load(out)
    monkeypatch.setattr(networks, "product_speeds", lambda: ProductSpeeds(20.0, 50.0))
    assert encode_file(str(model), questions, out, precision="bf16").precision == "bf16"
    monkeypatch.setattr(networks, "product_speeds", lambda: ProductSpeeds(20.0, 5.0))
    capsys.readouterr()
    said = encode_file(str(model), questions, out, precision="bf16").precision
    assert said == "bf16: on this processor products in bf16 are 0.25 times as fast as those in fp32"
    # It is reported before the work, which may take long.
    told = capsys.readouterr().err
    assert f"textkin: {said}" in told
    assert 0.99 < np.vecdot(exact, np.load(out)).min() < 0.999999
    assert encode_file("default", questions, out).precision == "fp32"


def test_to_ask_what_an_encoder_can_do_measures_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(networks, "product_speeds", None)
    model = load_scorer(write_bare(tmp_path / "model")).computing("bf16")
    assert isinstance(model, streaming.Adjustable)


def test_a_second_writer_is_refused_while_the_first_encodes(tmp_path, questions, monkeypatch):
    alone, out = tmp_path / "alone.npy", tmp_path / "v.npy"
    encode_file("default", questions, alone)
    told = meets_a_rival(
        monkeypatch, module, "append_vectors", lambda: encode_file("default", questions, out)
    )
    encode_file("default", questions, out)
    assert "v.npy" in told[0]
    assert out.read_bytes() == alone.read_bytes()
    assert not [item.name for item in tmp_path.iterdir() if item.name.startswith(".")]


def test_arrays_that_have_no_effect_are_refused():
    """An array has no truth value, and its comparison with None is one of all numbers."""
    for call, param in (
        (lambda: tk.encode(["a"], embeddings=np.ones((1, 2))), "embeddings"),
        (lambda: tk.search(["a b"], "a", embeddings=np.ones((1, 2))), "embeddings"),
        (lambda: tk.encode(["a"], dtype="bf16"), "dtype"),
    ):
        with pytest.raises(UsageError) as error:
            call()
        assert error.value.params == (param,)


def test_options_that_encode_lacks_are_told_with_those_that_it_has():
    with pytest.raises(TypeError, match=r"encode\(\) has no option 'precision'; did you mean 'dtype'"):
        tk.encode(["a"], precision="int8")
    with pytest.raises(TypeError, match="choose one of: texts, model, out"):
        tk.encode(["a"], device="cpu")

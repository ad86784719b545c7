from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.base.growing_npy import RowFile
from textkin.vectors import batched_encoding as module
from textkin.vectors.batched_encoding import Adjustable, append_vectors, in_precision, vectors_of


class Plain:
    """An encoder that records its input: for each text its number and twice that."""

    name, dim = "plain", 2

    def __init__(self) -> None:
        self.given: list[list[str]] = []

    def score(self, pairs):
        return np.zeros(len(pairs), dtype=np.float32)

    def encode(self, texts, *, side=None):
        self.given.append(list(texts))
        return np.array([[float(text), 2 * float(text)] for text in texts], dtype=np.float32)


class Streaming(Plain):
    """An encoder with a choice of precision."""

    def __init__(self, computes: Any = "fp32", *, slow: str | None = None) -> None:
        super().__init__()
        self.computes, self.slow, self.checked = computes, slow, []

    def check(self, texts):
        self.checked.append(list(texts))
        return Check()

    def computing(self, computes):
        return Streaming(computes, slow=self.slow)

    def slowness(self):
        return self.slow

    def stream(self, windows):
        for window in windows:
            yield self.encode(window) + 100


class Check:
    computes = "measured"

    def __str__(self) -> str:
        return "bf16, measured"


TEXTS = [str(number) for number in range(11)]


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WINDOW", 4)


def test_texts_are_encoded_some_at_a_time() -> None:
    encoder = Plain()
    parts = list(vectors_of(encoder, iter(TEXTS), count=11))
    assert encoder.given == [TEXTS[:4], TEXTS[4:8], TEXTS[8:]]
    assert np.concatenate(parts).tolist() == [[number, 2 * number] for number in range(11)]


def test_a_network_gets_fewer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """This keeps its progress moving."""
    monkeypatch.setattr(module, "_WINDOW", 16_384)
    table, network = Plain(), Plain()
    table.is_table, network.is_table = True, False
    texts = [str(number) for number in range(2_500)]
    for encoder, sizes in ((Plain(), [2_500]), (table, [2_500]), (network, [1_024, 1_024, 452])):
        parts = list(vectors_of(encoder, texts, count=len(texts)))
        assert [len(part) for part in encoder.given] == sizes
        assert np.concatenate(parts)[-1].tolist() == [2_499, 4_998]


def test_an_encoder_that_streams_is_given_the_windows() -> None:
    encoder = Streaming()
    assert isinstance(encoder, Adjustable) and not isinstance(Plain(), Adjustable)
    parts = list(vectors_of(encoder, TEXTS, count=11))
    assert [len(part) for part in parts] == [4, 4, 3]
    assert parts[2][-1].tolist() == [110, 120]


def test_progress_counts_what_was_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []

    class Shown:
        def __init__(self, words, *, total):
            steps.append((words, total))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            steps.append("end")

        def advance(self, count):
            steps.append(count)

    monkeypatch.setattr(module, "progress", Shown)
    list(vectors_of(Plain(), TEXTS[5:], count=11, done=5))
    assert steps == [("encoding with plain", 11), 5, 4, 2, "end"]


@pytest.mark.parametrize("done", [0, 3, 4, 8, 11])
def test_only_what_is_missing_is_appended(done: int, tmp_path) -> None:
    path, encoder = tmp_path / "vectors.npy", Plain()
    whole = Plain().encode(TEXTS)
    with RowFile(path, width=2, made_of={}) as rows:
        if done:
            rows.append(whole[:done])
        append_vectors(rows, encoder, iter(TEXTS), count=11)
        assert rows.rows == 11
        rows.finish()
    assert [text for window in encoder.given for text in window] == TEXTS[done:]
    assert np.array_equal(np.load(path), whole)


def test_work_that_stopped_goes_on_and_gives_the_same(tmp_path) -> None:
    class Killed(Plain):
        def encode(self, texts, *, side=None):
            if len(self.given) == 2:
                raise KeyboardInterrupt
            return super().encode(texts, side=side)

    path = tmp_path / "vectors.npy"
    with pytest.raises(KeyboardInterrupt), RowFile(path, width=2, made_of={}) as rows:
        append_vectors(rows, Killed(), TEXTS, count=11)
    encoder = Plain()
    with RowFile(path, width=2, made_of={}) as rows:
        assert rows.rows == 8
        append_vectors(rows, encoder, TEXTS, count=11)
        rows.finish()
    assert encoder.given == [TEXTS[8:]]
    assert np.array_equal(np.load(path), Plain().encode(TEXTS))


def test_precision_is_measured_on_the_first_texts() -> None:
    encoder = Streaming()
    found, words = in_precision(encoder, "auto", iter(TEXTS))
    assert encoder.checked == [TEXTS[:4]]
    assert found.computes == "measured" and words == "bf16, measured"


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_precision_by_name_is_taken_and_a_slow_one_named(precision, capsys) -> None:
    found, words = in_precision(Streaming(), precision, TEXTS)
    assert found.computes == words == precision and capsys.readouterr().err == ""
    found, words = in_precision(Streaming(slow="slower here"), precision, TEXTS)
    assert found.computes == precision and words == f"{precision}: slower here"
    assert words in capsys.readouterr().err


def test_an_encoder_without_a_choice_computes_in_fp32() -> None:
    encoder = Plain()
    for precision in ("auto", "fp32"):
        assert in_precision(encoder, precision, TEXTS) == (encoder, "fp32")
    with pytest.raises(UsageError) as error:
        in_precision(encoder, "bf16", TEXTS)
    assert error.value.params == ("dtype",)
    for one in (encoder, Streaming()):
        with pytest.raises(UsageError) as error:
            in_precision(one, "bf61", TEXTS)
        assert error.value.params == ("dtype",)

"""Encode the texts of a file of any size to a file of vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol, Self, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin import __version__
from textkin.errors import UsageError, did_you_mean
from textkin.files import atomic_text, sha256_of_file
from textkin.hub import located
from textkin.progress import progress
from textkin.protocols import Encoder
from textkin.readers.report import ReadReport, SkipCounter
from textkin.readers.texts import TextFile
from textkin.row_file import RowFile
from textkin.scorers import BASELINES
from textkin.tasks.provenance import hash_of_model, hash_of_vectors
from textkin.tasks.resolve import resolve

Precision = Literal["auto", "fp32", "bf16"]
PRECISIONS: tuple[Precision, ...] = ("auto", "fp32", "bf16")

_WINDOW = 16_384


@final
@dataclass(frozen=True, slots=True)
class Encoded:
    """What was written.

    Attributes:
        model: how tables call the encoder.
        count: texts, one row each.
        dim: width of the vectors.
        out: the file of vectors.
        ids: the file of the texts' ids, one a line in the order of the rows: those of the source, or line or
            row numbers from 1.
        precision: what products were computed in, and why.
        read: what the reader skipped.
    """

    model: str
    count: int
    dim: int
    out: Path
    ids: Path
    precision: str
    read: ReadReport


@runtime_checkable
class Adjustable(Encoder, Protocol):
    """An encoder with a choice of precision; a protocol, so torch is not loaded."""

    computes: Any
    slow: str | None

    def check(self, texts: Sequence[str]) -> Any:
        """Measure which precision pays."""

    def computing(self, computes: Any) -> Self:
        """The same encoder in another precision."""

    def stream(self, windows: Iterable[Sequence[str]]) -> Iterator[NDArray[np.float32]]:
        """The vectors of each window of texts."""


def encode_file(
    model: str,
    texts: Path | str,
    out: Path | str,
    *,
    vectors: Path | None = None,
    precision: Precision = "auto",
    **reading: Any,
) -> Encoded:
    """Write the vectors of texts as float32 in NumPy's format, shape [texts, dim], whole or not at all.

    The file is read in windows, and memory does not grow with it. What a kill interrupts, the same call takes
    up again. ``out`` with the ending ``.ids.txt`` gets the ids.

    Args:
        model: a folder with an encoder, the name of a cached one, or the baseline mean-vectors.
        texts: plain text with one text a line, or a table.
        out: the file to write.
        vectors: for the baseline mean-vectors.
        precision: what a transformer computes in; "auto" measures whether bf16 pays and stays close enough
            to fp32, and says so in the result.
        **reading: ``column`` and ``quoting`` for ``readers.texts.TextFile``.

    Raises:
        UsageError: the model compares texts without placing them in a space, can't compute in ``precision``,
            or ``out`` is the input.
        DataError: the file can't be read.
        ModelError: the model can't be read.
        OutputError: the vectors can't be written.
    """
    source, target = TextFile(texts, **reading), Path(out)
    ids = target.with_suffix(".ids.txt")
    if source.path.resolve() in (target.resolve(), ids.resolve()):
        raise UsageError(f"{source.path} is the file of texts", fix="choose another file for the vectors")
    known = list(_texts(source)) if model in BASELINES else []
    found = resolve(model, fit_texts=known, vectors=vectors)
    if not isinstance(found, Encoder):
        raise UsageError(
            f"{model} compares texts but gives no vectors",
            fix="name an encoder, or mean-vectors with word vectors",
        )
    # A first pass finds what is wrong with the file before hours of work, and how much there is to do.
    counter = SkipCounter(source.path)
    count = sum(1 for _ in source.rows(counter))
    encoder, words = in_precision(found, precision, _texts(source))
    made_of = {
        "textkin": __version__,
        "texts": sha256_of_file(source.path),
        "reading": {key: str(value) for key, value in reading.items()},
        "model": model if model in BASELINES else hash_of_model(located(model)),
        "vectors": None if vectors is None else hash_of_vectors(vectors),
        "computes": encoder.computes if isinstance(encoder, Adjustable) else "fp32",
    }
    rows = RowFile(target, width=encoder.dim, made_of=made_of)
    try:
        append_vectors(rows, encoder, _texts(source), count=count)
        with atomic_text(ids) as stream:
            stream.writelines(f"{key}\n" for key, _ in source.rows(SkipCounter(source.path)))
        rows.finish()
    finally:
        rows.close()
    return Encoded(encoder.name, count, encoder.dim, target, ids, words, counter.report())


def append_vectors(rows: RowFile, encoder: Encoder, texts: Iterable[str], *, count: int) -> None:
    """Append the vectors that a file still lacks.

    Args:
        rows: has the vectors of none of the texts, or of the first ones.
        encoder: what gives the vectors.
        texts: all of them.
        count: how many there are.

    Raises:
        OutputError: the disk is full.
    """
    for vectors in vectors_of(encoder, islice(texts, rows.rows, None), count=count, done=rows.rows):
        rows.append(vectors)


def vectors_of(
    encoder: Encoder, texts: Iterable[str], *, count: int, done: int = 0
) -> Iterator[NDArray[np.float32]]:
    """The vectors of texts, some thousands at a time, while a bar shows how many are done.

    Args:
        encoder: what gives them.
        texts: those that are still to do.
        count: how many texts there are in all.
        done: how many were done before.
    """
    with progress(f"encoding with {encoder.name}", total=count) as shown:
        shown.advance(done)
        for vectors in _vectors(encoder, _windows(iter(texts))):
            yield vectors
            shown.advance(len(vectors))


def _vectors(encoder: Encoder, windows: Iterable[Sequence[str]]) -> Iterator[NDArray[np.float32]]:
    return encoder.stream(windows) if isinstance(encoder, Adjustable) else map(encoder.encode, windows)


def _windows(texts: Iterator[str]) -> Iterator[list[str]]:
    while window := list(islice(texts, _WINDOW)):
        yield window


def in_precision(encoder: Encoder, precision: Precision, texts: Iterable[str]) -> tuple[Encoder, str]:
    """The encoder in the requested or measured precision, and that in words.

    Args:
        encoder: any.
        precision: "auto" to measure what pays.
        texts: what it is measured on; the first thousands of them.

    Raises:
        UsageError: the encoder can't compute in this precision.
    """
    if precision not in PRECISIONS:
        raise UsageError(f"precision is {precision!r}", fix=did_you_mean(precision, PRECISIONS))
    if not isinstance(encoder, Adjustable):
        if precision == "bf16":
            raise UsageError(f"{encoder.name} computes in fp32 only", fix="leave out bf16")
        return encoder, "fp32"
    if precision != "auto":
        settled = encoder.computing(precision)
        return settled, precision if settled.slow is None else f"{precision}: {settled.slow}"
    check = encoder.check(list(islice(texts, _WINDOW)))
    return encoder.computing(check.computes), str(check)


def _texts(source: TextFile) -> Iterator[str]:
    return (text for _, text in source.rows(SkipCounter(source.path)))

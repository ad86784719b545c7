"""The vectors of texts, thousands at a time: in bounded memory, in the precision that pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import invalid, unknown_choice
from textkin.base.growing_npy import RowFile
from textkin.base.progress import progress, remark
from textkin.data.encode_arguments import at_once
from textkin.data.protocols import Encoder, Side

Precision = Literal["auto", "fp32", "bf16"]
PRECISIONS: tuple[Precision, ...] = ("auto", "fp32", "bf16")

_WINDOW = 16_384


@runtime_checkable
class Streams(Encoder, Protocol):
    """An encoder that prepares further windows of texts while it encodes one."""

    def stream(
        self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT
    ) -> Iterator[NDArray[np.float32]]:
        """The vectors of all texts in their order, some at a time."""


@runtime_checkable
class Adjustable(Streams, Protocol):
    """An encoder with a choice of precision; a protocol, so torch is not loaded."""

    computes: Any

    def check(self, texts: Sequence[str]) -> Any:
        """Measure which precision pays."""

    def computing(self, computes: Any) -> Self:
        """The same encoder in another precision."""

    # No property: to ask whether an encoder is adjustable would measure.
    def slowness(self) -> str | None:
        """Measure whether its precision is slower than fp32 here; words for it, or None."""


def append_vectors(
    rows: RowFile, encoder: Encoder, texts: Iterable[str], *, count: int, side: Side = Side.TEXT
) -> None:
    """Append the vectors that a file still lacks.

    Args:
        rows: has the vectors of none of the texts, or of the first ones.
        encoder: what gives the vectors.
        texts: all of them.
        count: how many there are.
        side: that the texts are on.

    Raises:
        OutputError: the disk is full.
    """
    left = islice(texts, rows.rows, None)
    for vectors in vectors_of(encoder, left, count=count, done=rows.rows, side=side):
        rows.append(vectors)


def vectors_of(
    encoder: Encoder, texts: Iterable[str], *, count: int, done: int = 0, side: Side = Side.TEXT
) -> Iterator[NDArray[np.float32]]:
    """The vectors of texts, some thousands at a time, while a bar shows how many are done.

    Args:
        encoder: what gives them.
        texts: those that are still to do.
        count: how many texts there are in all.
        done: how many were done before.
        side: that the texts are on.
    """
    with progress(f"encoding with {encoder.name}", total=count) as shown:
        shown.advance(done)
        for vectors in _vectors(encoder, _windows(iter(texts), at_once(encoder, _WINDOW)), side):
            yield vectors
            shown.advance(len(vectors))


def _vectors(encoder: Encoder, windows: Iterable[Sequence[str]], side: Side) -> Iterator[NDArray[np.float32]]:
    named: Any = {} if side is Side.TEXT else {"side": side}  # a user's encoder need not know of sides
    if isinstance(encoder, Streams):
        return encoder.stream(windows, **named)
    return (encoder.encode(window, **named) for window in windows)


def _windows(texts: Iterator[str], size: int) -> Iterator[list[str]]:
    while window := list(islice(texts, size)):
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
        raise unknown_choice("precision", precision, PRECISIONS)
    if not isinstance(encoder, Adjustable):
        if precision == "bf16":
            raise invalid("precision", precision, expected=f"fp32, the only one of {encoder.name}")
        return encoder, "fp32"
    if precision != "auto":
        settled = encoder.computing(precision)
        slowness = settled.slowness()
        if slowness is None:
            return settled, precision
        words = f"{precision}: {slowness}"
        remark(words)  # now, since the work will take long
        return settled, words
    check = encoder.check(list(islice(texts, _WINDOW)))
    return encoder.computing(check.computes), str(check)

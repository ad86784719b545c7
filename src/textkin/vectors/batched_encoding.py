"""Encoding of texts in batches of thousands: in bounded memory, at the fastest precision."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, Protocol, Self, runtime_checkable

from textkin.base.arrays import Floats32
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
    """An encoder that prepares the next batches of texts while it encodes one."""

    def stream(self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT) -> Iterator[Floats32]:
        """Yield the vectors of all texts in order, batch by batch."""


@runtime_checkable
class Adjustable(Streams, Protocol):
    """An encoder with selectable precision; a protocol, so torch isn't loaded."""

    computes: Any

    def check(self, texts: Sequence[str]) -> Any:
        """Measure the fastest precision."""

    def computing(self, computes: Any) -> Self:
        """The same encoder at another precision."""

    # Not a property: checking whether an encoder is adjustable would trigger the measurement.
    def slowness(self) -> str | None:
        """Measure whether its precision is slower than fp32 here; return a message, or None."""


def append_vectors(
    rows: RowFile, encoder: Encoder, texts: Iterable[str], *, count: int, side: Side = Side.TEXT
) -> None:
    """Append the vectors that a file still lacks.

    Args:
        rows: a file with the vectors of none or of the first texts.
        encoder: the encoder.
        texts: all texts.
        count: number of texts.
        side: side of the texts.

    Raises:
        OutputError: the disk is full.
    """
    left = islice(texts, rows.rows, None)
    for vectors in vectors_of(encoder, left, count=count, done=rows.rows, side=side):
        rows.append(vectors)


def vectors_of(
    encoder: Encoder, texts: Iterable[str], *, count: int, done: int = 0, side: Side = Side.TEXT
) -> Iterator[Floats32]:
    """Yield the vectors of texts in batches of thousands, with a progress bar.

    Args:
        encoder: the encoder.
        texts: the remaining texts.
        count: number of all texts.
        done: number of texts encoded before.
        side: side of the texts.
    """
    with progress(f"encoding with {encoder.name}", total=count) as shown:
        shown.advance(done)
        for vectors in _vectors(encoder, _windows(iter(texts), at_once(encoder, _WINDOW)), side):
            yield vectors
            shown.advance(len(vectors))


def _vectors(encoder: Encoder, windows: Iterable[Sequence[str]], side: Side) -> Iterator[Floats32]:
    named: Any = {} if side is Side.TEXT else {"side": side}  # a user's encoder need not support sides
    if isinstance(encoder, Streams):
        return encoder.stream(windows, **named)
    return (encoder.encode(window, **named) for window in windows)


def _windows(texts: Iterator[str], size: int) -> Iterator[list[str]]:
    while window := list(islice(texts, size)):
        yield window


def in_precision(encoder: Encoder, precision: Precision, texts: Iterable[str]) -> tuple[Encoder, str]:
    """The encoder at the requested or measured precision, and a description of the precision.

    Args:
        encoder: any encoder.
        precision: "auto" to measure the fastest.
        texts: texts to measure on; only the first thousands are used.

    Raises:
        UsageError: the encoder doesn't support this precision.
    """
    if precision not in PRECISIONS:
        raise unknown_choice("dtype", precision, PRECISIONS)
    if not isinstance(encoder, Adjustable):
        if precision == "bf16":
            raise invalid("dtype", precision, expected=f"fp32, the only one of {encoder.name}")
        return encoder, "fp32"
    if precision != "auto":
        settled = encoder.computing(precision)
        slowness = settled.slowness()
        if slowness is None:
            return settled, precision
        words = f"{precision}: {slowness}"
        remark(words)  # before the long work, not after it
        return settled, words
    check = encoder.check(list(islice(texts, _WINDOW)))
    return encoder.computing(check.computes), str(check)

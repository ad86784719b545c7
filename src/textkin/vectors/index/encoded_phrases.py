"""Validated phrase vectors of an encoder, optionally limited to likely answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard, TypeVar

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from textkin.base.arrays import Ints
from textkin.base.errors import DataError, inapplicable, invalid
from textkin.data.protocols import (
    MOST_TOKENS,
    EncodesTokens,
    Features,
    PhraseEncoder,
    PhraseTokens,
    PhraseVectors,
    nothing_of,
)

_Passage = TypeVar("_Passage", str, tuple[str, str])

_CHARACTERS = 1 << 16  # about 200 MiB of vectors of 512 dimensions


def in_portions(
    passages: Iterable[_Passage], most: int, *, characters: int = _CHARACTERS
) -> Iterator[list[_Passage]]:
    """Yield passages in order, in batches whose phrase vectors fit into memory.

    A long passage has hundreds of times as many phrases as a paragraph.

    Args:
        passages: texts, or ids with texts.
        most: maximum number of passages in a batch.
        characters: maximum length of a batch's texts; a longer passage is a batch of its own.
    """
    portion: list[_Passage] = []
    held = 0
    for passage in passages:
        length = len(passage) if isinstance(passage, str) else len(passage[1])
        if portion and (len(portion) >= most or held + length > characters):
            yield portion
            portion, held = [], 0
        portion.append(passage)
        held += length
    if portion:
        yield portion


def encoded_phrases(
    encoder: PhraseEncoder, passages: Sequence[str], *, per_passage: int | None = None
) -> list[PhraseVectors]:
    """The phrases of passages.

    Args:
        encoder: the phrase encoder.
        passages: texts of the passages.
        per_passage: number of phrases to keep per passage, by highest prior, ties by position; None for all.

    Raises:
        UsageError: ``per_passage`` is below 1, or the encoder gives no priors.
        DataError: the encoder's output is invalid.
    """
    if per_passage is not None and per_passage < 1:
        raise invalid("per_passage", per_passage, expected="at least 1")
    found = encoder.phrases(passages)
    if len(found) != len(passages):
        raise _wrong(encoder, f"phrases of {len(found)} of {len(passages)} passages", len(found))
    for passage, phrases in zip(passages, found, strict=True):
        _check(encoder, passage, phrases)
    return found if per_passage is None else [_kept(encoder, phrases, per_passage) for phrases in found]


def gives_tokens(encoder: PhraseEncoder) -> TypeGuard[EncodesTokens]:
    """True for an encoder whose phrases can be stored by their tokens."""
    return isinstance(encoder, EncodesTokens) and encoder.longest_phrase <= MOST_TOKENS


def encoded_tokens(encoder: EncodesTokens, passages: Sequence[str]) -> list[PhraseTokens]:
    """The tokens of passages.

    Raises:
        DataError: the encoder's output is invalid.
    """
    found = encoder.phrase_tokens(passages)
    if len(found) != len(passages):
        raise _wrong(encoder, f"tokens of {len(found)} of {len(passages)} passages", len(found))
    for passage, tokens in zip(passages, found, strict=True):
        _check_tokens(encoder, passage, tokens)
    return found


def encoded_nothing(encoder: PhraseEncoder, *, sparse: bool) -> Features | None:
    """The vector of "no answer", dense or sparse, shape [1, dim]; None if there is none.

    Raises:
        DataError: the encoder's output is invalid.
    """
    row = nothing_of(encoder)
    if row is None:
        return None
    found: Features = csr_array(row[None]) if sparse else row[None]
    _check_rows(encoder, found, 1)
    return found


def encoded_questions(encoder: PhraseEncoder, questions: Sequence[str]) -> Features:
    """The vectors of questions, float32, shape [questions, dim].

    Raises:
        DataError: the encoder's output is invalid.
    """
    rows = encoder.questions(questions)
    _check_rows(encoder, rows, len(questions))
    return rows


def stacked(rows: Sequence[Features]) -> Features:
    """Vertically stacked rows of one encoder; at least one set of them."""
    dense = [each for each in rows if isinstance(each, np.ndarray)]
    if dense:
        return np.concatenate(dense)
    return csr_array(vstack([csr_array(each) for each in rows], format="csr"))


def _wrong(encoder: PhraseEncoder, given: str, value: object) -> DataError:
    return DataError(f"{encoder.name} gives {given}", params=(encoder.name,), value=value)


def _check(encoder: PhraseEncoder, passage: str, phrases: PhraseVectors) -> None:
    offsets = phrases.offsets
    _check_offsets(encoder, passage, offsets, least=1)
    _check_rows(encoder, phrases.vectors, len(offsets))
    priors = phrases.priors
    if priors is not None and (priors.shape != (len(offsets),) or not np.isfinite(priors).all()):
        raise _wrong(encoder, "priors that are no finite number for each phrase", priors.shape)


def _check_offsets(encoder: PhraseEncoder, passage: str, offsets: Ints, *, least: int) -> None:
    if offsets.ndim != 2 or offsets.shape[1] != 2 or not np.issubdtype(offsets.dtype, np.integer):
        raise _wrong(
            encoder,
            f"offsets of shape {offsets.shape} and type {offsets.dtype}",
            (offsets.shape, offsets.dtype),
        )
    start, end = offsets.T
    wrong = np.flatnonzero((start < 0) | (end - start < least) | (end > len(passage)))
    if len(wrong):
        place = tuple(offsets[wrong[0]].tolist())
        raise _wrong(encoder, f"a phrase at {place} of {len(passage)} characters", place)


def _check_tokens(encoder: EncodesTokens, passage: str, tokens: PhraseTokens) -> None:
    _check_offsets(encoder, passage, tokens.offsets, least=0)
    _check_values(encoder, tokens.vectors, (len(tokens), encoder.dim + encoder.dim % 2))
    if tokens.lengths.shape != (len(tokens),) or tokens.lengths.dtype != np.uint64:
        raise _wrong(encoder, "lengths that are no uint64 for each token", tokens.lengths.shape)
    longest = int(tokens.lengths.max(initial=0)).bit_length()
    for length in range(longest):
        first = np.flatnonzero(tokens.lengths >> np.uint64(length) & np.uint64(1))
        if len(first) and first[-1] + length >= len(tokens):
            raise _wrong(encoder, "a phrase beyond the last token", (int(first[-1]), length))
        wrong = first[tokens.offsets[first + length, 1] <= tokens.offsets[first, 0]]
        if len(wrong):
            raise _wrong(encoder, f"a phrase of {length + 1} tokens without characters", int(wrong[0]))


def _check_rows(encoder: PhraseEncoder, rows: Features, count: int) -> None:
    _check_values(encoder, rows, (count, encoder.dim))


def _check_values(encoder: PhraseEncoder, rows: Features, shape: tuple[int, int]) -> None:
    values = rows.data if issparse(rows) else rows
    if rows.shape != shape:
        raise _wrong(encoder, f"vectors of shape {rows.shape}, expected {shape}", rows.shape)
    if values.dtype != np.float32 or not np.isfinite(np.asarray(values)).all():
        raise _wrong(encoder, f"vectors of {values.dtype}, expected finite float32", values.dtype)


def _kept(encoder: PhraseEncoder, phrases: PhraseVectors, per_passage: int) -> PhraseVectors:
    if phrases.priors is None:
        raise inapplicable("per_passage", to=f"{encoder.name}, which doesn't rank phrases")
    best = np.sort(np.argsort(-phrases.priors, kind="stable")[:per_passage])
    return PhraseVectors(phrases.offsets[best], _rows(phrases.vectors, best), phrases.priors[best])


def _rows(vectors: Features, numbers: Ints) -> Features:
    return vectors[numbers] if isinstance(vectors, np.ndarray) else csr_array(vectors[numbers])

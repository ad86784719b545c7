"""What a model that points at words reads at once: a question, and a window of a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ConfigError
from textkin.text.pipeline import TextPipeline
from textkin.text.token_offsets import Located
from textkin.text.tokenizer_pipeline import TokenizerPipeline

_QUESTION_SHARE = 4
_QUESTION_TOKENS = 64
_WINDOW_TOKENS = 4_096  # of what reads any number: attention and spans take the square of it


@runtime_checkable
class Locates(Protocol):
    """A text pipeline that knows where its tokens stand."""

    def located(self, texts: Sequence[str]) -> list[Located]:
        """The tokens of each text with their places."""
        ...


@final
@dataclass(frozen=True, slots=True)
class SpanLimits:
    """The most tokens of a question, None for all, and of a window of a passage that a network reads."""

    question: int | None
    passage: int


def locating(pipeline: TextPipeline) -> Locates:
    """The same pipeline, made sure that it knows where tokens stand.

    Raises:
        ConfigError: it doesn't.
    """
    if isinstance(pipeline, Locates):
        return pipeline
    raise ConfigError(
        f"a text pipeline of kind {pipeline.to_dict().get('kind')!r} doesn't know where its tokens stand",
        fix="choose a recipe with words or a tokenizer",
    )


def limits_of(pipeline: TextPipeline) -> SpanLimits:
    """How many tokens of a question and of a passage a network reads at once.

    Where both share one sequence, a question has up to 64 of its tokens, or a quarter of a short one. A
    network without a limit reads windows, too, so that a passage as long as a book fits in memory.
    """
    most = pipeline.max_tokens
    if most is None or not pipeline.reads_pairs:
        # A transformer has no more places for a question; other networks read it whole.
        frames = isinstance(pipeline, TokenizerPipeline) and pipeline.special_tokens is not None
        return SpanLimits(most if frames else None, _WINDOW_TOKENS if most is None else most)
    if most < 2:
        raise ConfigError(
            f"a sequence has room for {most} tokens, which holds no question with a passage",
            fix="set a larger max_length in the recipe's [text]",
        )
    question = min(_QUESTION_TOKENS, max(1, most // _QUESTION_SHARE))
    return SpanLimits(question, max(1, most - question))


def windows(tokens: int, most: int | None) -> list[tuple[int, int]]:
    """Overlapping windows over tokens: where each begins and ends.

    Half of a window, at least, is in the next one too, so a span of up to half a window is whole in one.

    Args:
        tokens: of the text.
        most: of a window; None for one window.
    """
    if most is None or tokens <= most:
        return [(0, tokens)]
    steps = -(-(tokens - most) // max(1, most // 2))
    starts = np.linspace(0, tokens - most, steps + 1).astype(np.int64).tolist()
    return [(start, start + most) for start in starts]


def homes(
    parts: Sequence[tuple[int, int]], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The window that a span belongs to: the one in whose middle it stands most, the earlier of equal ones.

    That is the one in which the nearer end is as far from the span as can be, whatever is asked.

    Args:
        parts: where each window begins and ends; one or more, in order, all of one length.
        first: the first token of each span. Any shape.
        last: its last token. The same shape.

    Returns:
        The window's place in ``parts``; -1 where no window has the whole span. The same shape.
    """
    starts, stops = np.array(parts, dtype=np.int64).T
    # Twice the places of middles, so that they are whole numbers.
    middles, places = starts + stops - 1, first + last
    after = np.searchsorted(middles, places).clip(0, len(parts) - 1)
    before = (after - 1).clip(0)
    best = np.where(places - middles[before] <= middles[after] - places, before, after)
    # Beyond the middles at both ends there is one candidate.
    best = np.where(places > middles[-1], len(parts) - 1, np.where(places <= middles[0], 0, best))
    whole = (starts[best] <= first) & (last < stops[best]) & (first <= last)
    return np.where(whole, best, -1)

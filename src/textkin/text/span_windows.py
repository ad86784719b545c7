"""Input of span models: a question, and a window of a passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.errors import ConfigError
from textkin.text.pipeline import TextPipeline
from textkin.text.token_offsets import Located
from textkin.text.tokenizer_pipeline import TokenizerPipeline

_QUESTION_SHARE = 4
_QUESTION_TOKENS = 64
_WINDOW_TOKENS = 4_096  # for networks without a limit: attention and spans take its square


@runtime_checkable
class Locates(Protocol):
    """A text pipeline that knows the positions of its tokens."""

    def located(self, texts: Sequence[str]) -> list[Located]:
        """The tokens of each text with their positions."""


@dataclass(frozen=True, slots=True)
class SpanLimits:
    """Maximum tokens of a question (None for no limit), and of a window of a passage."""

    question: int | None
    passage: int


def locating(pipeline: TextPipeline) -> Locates:
    """The pipeline, if it knows the positions of tokens.

    Raises:
        ConfigError: it doesn't know them.
    """
    if isinstance(pipeline, Locates):
        return pipeline
    raise ConfigError(
        f"a text pipeline of kind {pipeline.to_dict().get('kind')!r} doesn't know where its tokens stand",
        fix="choose a recipe with words or a tokenizer",
    )


def limits_of(pipeline: TextPipeline) -> SpanLimits:
    """The maximum tokens of a question and of a window that a network reads at once.

    If both share one sequence, a question gets up to 64 of its tokens, or a quarter of a short one. A network
    without a limit reads windows too, so that a passage as long as a book fits in memory.
    """
    most = pipeline.max_tokens
    if most is None or not pipeline.reads_pairs:
        # A transformer's positions limit the question; other networks read it whole.
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
    """Overlapping windows over tokens, as start and end positions.

    At least half of a window is also in the next one, so a span of up to half a window is whole in one.

    Args:
        tokens: number of tokens of the text.
        most: size of a window; None for one window.
    """
    if most is None or tokens <= most:
        return [(0, tokens)]
    steps = -(-(tokens - most) // max(1, most // 2))
    starts = np.linspace(0, tokens - most, steps + 1).astype(np.int64).tolist()
    return [(start, start + most) for start in starts]


def homes(parts: Sequence[tuple[int, int]], first: Ints, last: Ints) -> Ints:
    """The window that a span belongs to: the one that it is most central in, ties by position.

    That is the window whose nearer end is farthest from the span, for any question.

    Args:
        parts: start and end of each window; one or more, in order, all of one length.
        first: first token of each span. Any shape.
        last: last token of each span. Same shape.

    Returns:
        The position of the window in ``parts``; -1 if no window contains the whole span. Same shape.
    """
    starts, stops = np.array(parts, dtype=np.int64).T
    # Twice the positions of the middles, to have integers.
    middles, places = starts + stops - 1, first + last
    after = np.searchsorted(middles, places).clip(0, len(parts) - 1)
    before = (after - 1).clip(0)
    best = np.where(places - middles[before] <= middles[after] - places, before, after)
    # Beyond the first and the last middle there is one candidate.
    best = np.where(places > middles[-1], len(parts) - 1, np.where(places <= middles[0], 0, best))
    whole = (starts[best] <= first) & (last < stops[best]) & (first <= last)
    return np.where(whole, best, -1)

"""What a model that points at words reads at once: a question, and a window of a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np

from textkin.errors import ConfigError
from textkin.text.located import Located
from textkin.text.pipeline import TextPipeline

_QUESTION_SHARE = 4
_QUESTION_TOKENS = 64


@runtime_checkable
class Locates(Protocol):
    """A text pipeline that knows where its tokens stand."""

    def located(self, texts: Sequence[str]) -> list[Located]:
        """The tokens of each text with their places."""
        ...


@final
@dataclass(frozen=True, slots=True)
class SpanLimits:
    """The most tokens of a question and of a window of a passage that a network reads; None for all."""

    question: int | None
    passage: int | None


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

    Where both share one sequence, a question has up to 64 of its tokens, or a quarter of a short one.

    Raises:
        ConfigError: a sequence has no room for both.
    """
    most = pipeline.max_tokens
    if most is None or not pipeline.reads_pairs:
        return SpanLimits(None, most)
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

"""The cost of the built-in transformer in place of the static encoder, timed on a few texts."""

import time
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from textkin.base.hub import DEFAULT, MINILM, located
from textkin.base.threads import cores

_Item = TypeVar("_Item")

FEW = 1_000
"""The minimum number of texts to time; for fewer, it takes longer than it is worth."""

_SAMPLE, _TIMED = 256, 8  # texts whose tokens are counted, and texts that are encoded
_SPECIAL = 2  # special tokens per text


def minilm_instead(
    texts: Sequence[str], model: object, count: int | None = None, *, by: str = f"`model={MINILM}`"
) -> str | None:
    """A sentence about the better encoder for these texts; None with models other than ``default``.

    It takes about a second: up to eight texts are encoded.

    Args:
        texts: all texts, or representative ones.
        model: the model in use; None for ``default``.
        count: the number of texts; by default as many as given.
        by: the way to choose the better encoder.
    """
    if model not in (None, DEFAULT):
        return None
    count = len(texts) if count is None else count
    better = f"the built-in static encoder ignores word order; {by} doesn't"
    if not texts or count < FEW:
        return better
    return f"{better}, and would take {_in_words(count * seconds_a_text(texts))} for {count:,} texts"


def seconds_a_text(texts: Sequence[str]) -> float:
    """Seconds per text of the built-in transformer, using all cores."""
    from textkin.models.light_transformer import LightTransformer

    encoder = LightTransformer(located(MINILM), name=MINILM)  # as fast as with torch, and available sooner
    sample = _spread(texts, _SAMPLE)
    tokens = np.minimum(encoder.lengths(sample), encoder.max_tokens or np.inf) + _SPECIAL
    timed = _spread(range(len(sample)), _TIMED)
    encoder.encode([sample[timed[0]][:100]])  # one-time costs of the first text
    start = time.perf_counter()
    encoder.network_vectors([sample[place] for place in timed])  # one batch, so one core
    seconds_a_token = (time.perf_counter() - start) / int(tokens[timed].sum())
    return seconds_a_token * float(tokens.mean()) / cores()


def _spread(items: Sequence[_Item], most: int) -> list[_Item]:
    """A number of items, evenly spaced."""
    return [items[len(items) * place // min(most, len(items))] for place in range(min(most, len(items)))]


def _in_words(seconds: float) -> str:
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    return "about a minute" if minutes == 1 else f"about {minutes:,} minutes"

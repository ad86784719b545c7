"""``tk.attention``: what a model looks at between two texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textkin.base.argument_checks import checked
from textkin.base.errors import UsageError
from textkin.base.python_inputs import texts_of
from textkin.verbs.use.attention import Attention
from textkin.verbs.use.attention import attention as attention_between


@checked
def attention(
    data: Sequence[str],
    *,
    model: str | Path | Any,
    layers: Sequence[int] = (),
    heads: Sequence[int] = (),
) -> Attention:
    """The attention or interaction matrices that a model makes between two texts.

    Args:
        data: two texts; of a reader of answers a question and a passage.
        model: a folder, the name of a cached model, or what ``tk.load`` or ``tk.load_reader`` gave.
        layers: of a pretrained transformer, counted from 1, whose attention is averaged; all if left out.
        heads: of each layer, likewise.

    Raises:
        UsageError: there are not two texts, the model makes no such matrix, a text has no token, or there is
            no such layer or head.
        ModelError: there is no model that textkin can read.

    Example:
        >>> import textkin as tk
        >>> pair = ("When do you open?", "When are you open?")
        >>> found = tk.attention(pair, model="runs/esim/model")  # doctest: +SKIP
        >>> found.maps[0].weights.shape  # doctest: +SKIP
        (5, 5)
    """
    from textkin.models.inference import HeadChoice

    texts = texts_of(data)
    if len(texts) != 2:
        raise UsageError("attention is between two texts", fix="give a pair of them")
    choice = HeadChoice(layers=tuple(layers), heads=tuple(heads))
    return attention_between(model, *texts, choice=choice)

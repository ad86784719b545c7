"""Tokens as programs read them: ids with their places in the text, and ids back to a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from textkin.base.errors import UsageError
from textkin.data.protocols import Side
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline


@final
@dataclass(frozen=True, slots=True)
class TokenPlace:
    """A token of a text.

    Attributes:
        token_id: its id.
        text: its name in the vocabulary.
        is_special: whether the tokenizer put it there.
        start: the character where it begins; None of special tokens.
        stop: the one after its last.
    """

    token_id: int
    text: str
    is_special: bool
    start: int | None
    stop: int | None


def token_places(
    pipeline: TextPipeline, texts: Sequence[str], *, special: bool = True, side: Side | None = None
) -> list[list[TokenPlace]]:
    """The tokens of each text, uncut.

    Args:
        pipeline: of the model.
        texts: what to cut into tokens.
        special: with the tokens that the model gets around every text.
        side: with the model's prompt for it before every text; None for no prompt. Places count from there.

    Raises:
        UsageError: the model's tokens are words, which have no ids that others know.
    """
    known = _tokenizer(pipeline)
    before, after = (known.frame[0].tolist(), known.frame[1].tolist()) if special else ([], [])

    def around(ids: list[int]) -> list[TokenPlace]:
        return [TokenPlace(one, known.tokens[one], True, None, None) for one in ids]

    found = []
    prompt = "" if side is None else known.prompts.get(side, "")
    for one in known.located([prompt + text for text in texts]):
        ids = (one.ids if one.ids.ndim == 1 else one.ids[:, 0]).tolist()
        inner = [
            TokenPlace(number, known.tokens[number], False, start, stop)
            for number, (start, stop) in zip(ids, one.offsets.tolist(), strict=True)
        ]
        found.append([*around(before), *inner, *around(after)])
    return found


def decoded(pipeline: TextPipeline, ids: Sequence[Sequence[int]], *, skip_special: bool = True) -> list[str]:
    """The text of each list of token ids.

    Raises:
        UsageError: an id is none of the model's, or it has no tokenizer.
    """
    known = _tokenizer(pipeline)
    for one in ids:
        for number in one:
            if not 0 <= number < known.token_count:
                raise UsageError(
                    f"the token id {number}", fix=f"give ids from 0 to {known.token_count - 1:,}"
                )
    return known.decoded(ids, skip_special=skip_special)


def _tokenizer(pipeline: TextPipeline) -> TokenizerPipeline:
    if not isinstance(pipeline, TokenizerPipeline):
        raise UsageError("this model reads words, and has no tokenizer", fix="name another model")
    return pipeline

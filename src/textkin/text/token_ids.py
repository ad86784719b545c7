"""Tokens for programs: ids with their positions in the text, and decoding of ids."""

from collections.abc import Sequence
from dataclasses import dataclass

from textkin.base.errors import UsageError
from textkin.data.protocols import Side
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """A token of a text.

    Attributes:
        token_id: its id.
        text: its name in the vocabulary.
        is_special: True if the tokenizer added it.
        start: position of the first character; None for special tokens.
        stop: position after the last character.
    """

    token_id: int
    text: str
    is_special: bool
    start: int | None
    stop: int | None


def token_places(
    pipeline: TextPipeline, texts: Sequence[str], *, special: bool = True, side: Side | None = None
) -> list[list[TokenPlace]]:
    """The tokens of each text, not truncated.

    Args:
        pipeline: pipeline of the model.
        texts: texts to tokenise.
        special: True to include the special tokens that the model adds to every text.
        side: side whose prompt is added before every text; None for no prompt. Positions include it.

    Raises:
        UsageError: the model's tokens are words, whose ids mean nothing elsewhere.
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
        UsageError: an id is not the model's, or the model has no tokenizer.
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

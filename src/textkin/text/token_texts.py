"""Tokens for people: the words or pieces of a text with its ids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from textkin.base.arrays import Ints32
from textkin.base.errors import UsageError
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.token_offsets import Located
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import kept


@dataclass(frozen=True, slots=True, eq=False)
class NamedTokens:
    """The tokens of a text as ids, and as text.

    Attributes:
        ids: shape [T], or [T, 1 + G] with a spelling.
        texts: the text of each token, or its name. T of them.
    """

    ids: Ints32
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def part(self, where: slice) -> Self:
        """The selected tokens."""
        return type(self)(self.ids[where], self.texts[where])


def located_tokens(found: Located, text: str) -> NamedTokens:
    """Tokens with known positions in the text."""
    return NamedTokens(found.ids, tuple(text[start:end] for start, end in found.offsets.tolist()))


def named_tokens(pipeline: TextPipeline, text: str) -> NamedTokens:
    """The tokens of a text, truncated and with special tokens, as a network reads them.

    If the pipeline doesn't know a token's position, the token is shown by name: special tokens, and all
    tokens of texts with a prompt. N-grams of letters have no position and are shown as "#" and their row.
    """
    (ids,) = pipeline.ids([text])
    rows = _rows(ids)
    name = _names(pipeline)
    before, after = pipeline.frame if isinstance(pipeline, TokenizerPipeline) else ((), ())
    first, last = len(before), len(rows) - len(after)
    own = _in_text(pipeline, text)
    if own is None or _rows(own.ids) != rows[first:last]:
        return NamedTokens(ids, tuple(map(name, rows)))
    return NamedTokens(ids, (*map(name, rows[:first]), *own.texts, *map(name, rows[last:])))


def names_of(pipeline: TextPipeline, text: str, ids: Ints32) -> tuple[str, ...]:
    """The names of a text's tokens, some of which may have been removed."""
    found = named_tokens(pipeline, text)
    rows = _rows(ids)
    return found.texts if _rows(found.ids) == rows else tuple(map(_names(pipeline), rows))


def _in_text(pipeline: TextPipeline, text: str) -> NamedTokens | None:
    """The text's own tokens after truncation, with positions; None if positions are unknown."""
    if not isinstance(pipeline, WordPipeline | TokenizerPipeline | PairPipeline):
        return None
    try:
        (found,) = pipeline.located([text])
    except UsageError:  # words that differ from the text
        return None
    whole = located_tokens(found, text)
    if isinstance(pipeline, PairPipeline):
        return whole
    return whole.part(kept(pipeline.max_tokens, pipeline.truncate))


def _names(pipeline: TextPipeline) -> Callable[[int], str]:
    """A function from ids to tokens."""
    tokens: Sequence[str] = ()
    if isinstance(pipeline, PairPipeline):
        tokens = pipeline.whole.tokens
    elif isinstance(pipeline, TokenizerPipeline):
        tokens = pipeline.tokens
    elif isinstance(pipeline, StopWordPipeline):
        tokens = pipeline.words
    elif isinstance(pipeline, WordPipeline):
        words = pipeline.vocabulary
        tokens = ("",) * (words.oov_rows + 1) + words.words
    return lambda row: (tokens[row] if row < len(tokens) else "") or f"#{row}"


def _rows(ids: Ints32) -> list[int]:
    """The ids without units."""
    return (ids if ids.ndim == 1 else ids[:, 0]).tolist()

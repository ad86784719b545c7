"""A Hugging Face tokenizer for networks that read two texts in one sequence."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from textkin.base.arrays import Ints, Ints32
from textkin.data.protocols import Side
from textkin.text.pair_template import Joint, joint_of
from textkin.text.token_offsets import Located
from textkin.text.token_spelling import TokenSpelling
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.unknown_tokens import UnknownOf


class PairPipeline:
    """The tokens of each text of a pair, without special tokens or truncation, which joining adds.

    Args:
        whole: the tokenizer for single texts; its ``max_length`` becomes that of a pair, its prompts are
            ignored.
    """

    reads_pairs = True  # two texts share the limit
    spelling: TokenSpelling | None = None  # ids have no units
    adds_unknown = False  # a transformer sees a single token for everything unknown

    def __init__(self, whole: TokenizerPipeline) -> None:
        self.whole = whole
        self._plain = TokenizerPipeline(whole.definition, drop_unknown=False)

    @property
    def size(self) -> int:
        """The number of the tokenizer's tokens."""
        return self.whole.size

    @property
    def pad_id(self) -> int:
        """The id of the tokenizer's padding token."""
        return self.whole.pad_id

    @property
    def max_length(self) -> int | None:
        """The maximum number of tokens of a pair, special ones included; None for no limit."""
        return self.whole.max_length

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of tokens of a pair, without special ones; None for no limit."""
        special = len(self.joint.start) + len(self.joint.middle) + len(self.joint.end)
        return None if self.max_length is None else max(0, self.max_length - special)

    @cached_property
    def joint(self) -> Joint:
        """The tokenizer's template for two texts in one sequence.

        Raises:
            UsageError: the tokenizer knows no token, or puts the second text first.
        """
        return joint_of(self.whole.definition)

    def load_loops(self) -> None:
        """Load the compiled loops of :mod:`textkin.text.word_cache` now, not only once they pay off."""
        self._plain.load_loops()

    def ids(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Ints32]:
        """The ids of each text's own tokens, shape [its tokens]."""
        return self._plain.ids(texts, side=side)

    def located(self, texts: Sequence[str]) -> list[Located]:
        """The tokens of each text with their positions, not truncated."""
        return self._plain.located(texts)

    def read(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> tuple[list[Ints32], UnknownOf]:
        """The ids of each text's own tokens, and its unknown tokens."""
        return self.ids(texts, side=side), self._plain.read_flat(texts, side=side)[1]

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Ints:
        """The number of each text's own tokens. Shape [texts]."""
        return self._plain.lengths(texts, side=side)

    def shortened(self, max_length: int) -> Self:
        """The same pipeline with another ``max_length``."""
        return type(self)(self.whole.shortened(max_length))

    def unknown(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> UnknownOf:
        """The unknown tokens of texts."""
        return self._plain.unknown(texts, side=side)

    def save(self, folder: Path | str) -> None:
        """Write the tokenizer unchanged."""
        self.whole.save(folder)

    def to_dict(self) -> dict[str, Any]:
        """The configuration, for a manifest in JSON."""
        whole = {key: value for key, value in self.whole.to_dict().items() if key != "prompts"}
        return {**whole, "kind": "tokenizer-of-pairs"}

    @classmethod
    def load(cls, folder: Path | str, config: Mapping[str, Any]) -> Self:
        """Read what :meth:`save` and :meth:`to_dict` wrote."""
        return cls(TokenizerPipeline.load(folder, config))

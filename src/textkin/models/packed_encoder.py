"""The built-in transformer where torch is installed: torch is loaded once there is enough to encode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from textkin.base.arrays import Floats32
from textkin.base.cpu import may_have_bf16
from textkin.base.python_inputs import one_or_several
from textkin.data.encode_arguments import EncodesTexts
from textkin.data.protocols import Side
from textkin.models.light_transformer import LightTransformer
from textkin.models.self_check import SelfCheck, is_worthwhile
from textkin.models.torch_loading import TorchLoading
from textkin.text.pipeline import ReadsByPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline

if TYPE_CHECKING:
    from textkin.data.attention_map import AttentionMap
    from textkin.models.inference.attention import HeadChoice
    from textkin.models.inference.scorers import NeuralEncoder

_REPAY = 1_000  # texts, of all calls together, in the time that torch takes to load
_REPAY_IN_FP32 = 20_000  # likewise where only fp32 is fast, in which torch gains less than a tenth
_CHECKED, _SPECIAL = 1_024, 2  # texts whose tokens are counted; special tokens of a text


class PackedEncoder(ReadsByPipeline, EncodesTexts):
    """An encoder that computes without torch at first, and with it later.

    Args:
        light: the encoder without torch.
        exact: an encoder whose precision scores have, if this one chooses that of many vectors; None if it
            doesn't.
    """

    is_table, has_sides, adds_unknown = False, False, False
    computes = "fp32"

    _pipeline: TokenizerPipeline

    def __init__(self, light: LightTransformer, *, exact: PackedEncoder | None = None) -> None:
        self.name, self.folder = light.name, light.folder
        self._light, self._exact = light, exact
        self._pipeline = light.pipeline
        self._loading = TorchLoading(_REPAY if may_have_bf16() else _REPAY_IN_FP32)

    @cached_property
    def network(self) -> NeuralEncoder:
        """The encoder with torch."""
        if self._exact is not None:
            return self._exact.network.choosing()
        from textkin.models.inference.scorers import load_scorer

        return cast("NeuralEncoder", load_scorer(self.folder))

    @property
    def pipeline(self) -> TokenizerPipeline:
        """Texts to ids."""
        return self._pipeline

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._light.dim

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """Unit vectors; each distinct text is encoded once."""
        return self._for(len(texts))._encode(texts, side)

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The cosine of each pair. Shape [pairs]."""
        return self._for(2 * len(pairs)).score(pairs)

    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """Vectors without merging equal texts. Shape [texts, dim]."""
        return self._for(len(texts)).network_vectors(texts, side=side)

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats32]:
        """The state of each token of each text, including special ones. Shape [tokens, dim] each."""
        return self._for(len(texts)).token_vectors(texts, side=side)

    def stream(self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT) -> Iterator[Floats32]:
        """The vectors of each window of texts, shape [its texts, dim]."""
        left = iter(windows)
        for window in left:
            chosen = self._for(len(window))
            if chosen is self._light:
                yield chosen._encode(list(window), side)
            else:
                yield from self.network.stream(chain([window], left), side=side)

    def check(self, texts: Sequence[str]) -> SelfCheck:
        """Measure the best precision on some of the texts, if there are many."""
        sample = texts[:: max(1, len(texts) // _CHECKED)]
        tokens = int((self.lengths(sample).clip(0, self.max_tokens) + _SPECIAL).sum())
        if is_worthwhile(tokens, of=len(sample), texts=len(texts)) and may_have_bf16():
            return self.network.check(texts)
        return SelfCheck("fp32")

    def computing(self, computes: Any) -> Any:
        """The encoder with matrix products in ``computes``."""
        return self.as_scored if computes == "fp32" else self.network.computing(computes)

    def slowness(self) -> str | None:
        """A warning if its precision is measured to be slower than fp32 here, or None."""
        return None

    def choosing(self) -> Self:
        """The same encoder, whose vectors of many texts are in the fastest precision that is close enough."""
        return type(self)(self._light, exact=self)

    @property
    def as_scored(self) -> PackedEncoder:
        """The encoder in the precision of scores."""
        return self if self._exact is None else self._exact

    def attention(self, a: str, b: str, *, choice: HeadChoice | None = None) -> list[AttentionMap]:
        """The network's attention between two texts."""
        return self.network.attention(a, b, choice=choice)

    def cache_in(self, path: Path | str) -> None:
        """Read known vectors from a file, and store new ones there."""
        self.network.cache_in(path)

    def load_loops(self) -> None:
        """Load the loops for a few tokens now, not only once they pay off."""
        self._for(0).load_loops()

    def stay_light(self) -> None:
        """Never load torch for vectors, as in a server, whose requests should not wait for it."""
        self._loading.refuse()

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport."""
        return self._light.settings()

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return _again, (self.folder, self.name)

    def _for(self, texts: int) -> LightTransformer | NeuralEncoder:
        """The encoder for so many more texts."""
        self._loading.count(texts)
        return self.network if "network" in vars(self) or self._loading.pays() else self._light


def _again(folder: Path, name: str) -> PackedEncoder:
    return PackedEncoder(LightTransformer(folder, name=name))

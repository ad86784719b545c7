"""The built-in transformer as an encoder without torch.

Texts of equal length are computed together without padding, and batches in parallel, one per core. Only
folders of packed weights are supported; with torch installed, inference reads these too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError
from textkin.base.first_seen_numbers import enumerated
from textkin.base.json_fields import AGAIN, blaming, read_object, whole
from textkin.base.python_inputs import texts_of
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.data.protocols import Side
from textkin.models.light_network import LightNetwork, batches_of
from textkin.models.packed_weights import PACKED
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.baselines.pair_scoring import ScoresByCosine
from textkin.text.pipeline import ReadsByPipeline
from textkin.text.tokenizer_pipeline import TOKENIZER_FILE, TokenizerPipeline, read_tokenizer

_LIMITS, _SPECIAL = "sentence_bert_config.json", "special_tokens_map.json"


class LightTransformer(ReadsByPipeline, ScoresByCosine):
    """A BERT-like sentence encoder: the mean of its tokens' states, as a unit vector.

    Args:
        folder: a folder with packed weights.
        name: its name in tables.

    Raises:
        ModelError: a file is missing or broken.
    """

    is_table, has_sides, adds_unknown = False, False, False  # needed by passports

    _pipeline: TokenizerPipeline

    def __init__(self, folder: Path, *, name: str) -> None:
        self.name = name
        self.folder = folder
        with blaming(folder):
            self._read(folder)
            self._require_sound()

    def _read(self, folder: Path) -> None:
        self._network = LightNetwork(folder)
        self._pipeline = TokenizerPipeline(
            read_tokenizer(folder / TOKENIZER_FILE),
            max_length=whole(read_object(folder / _LIMITS), "max_seq_length", folder / _LIMITS),
            drop_unknown=False,
            special_tokens={key: str(token) for key, token in read_object(folder / _SPECIAL).items()},
        )

    def _require_sound(self) -> None:
        """Check that sizes are consistent, so that every text has a vector.

        Raises:
            ModelError: they aren't.
        """
        tokens, rows = self._pipeline.token_count, self._network.tokens
        if tokens > rows:
            raise ModelError(
                f"has {tokens:,} tokens, and there are vectors of {rows:,}",
                path=self.folder / TOKENIZER_FILE,
                fix=AGAIN,
            )
        longest = self._pipeline.max_length or 0
        if longest > (places := self._network.longest):
            raise ModelError(
                f"max_seq_length is {longest}, expected at most {places}",
                path=self.folder / _LIMITS,
                fix=AGAIN,
            )
        tried = self._network.means([np.zeros(2, dtype=np.int32)])
        if tried.shape != (1, self.dim) or not np.isfinite(tried).all():
            raise ModelError("gives no vectors of finite numbers", path=self.folder / PACKED, fix=AGAIN)

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._network.dim

    @property
    def pipeline(self) -> TokenizerPipeline:
        """Texts to ids."""
        return self._pipeline

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """Unit vectors; each distinct text is encoded once."""
        rows, distinct = enumerated(texts)
        return self.network_vectors(distinct, side=side)[rows]

    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """The same without merging equal texts. Shape [texts, dim]."""
        ids = self._pipeline.ids(texts_of(texts), side=side)
        batches = batches_of(ids)
        vectors = np.empty((len(ids), self.dim), dtype=np.float32)
        with one_thread_each():
            found = side_by_side(
                lambda batch: self._network.means([ids[text] for text in batch]), batches, workers=cores()
            )
            for batch, means in zip(batches, found, strict=True):
                vectors[batch] = means
        return unit_rows(vectors)

    def load_loops(self) -> None:
        """Load the loops for a few tokens now, not only once they pay off."""
        self._network.load_loops()
        self._network.means([np.zeros(1, dtype=np.int32)])  # measures them

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport."""
        arguments = {"pooling": ["mean"], "dense": [], "normalize": True}
        return {"architecture": "transformer", "arguments": arguments, "text": self._pipeline.to_dict()}

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return _again, (self.folder, self.name)

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats32]:
        """The state of each token of each text, including special ones. Shape [tokens, dim] each."""
        ids = self._pipeline.ids(texts_of(texts), side=side)
        with one_thread_each():
            return [self._network.states([one]) for one in ids]


def _again(folder: Path, name: str) -> LightTransformer:
    """Unpickle the encoder from its folder."""
    return LightTransformer(folder, name=name)

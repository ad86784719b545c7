"""Static embeddings as encoders: the directions of model2vec's ``StaticModel.encode``, and more.

Vectors have unit length, even if a folder asks other libraries not to normalise. Tokens that model2vec drops
as unknown get vectors of their own here, so texts that differ in them differ.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError
from textkin.base.python_inputs import one_or_several, texts_of
from textkin.data.protocols import Side
from textkin.data.token_attributions import Addends
from textkin.text.baselines.cosine_addends import unit_sum
from textkin.text.baselines.mean_pooling import mean_rows, unit_rows
from textkin.text.baselines.pair_scoring import CHUNK, ScoresByCosine
from textkin.text.pipeline import ReadsByPipeline
from textkin.text.static_embeddings import StaticTable, load_static
from textkin.text.token_texts import names_of
from textkin.text.tokenizer_pipeline import TokenizerPipeline


class StaticEncoder(ReadsByPipeline, ScoresByCosine):
    """The mean of the weighted vectors of a text's tokens, known or not.

    Args:
        table: the embedding.
        name: name in tables.
        folder: folder that the embedding was loaded from; None if it wasn't.

    Attributes:
        table: see above.
    """

    _pipeline: TokenizerPipeline

    def __init__(self, table: StaticTable, *, name: str = "static", folder: Path | None = None) -> None:
        self.name, self.table = name, table
        self.folder = folder
        self._vectors = np.ascontiguousarray(table.token_vectors)
        self._normalize = table.normalize
        self._pipeline = table.pipeline
        self._unknown = table.unknown_vectors

    is_table, adds_unknown = True, True  # part of a model's fingerprint

    @property
    def has_sides(self) -> bool:
        """True if queries and documents have prompts."""
        return bool(self._pipeline.prompts)

    def prompt_of(self, side: Side) -> str:
        """The prompt before the texts of a side."""
        return self._pipeline.prompts.get(side, "")

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""
        return int(self._vectors.shape[1])

    @property
    def pipeline(self) -> TokenizerPipeline:
        """The text pipeline."""
        return self._pipeline

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """Unit vectors; zero for a text without tokens."""
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            flat, unknown = self._pipeline.read_flat(chunk, side=side)
            means = mean_rows(flat, self._vectors)
            lengths = flat.lengths
            for place, found in unknown.items():
                total = means[place] * lengths[place] + self._unknown.total(found)
                means[place] = total / (lengths[place] + sum(found.sizes))
            vectors[start : start + len(chunk)] = unit_rows(means)
        return vectors

    @property
    def adds_up(self) -> bool:
        """True: a text's vector is the direction of a sum."""
        return True

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """The vectors of a text's tokens divided by the length of their sum. Shape [tokens, dim]."""
        flat, unknown = self._pipeline.read_flat([text])
        (ids,) = flat.rows()
        names = names_of(self._pipeline, text, ids)
        rows = self._vectors[ids].astype(np.float64)
        return unit_sum(names, rows, unknown=unknown.get(0), vectors=self._unknown)

    @one_or_several
    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """The directions of model2vec, without vectors for unknown tokens. Shape [texts, dim]."""
        return unit_rows(mean_rows(self._pipeline.flat_ids(texts_of(texts), side=side), self._vectors))

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats32]:
        """The weighted vector of each known token of each text. Shape [tokens, dim] each."""
        return [self._vectors[ids] for ids in self._pipeline.ids(texts_of(texts), side=side)]

    def settings(self) -> dict[str, Any]:
        """The settings for a fingerprint: architecture, arguments and text pipeline."""
        arguments = {"size": len(self._vectors), "dim": self.dim, "normalize": self._normalize}
        return {"architecture": "static", "arguments": arguments, "text": self._pipeline.to_dict()}

    def __reduce__(self) -> Any:
        """Pickle as the folder to load again, such as in another process.

        Raises:
            UsageError: it wasn't loaded from a folder.
        """
        if self.folder is None:
            raise UsageError(
                f"{self.name} is in memory only, and a model is pickled as the folder that it is loaded from",
                fix="save it, and load it from there",
            )
        return _again, (self.folder, self.name)


def _again(folder: Path, name: str) -> StaticEncoder:
    """The unpickled encoder, loaded from its folder."""
    return StaticEncoder(load_static(folder), name=name, folder=folder)

"""The built-in transformer without torch: BERT's forward pass in NumPy.

Texts of equal length are computed together without padding, and batches in parallel, one per core. Only
folders of packed weights are supported; with torch installed, inference reads these too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ModelError
from textkin.base.first_seen_numbers import enumerated
from textkin.base.json_fields import AGAIN, blaming, number, read_object, whole, wrong
from textkin.base.python_inputs import texts_of
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.data.protocols import Side
from textkin.models.packed_weights import PACKED, unpacked
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.baselines.pair_scoring import ScoresByCosine
from textkin.text.pipeline import ReadsByPipeline
from textkin.text.tokenizer_pipeline import TOKENIZER_FILE, TokenizerPipeline, read_tokenizer

_TOKENS = 2_048  # tokens of a batch, whose states stay in the cache
_BLOCK = 32  # rows of a wide layer whose activations are computed at once
_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_LIMITS, _SPECIAL = "sentence_bert_config.json", "special_tokens_map.json"

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Sizes:
    layers: int
    heads: int
    epsilon: float


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
        self._folder = folder
        with blaming(folder):
            self._read(folder)
            self._require_sound()

    def _read(self, folder: Path) -> None:
        path = folder / "config.json"
        config = read_object(path)
        self._sizes = _Sizes(
            whole(config, "num_hidden_layers", path),
            whole(config, "num_attention_heads", path),
            number(config, "layer_norm_eps", path),
        )
        for key, known in _KNOWN.items():
            if config.get(key, known) != known:
                raise wrong(config, key, path, repr(known))
        self._pipeline = TokenizerPipeline(
            read_tokenizer(folder / TOKENIZER_FILE),
            max_length=whole(read_object(folder / _LIMITS), "max_seq_length", folder / _LIMITS),
            drop_unknown=False,
            special_tokens={key: str(token) for key, token in read_object(folder / _SPECIAL).items()},
        )
        weights = unpacked(folder / PACKED)
        try:
            self._words = weights["embeddings.word_embeddings.weight"]
            types = weights["embeddings.token_type_embeddings.weight"]
            self._places = weights["embeddings.position_embeddings.weight"] + types[0]
            self._first = _Norm.of(weights, "embeddings", self._sizes.epsilon)
            self._layers = [_BertLayer.of(weights, layer, self._sizes) for layer in range(self._sizes.layers)]
        except KeyError as error:
            raise ModelError(f"has no tensor {error}", path=folder / PACKED, fix=AGAIN) from error
        if any(name.startswith(f"encoder.layer.{self._sizes.layers}.") for name in weights):
            raise ModelError(f"has more than {self._sizes.layers} layers", path=folder / PACKED, fix=AGAIN)

    def _require_sound(self) -> None:
        """Check that sizes are consistent, so that every text has a vector.

        Raises:
            ModelError: they aren't.
        """
        path, heads, rows = self._folder / "config.json", self._sizes.heads, len(self._words)
        if self.dim % heads:
            raise ModelError(
                f"num_attention_heads is {heads}, which doesn't divide the width of {self.dim}",
                path=path,
                fix=AGAIN,
            )
        tokens = self._pipeline.token_count
        if tokens > rows:
            raise ModelError(
                f"has {tokens:,} tokens, and there are vectors of {rows:,}",
                path=self._folder / TOKENIZER_FILE,
                fix=AGAIN,
            )
        longest = self._pipeline.max_length or 0
        if longest > (places := len(self._places)):
            raise ModelError(
                f"max_seq_length is {longest}, expected at most {places}",
                path=self._folder / _LIMITS,
                fix=AGAIN,
            )
        tried = self._states([0], [np.zeros(2, dtype=np.int32)], [(2, 1)])
        if tried.shape != (2, self.dim) or not np.isfinite(tried).all():
            raise ModelError("gives no vectors of finite numbers", path=self._folder / PACKED, fix=AGAIN)

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return int(self._words.shape[1])

    @property
    def pipeline(self) -> TokenizerPipeline:
        """Texts to ids."""
        return self._pipeline

    def _encode(self, texts: list[str], side: Side) -> Floats:
        """Unit vectors; each distinct text is encoded once."""
        rows, distinct = enumerated(texts)
        return self.network_vectors(distinct, side=side)[rows]

    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats:
        """The same without merging equal texts. Shape [texts, dim]."""
        ids = self._pipeline.ids(texts_of(texts), side=side)
        order = np.argsort([len(one) for one in ids], kind="stable").tolist()
        batches = _batches(order, ids)
        vectors = np.empty((len(ids), self.dim), dtype=np.float32)
        with one_thread_each():
            found = side_by_side(lambda batch: self._means(batch, ids), batches, workers=cores())
            for batch, means in zip(batches, found, strict=True):
                vectors[batch] = means
        return unit_rows(vectors)

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport."""
        arguments = {"pooling": ["mean"], "dense": [], "normalize": True}
        return {"architecture": "transformer", "arguments": arguments, "text": self._pipeline.to_dict()}

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return _again, (self._folder, self.name)

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats]:
        """The state of each token of each text, including special ones. Shape [tokens, dim] each."""
        ids = self._pipeline.ids(texts_of(texts), side=side)
        with one_thread_each():
            return [self._states([place], ids, [(len(one), 1)]) for place, one in enumerate(ids)]

    def _means(self, batch: list[int], ids: Sequence[NDArray[np.int32]]) -> Floats:
        """The mean state of the tokens of each text. Shape [texts, dim]."""
        runs = [(length, len(list(found))) for length, found in groupby(len(ids[text]) for text in batch)]
        states = self._states(batch, ids, runs)
        means, start = [], 0
        for length, texts in runs:
            end = start + length * texts
            means.append(states[start:end].reshape(texts, length, -1).mean(axis=1))
            start = end
        return np.concatenate(means)

    def _states(
        self, batch: list[int], ids: Sequence[NDArray[np.int32]], runs: list[tuple[int, int]]
    ) -> Floats:
        """The states of the tokens of texts, concatenated. Shape [tokens, dim]."""
        places = np.concatenate([np.arange(len(ids[text])) for text in batch])
        states = self._words[np.concatenate([ids[text] for text in batch])] + self._places[places]
        states = self._first(states)
        for layer in self._layers:
            states = layer(states, runs)
        return states


def _batches(order: Sequence[int], ids: Sequence[NDArray[np.int32]]) -> list[list[int]]:
    """Texts in order, batched up to a maximum number of tokens."""
    found: list[list[int]] = []
    tokens = _TOKENS
    for text in order:
        if tokens + len(ids[text]) > _TOKENS:
            found.append([])
            tokens = 0
        found[-1].append(text)
        tokens += len(ids[text])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Norm:
    """Layer normalisation: each row gets mean 0 and variance 1, then is scaled and shifted."""

    scale: Floats
    shift: Floats
    epsilon: np.float32

    @classmethod
    def of(cls, weights: dict[str, Floats], place: str, epsilon: float) -> _Norm:
        name = f"{place}.LayerNorm"
        return cls(weights[f"{name}.weight"], weights[f"{name}.bias"], np.float32(epsilon))

    def __call__(self, rows: Floats) -> Floats:
        rows -= rows.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.vecdot(rows, rows) / rows.shape[1] + self.epsilon)
        rows /= spread[:, None]
        rows *= self.scale
        rows += self.shift
        return rows


@dataclass(frozen=True, slots=True, eq=False)
class _Product:
    """Rows times a matrix, plus a bias."""

    matrix: Floats
    bias: Floats

    @classmethod
    def of(cls, weights: dict[str, Floats], *places: str) -> _Product:
        """The products of several names, side by side as one."""
        return cls(
            np.ascontiguousarray(np.concatenate([weights[f"{place}.weight"] for place in places]).T),
            np.concatenate([weights[f"{place}.bias"] for place in places]),
        )

    def __call__(self, rows: Floats) -> Floats:
        found: Floats = rows @ self.matrix
        found += self.bias
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _BertLayer:
    """Attention and two dense layers, each followed by a sum and a norm."""

    heads: int
    looks: _Product
    joins: _Product
    after_looking: _Norm
    widens: _Product
    narrows: _Product
    after_thinking: _Norm

    @classmethod
    def of(cls, weights: dict[str, Floats], layer: int, sizes: _Sizes) -> _BertLayer:
        place = f"encoder.layer.{layer}"
        own = f"{place}.attention.self"
        return cls(
            sizes.heads,
            _Product.of(weights, f"{own}.query", f"{own}.key", f"{own}.value"),
            _Product.of(weights, f"{place}.attention.output.dense"),
            _Norm.of(weights, f"{place}.attention.output", sizes.epsilon),
            _Product.of(weights, f"{place}.intermediate.dense"),
            _Product.of(weights, f"{place}.output.dense"),
            _Norm.of(weights, f"{place}.output", sizes.epsilon),
        )

    def __call__(self, states: Floats, runs: Sequence[tuple[int, int]]) -> Floats:
        """The states after this layer.

        Args:
            states: states of the tokens of texts, concatenated. Shape [tokens, dim].
            runs: lengths, each with the number of texts that have it.
        """
        looked, start = np.empty_like(states), 0
        three = self.looks(states)
        for length, texts in runs:
            end = start + length * texts
            looked[start:end] = self._attended(three[start:end].reshape(texts, length, 3, self.heads, -1))
            start = end
        joined = self.joins(looked)
        joined += states
        middle = self.after_looking(joined)
        wide = self.widens(middle)
        for first in range(0, len(wide), _BLOCK):
            gelu(wide[first : first + _BLOCK])
        narrow = self.narrows(wide)
        narrow += middle
        return self.after_thinking(narrow)

    def _attended(self, three: Floats) -> Floats:
        """Attention-weighted means of values; shape [tokens, dim]."""
        texts, length, _, heads, width = three.shape
        queries, keys, values = three.transpose(2, 0, 3, 1, 4)
        shares = queries @ keys.transpose(0, 1, 3, 2)
        shares *= np.float32(width**-0.5)
        shares -= shares.max(axis=3, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=3, keepdims=True)
        return (shares @ values).transpose(0, 2, 1, 3).reshape(texts * length, heads * width)


def gelu(rows: Floats) -> None:
    """The exact GELU in place: x times the normal distribution function. Any shape.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26; the error is at most 1.5e-7 x.
    """
    size = np.abs(rows)
    t = np.float32(1) / (np.float32(1) + np.float32(0.3275911 / np.sqrt(2)) * size)
    tail = np.float32(1.061405429) * t
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(factor)
        tail *= t
    np.multiply(size, size, out=t)
    t *= np.float32(-0.5)
    tail *= np.exp(t, out=t)
    tail *= np.float32(0.5)  # the probability beyond |x|
    tail *= size
    np.maximum(rows, 0, out=rows)
    rows -= tail


def _again(folder: Path, name: str) -> LightTransformer:
    """Unpickle the encoder from its folder."""
    return LightTransformer(folder, name=name)

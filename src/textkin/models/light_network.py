"""A BERT-like network without torch, from packed weights: arrays for many tokens, loops for few."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import numpy as np

from textkin.base.arrays import Floats32, Ints32
from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN, number, read_object, whole, wrong
from textkin.base.numba_cache import arrays_do
from textkin.models.adapters import ADAPTER, AdaptedTable, adapted, is_adapted
from textkin.models.packed_weights import GROUP, PACKED, PackedTable, stored

_SHARES = 1 << 16  # shares of attention at once, which stay in the cache
_BLOCK = 32  # rows of a wide layer whose activations are computed at once
_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_CONFIG = "config.json"

_LOOPS = "textkin.models.packed_loops"
_TOKENS = 2_048  # tokens of a batch
_FEW = 24  # tokens up to which loops over packed weights may be faster than products of arrays
_TRIAL_TOKENS, _TRIALS = 12, 5

Ids = Sequence[Ints32]
"""Token ids of each text, at least one a text."""

_Table = PackedTable | AdaptedTable
_Weights = Mapping[str, _Table | Floats32]


@dataclass(frozen=True, slots=True)
class _Sizes:
    layers: int
    heads: int
    epsilon: float


class LightNetwork:
    """Tokens to states.

    Args:
        folder: a folder with packed weights, or with an adapter.
        settings: the network's, as in a Hugging Face ``config.json``, and the file that holds them; None for
            the folder's own.

    Attributes:
        others: the tensors of heads, in single precision.

    Raises:
        ModelError: a file is missing or broken.
    """

    def __init__(self, folder: Path, settings: tuple[Mapping[str, Any], Path] | None = None) -> None:
        path = folder / _CONFIG
        config, path = settings or (read_object(path), path)
        sizes = _Sizes(
            whole(config, "num_hidden_layers", path),
            whole(config, "num_attention_heads", path),
            number(config, "layer_norm_eps", path),
        )
        for key, known in _KNOWN.items():
            if config.get(key, known) != known:
                raise wrong(config, key, path, repr(known))
        place = folder / (ADAPTER if is_adapted(folder) else PACKED)
        weights: _Weights = adapted(place) if is_adapted(folder) else stored(place)
        self.others = {name: one for name, one in weights.items() if isinstance(one, np.ndarray)}
        try:
            self._words, places, types = (
                _table(weights, f"embeddings.{name}_embeddings")
                for name in ("word", "position", "token_type")
            )
            self._places = places.full() + types.full()[:, None]
            self._first = _Norm.of(weights, "embeddings", sizes.epsilon)
            self._layers = [_BertLayer.of(weights, layer, sizes) for layer in range(sizes.layers)]
        except KeyError as error:
            raise ModelError(f"has no tensor {error}", path=place, fix=AGAIN) from error
        if any(name.startswith(f"encoder.layer.{sizes.layers}.") for name in weights):
            raise ModelError(f"has more than {sizes.layers} layers", path=place, fix=AGAIN)
        if self.dim % sizes.heads:
            raise ModelError(
                f"num_attention_heads is {sizes.heads}, which doesn't divide the width of {self.dim}",
                path=path,
                fix=AGAIN,
            )

    @property
    def dim(self) -> int:
        """Width of the states."""
        return self._words.shape[1]

    @property
    def tokens(self) -> int:
        """The number of known tokens."""
        return self._words.shape[0]

    @property
    def longest(self) -> int:
        """The maximum number of tokens of a text."""
        return self._places.shape[1]

    def means(self, ids: Ids, *, by_loop: bool | None = None) -> Floats32:
        """The mean state of the tokens of each text. Shape [texts, dim].

        Args:
            ids: texts of equal length should follow one another.
            by_loop: see :meth:`states`.
        """
        states, means, start = self.states(ids, by_loop=by_loop), [], 0
        for length, texts in _runs(ids):
            end = start + length * texts
            means.append(states[start:end].reshape(texts, length, -1).mean(axis=1))
            start = end
        return np.concatenate(means)

    def states(self, ids: Ids, *, types: Ids | None = None, by_loop: bool | None = None) -> Floats32:
        """The states of the tokens of texts, concatenated. Shape [tokens, dim].

        Args:
            ids: the texts.
            types: the type of each token, such as 1 for those of a second text; 0 for all if None.
            by_loop: True for loops, False for arrays, None for what is measured to be faster.
        """
        if by_loop is None:
            by_loop = self.may_loop(ids) and self._loops_pay
        return self._states(ids, types, by_loop=by_loop)

    def may_loop(self, ids: Ids) -> bool:
        """True if there are few tokens, loops read the weights, and are loaded already, or repay it."""
        return sum(map(len, ids)) <= _FEW and self._weights > 0 and not arrays_do(_LOOPS, self._weights)

    def load_loops(self) -> None:
        """Load the loops now, not only once they pay off."""
        import_module(_LOOPS)
        self._states([np.zeros(1, dtype=np.int32)], by_loop=True)

    def loops_beat(self, other: Callable[[Ids], object]) -> bool:
        """True if loops are measured to be faster for few tokens than something else."""
        ids, loops = [np.arange(_TRIAL_TOKENS, dtype=np.int32)], partial(self._states, by_loop=True)
        turns = [(_seconds(loops, ids), _seconds(other, ids)) for _ in range(_TRIALS)]
        return min(one for one, _ in turns) < min(one for _, one in turns)

    def _states(self, ids: Ids, types: Ids | None = None, *, by_loop: bool) -> Floats32:
        places = np.concatenate([np.arange(len(one)) for one in ids])
        types_of = 0 if types is None else np.concatenate(types)
        states = self._first(self._words.full(np.concatenate(ids)) + self._places[types_of, places])
        runs = _runs(ids)
        for layer in self._layers:
            states = (layer.by_loop if by_loop else layer)(states, runs)
        return states

    @cached_property
    def _weights(self) -> int:
        """The number of weights that loops read; 0 if these are not all packed."""
        products = [product for layer in self._layers for product in layer.products]
        return sum(one.size for one in products) if all(one.is_packed for one in products) else 0

    @cached_property
    def _loops_pay(self) -> bool:
        return self.loops_beat(partial(self._states, by_loop=False))


def _seconds(way: Callable[[Ids], object], ids: Ids) -> float:
    """Seconds of this thread, so that other processes decide little."""
    start = time.thread_time()
    way(ids)
    return time.thread_time() - start


def batches_of(ids: Ids) -> list[list[int]]:
    """The places of texts by their lengths, in batches whose states stay in the cache."""
    found: list[list[int]] = []
    tokens = _TOKENS
    for text in np.argsort([len(one) for one in ids], kind="stable").tolist():
        if tokens + len(ids[text]) > _TOKENS:
            found.append([])
            tokens = 0
        found[-1].append(text)
        tokens += len(ids[text])
    return found


def _runs(ids: Ids) -> list[tuple[int, int]]:
    """Lengths, each with the number of texts in a row that have it."""
    return [(length, len(list(found))) for length, found in groupby(map(len, ids))]


def _table(weights: _Weights, place: str) -> _Table:
    """The table of a part.

    Raises:
        KeyError: there is none.
    """
    found = weights[f"{place}.weight"]
    if isinstance(found, PackedTable | AdaptedTable):
        return found
    raise KeyError(f"{place}.weight.scales")


@dataclass(frozen=True, slots=True, eq=False)
class _Norm:
    """Layer normalisation: each row gets mean 0 and variance 1, then is scaled and shifted."""

    scale: Floats32
    shift: Floats32
    epsilon: np.float32

    @classmethod
    def of(cls, weights: _Weights, place: str, epsilon: float) -> _Norm:
        scale, shift = (cast("Floats32", weights[f"{place}.LayerNorm.{part}"]) for part in ("weight", "bias"))
        return cls(scale, shift, np.float32(epsilon))

    @property
    def arguments(self) -> tuple[Floats32, Floats32, np.float32]:
        """The arguments of a compiled loop."""
        return self.scale, self.shift, self.epsilon

    def __call__(self, rows: Floats32) -> Floats32:
        rows -= rows.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.vecdot(rows, rows) / rows.shape[1] + self.epsilon)
        rows /= spread[:, None]
        rows *= self.scale
        rows += self.shift
        return rows


class _Product:
    """Rows times a matrix, plus a bias."""

    def __init__(self, tables: Sequence[_Table], bias: Floats32) -> None:
        self._bias = bias
        packed = [one for one in tables if isinstance(one, PackedTable)]
        self.is_packed = len(packed) == len(tables)
        if self.is_packed:
            self._panels, self._scales = PackedTable.stacked(packed).panels()
        else:  # loops don't read changes
            self._matrix = np.concatenate([one.full() for one in tables]).T

    @classmethod
    def of(cls, weights: _Weights, *places: str) -> _Product:
        """The products of several names, side by side as one."""
        biases: list[Any] = [weights[f"{place}.bias"] for place in places]
        return cls([_table(weights, place) for place in places], np.concatenate(biases))

    @cached_property
    def _matrix(self) -> Floats32:
        """The weights in single precision. Shape [inputs, outputs]."""
        panels, inputs, _ = self._panels.shape
        full = self._panels.astype(np.float32)
        full.reshape(panels, -1, GROUP, GROUP)[:] *= self._scales[:, :, None]
        return full.transpose(1, 0, 2).reshape(inputs, -1)

    @property
    def size(self) -> int:
        """The number of packed weights."""
        return int(self._panels.size)

    def __call__(self, rows: Floats32) -> Floats32:
        found: Floats32 = rows @ self._matrix
        found += self._bias
        return found

    def by_loop(self, rows: Floats32) -> Floats32:
        """The same from packed weights, a quarter of the bytes, which pays for few rows."""
        from textkin.models.packed_loops import product

        found = np.empty((len(rows), len(self._bias)), dtype=np.float32)
        product(rows, self._panels, self._scales, self._bias, found)
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
    def of(cls, weights: _Weights, layer: int, sizes: _Sizes) -> _BertLayer:
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

    @property
    def products(self) -> tuple[_Product, ...]:
        """All of its products."""
        return self.looks, self.joins, self.widens, self.narrows

    def __call__(self, states: Floats32, runs: Sequence[tuple[int, int]]) -> Floats32:
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

    def by_loop(self, states: Floats32, runs: Sequence[tuple[int, int]]) -> Floats32:
        """The same for few tokens."""
        from textkin.models.packed_loops import gelu, normalise
        from textkin.networks.nn.attention_loops import attend_fp32

        looked, start = np.empty_like(states), 0
        three = self.looks.by_loop(states)
        for length, texts in runs:
            end = start + length * texts
            attend_fp32(three[start:end], length, self.heads, looked[start:end])
            start = end
        middle = self.joins.by_loop(looked)
        middle += states
        normalise(middle, *self.after_looking.arguments)
        wide = self.widens.by_loop(middle)
        gelu(wide)
        narrow = self.narrows.by_loop(wide)
        narrow += middle
        normalise(narrow, *self.after_thinking.arguments)
        return narrow

    def _attended(self, three: Floats32) -> Floats32:
        """Attention-weighted means of values; shape [tokens, dim]."""
        texts, length, _, heads, width = three.shape
        queries, keys, values = three.transpose(2, 0, 3, 1, 4)
        found = np.empty((texts, length, heads, width), dtype=np.float32)
        at_once = max(1, _SHARES // length**2)
        of_texts, of_heads = max(1, at_once // heads), min(at_once, heads)
        for text in range(0, texts, of_texts):
            for head in range(0, heads, of_heads):
                part = slice(text, text + of_texts), slice(head, head + of_heads)
                shares = queries[part] @ keys[part].swapaxes(2, 3)
                shares *= np.float32(width**-0.5)
                shares -= shares.max(axis=3, keepdims=True)
                np.exp(shares, out=shares)
                shares /= shares.sum(axis=3, keepdims=True)
                found[part[0], :, part[1]] = (shares @ values[part]).swapaxes(1, 2)
        return found.reshape(texts * length, heads * width)


def gelu(rows: Floats32) -> None:
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

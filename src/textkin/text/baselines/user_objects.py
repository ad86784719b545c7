"""Users' own objects as scorers, encoders and classifiers, with their results validated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textkin.base.errors import UsageError, invalid
from textkin.base.python_inputs import one_or_several
from textkin.data.protocols import Side, System
from textkin.text.baselines.pair_scoring import ScoresByCosine
from textkin.text.unknown_tokens import UnknownOf

_NEEDED = "give an object with name and score(pairs), encode(texts), or labels and classify(pairs)"


def given(model: object) -> System:
    """A user's object wrapped by its abilities; textkin's own models unchanged.

    Args:
        model: object with ``name``, and ``score(pairs)`` for one number per pair, higher for more similar; or
            ``encode(texts)`` for one vector per text, compared by cosine unless there is ``score`` too; or
            ``labels`` and ``classify(pairs)`` for one probability per class.

    Raises:
        UsageError: it has none of these, or no name.
    """
    if type(model).__module__.partition(".")[0] == "textkin":
        return model  # type: ignore[return-value]
    name = getattr(model, "name", None)
    if not isinstance(name, str) or not name:
        raise invalid("model", type(model).__name__, expected="an object with a name", fix=_NEEDED)
    if callable(getattr(model, "encode", None)):
        return GivenEncoder(model, name=name)
    if callable(getattr(model, "score", None)):
        return GivenScorer(model, name=name)
    if callable(getattr(model, "classify", None)) and hasattr(model, "labels"):
        return GivenClassifier(model, name=name)
    raise invalid("model", name, expected="an object that can score, encode or classify", fix=_NEEDED)


@final
class GivenScorer:
    """An object with ``score(pairs)``.

    Args:
        model: the object.
        name: name in tables.
    """

    def __init__(self, model: Any, *, name: str) -> None:
        self.name = name
        self._model = model

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The object's scores, shape [pairs].

        Raises:
            UsageError: the result is not one finite number per pair.
        """
        return _checked(self._model.score(pairs), (len(pairs),), f"{self.name}.score", "a pair")


@final
class GivenEncoder(ScoresByCosine):
    """An object with ``encode(texts)``, and optionally ``score(pairs)``.

    Args:
        model: the object; its ``encode`` receives the side if it has a parameter ``side``. With
            ``max_tokens``, ``reads_pairs`` and ``lengths(texts)`` it is a ``ReadsTokens``.
        name: name in tables.
    """

    def __init__(self, model: Any, *, name: str) -> None:
        self.name = name
        self._model = model
        self._takes_side = _takes_side(model.encode)
        self._dim: int | None = getattr(model, "dim", None)
        # The object itself reports its token limit, if it has one.
        for said in ("max_tokens", "reads_pairs", "lengths"):
            if hasattr(model, said):
                setattr(self, said, getattr(model, said))

    @property
    def dim(self) -> int:
        """The dimension of the vectors, from a test text if the object doesn't report it."""
        if self._dim is None:
            self._dim = self.encode(["a text"]).shape[1]
        return self._dim

    def _encode(self, texts: list[str], side: Side) -> NDArray[np.float32]:
        """The object's vectors, shape [texts, dim].

        Raises:
            UsageError: the result is not one vector of finite numbers per text.
        """
        if not len(texts):
            return np.empty((0, self.dim), dtype=np.float32)
        told = {"side": side} if self._takes_side else {}
        found = self._model.encode(texts, **told)
        return _checked(found, (len(texts), self._dim), f"{self.name}.encode", "a text")

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """The unknown tokens of texts; none if the object doesn't report them."""
        tell = getattr(self._model, "unknown", None)
        found: UnknownOf = tell(list(texts)) if callable(tell) else {}
        return found

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The object's scores, or the cosine of each pair. Shape [pairs].

        Raises:
            UsageError: the result is not one finite number per pair.
        """
        if callable(getattr(self._model, "score", None)):
            return GivenScorer(self._model, name=self.name).score(pairs)
        return super().score(pairs)


@final
class GivenClassifier:
    """An object with ``labels`` and ``classify(pairs)``.

    Args:
        model: the object.
        name: name in tables.
    """

    def __init__(self, model: Any, *, name: str) -> None:
        self.name = name
        self.labels: tuple[str, ...] = tuple(model.labels)
        self._model = model

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The object's probabilities, shape [pairs, labels].

        Raises:
            UsageError: the result is not one finite number per class and pair.
        """
        shape = (len(pairs), len(self.labels))
        return _checked(self._model.classify(pairs), shape, f"{self.name}.classify", "a pair and class")


def _takes_side(encode: Callable[..., Any]) -> bool:
    try:
        return "side" in inspect.signature(encode).parameters
    except (TypeError, ValueError):  # from compiled code
        return False


def _checked(found: ArrayLike, shape: tuple[int | None, ...], whose: str, each: str) -> NDArray[np.float32]:
    """An object's result as float32, if its shape is right; None stands for any width."""
    try:
        values: NDArray[np.float32] = np.asarray(found, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{whose} gave what is no array of numbers: {error}") from error
    wanted = [size if size is not None else values.shape[-1] if values.ndim else 1 for size in shape]
    if list(values.shape) != wanted or 0 in wanted[1:]:
        raise UsageError(
            f"{whose} gave the shape {list(values.shape)}, expected {wanted}",
            fix=f"give one {'vector' if None in shape else 'number'} {each}",
        )
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values).reshape(len(values), -1).all(axis=1))[0])
        raise UsageError(f"{whose} gave what is no finite number, first in place {place}")
    return values

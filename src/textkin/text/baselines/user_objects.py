"""Users' own objects as scorers, encoders and classifiers, with their results validated."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from textkin.base import import_path
from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError, invalid
from textkin.base.import_path import called_method
from textkin.base.python_inputs import one_or_several
from textkin.base.python_values import on_cpu
from textkin.data.protocols import Side, System
from textkin.text.baselines.pair_scoring import ScoresByCosine
from textkin.text.unknown_tokens import UnknownOf

_NEEDED = (
    "give an object with encode(texts), score(pairs), predict(pairs), or labels and classify(pairs), or a "
    "function of two lists of texts"
)

ScorePairs = Callable[[list[tuple[str, str]]], Any]


def given(model: Any) -> System:
    """A user's object wrapped by its abilities; textkin's own models in the precision that they score in.

    Args:
        model: an object with ``encode(texts)`` for one vector per text, compared by cosine unless there is
            ``score``, too, such as a ``SentenceTransformer``; with ``score(pairs)`` or ``predict(pairs)`` for
            one number per pair, higher for more similar, such as a ``CrossEncoder``; with ``labels`` and
            ``classify(pairs)`` for one probability per class; or a function of first texts and second texts
            with one number per pair. Arrays may be lists, NumPy's, or tensors of any device.

    Raises:
        UsageError: it is none of these.
    """
    if type(model).__module__.partition(".")[0] == "textkin":
        return getattr(model, "as_scored", model)
    name = called(model)
    if isinstance(model, type):
        raise invalid("model", name, expected="an object, not its class", fix=f"write {name}()")
    if callable(getattr(model, "encode", None)) and not isinstance(model, str):
        return GivenEncoder(model, name=name)
    if callable(getattr(model, "classify", None)) and hasattr(model, "labels"):
        return GivenClassifier(model, name=name)
    for method in ("score", "predict"):
        if callable(getattr(model, method, None)):
            scoring = partial(called_method, model, method)
            return GivenScorer(scoring, name=name, whose=f"{name}.{method}")
    if callable(model):
        if not import_path.takes(model, 2):
            raise invalid("model", name, expected="a function of two lists: the first texts, and the second")
        return GivenScorer(partial(_by_function, model, name), name=name, whose=name)
    if isinstance(model, int | float):
        raise invalid("model", model, expected="a model", fix="name numbers, such as `threshold=0.9`")
    raise invalid("model", name, expected="a model", fix=_NEEDED)


def _by_function(function: Any, name: str, pairs: list[tuple[str, str]]) -> Any:
    sides = map(list, zip(*pairs, strict=True))
    return import_path.called(name, function, *sides, kind="model", options={})


def called(model: Any) -> str:
    """The name of a user's object in tables: its ``name``, or that of the function or class."""
    name = getattr(model, "name", None)
    if isinstance(name, str) and name:
        return name
    return str(getattr(model, "__name__", type(model).__name__)).strip("<>")


class GivenScorer:
    """A function of pairs, such as a method ``score`` or ``predict`` of an object.

    Args:
        scoring: the function.
        name: name in tables.
        whose: name of the function in errors.
    """

    def __init__(self, scoring: ScorePairs, *, name: str, whose: str) -> None:
        self.name = name
        self._scoring = scoring
        self._whose = whose

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The object's scores, shape [pairs].

        Raises:
            UsageError: the result is not one finite number per pair.
        """
        if not len(pairs):
            return np.empty(0, dtype=np.float32)
        return _checked(self._scoring(list(pairs)), (len(pairs),), self._whose, "per pair")


class GivenEncoder(ScoresByCosine):
    """An object with ``encode(texts)``, and optionally ``score(pairs)``.

    Args:
        model: the object. Queries and documents go to its ``encode_query`` and ``encode_document``, or to its
            ``encode`` with the side, if it has these methods or a parameter ``side``. With ``max_tokens``,
            ``reads_pairs`` and ``lengths(texts)`` it is a ``ReadsTokens``.
        name: name in tables.
    """

    def __init__(self, model: Any, *, name: str) -> None:
        self.name = name
        self._model = model
        self._takes_side = _takes_side(model.encode)
        dim = getattr(model, "dim", None)
        self._dim: int | None = dim if isinstance(dim, int) else None
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

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """The object's vectors, shape [texts, dim].

        Raises:
            UsageError: the result is not one vector of finite numbers per text.
        """
        if not len(texts):
            return np.empty((0, self.dim), dtype=np.float32)
        more = {"side": side} if self._takes_side else {}
        own = f"encode_{side}"
        method = own if side is not Side.TEXT and not more and hasattr(self._model, own) else "encode"
        found = called_method(self._model, method, texts, options=more)
        return _checked(found, (len(texts), self._dim), f"{self.name}.encode", "per text")

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """The unknown tokens of texts; none if the object doesn't report them."""
        tell = getattr(self._model, "unknown", None)
        return tell(list(texts)) if callable(tell) else {}

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The object's scores, or the cosine of each pair. Shape [pairs].

        Raises:
            UsageError: the result is not one finite number per pair.
        """
        if callable(getattr(self._model, "score", None)):
            scoring = partial(called_method, self._model, "score")
            return GivenScorer(scoring, name=self.name, whose=f"{self.name}.score").score(pairs)
        return super().score(pairs)


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
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The object's probabilities, shape [pairs, labels].

        Raises:
            UsageError: the result is not one finite number per class and pair.
        """
        shape = (len(pairs), len(self.labels))
        return _checked(
            called_method(self._model, "classify", pairs),
            shape,
            f"{self.name}.classify",
            "per pair and class",
        )


def _takes_side(encode: Callable[..., Any]) -> bool:
    try:
        return "side" in inspect.signature(encode).parameters
    except (TypeError, ValueError):  # from compiled code
        return False


def _checked(found: Any, shape: tuple[int | None, ...], whose: str, each: str) -> Floats32:
    """An object's result as float32, if its shape is right; None stands for any width."""
    try:
        values: Floats32 = np.asarray(on_cpu(found), dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{whose} returned something other than an array of numbers: {error}") from error
    wanted = [size if size is not None else values.shape[-1] if values.ndim else 1 for size in shape]
    if list(values.shape) != wanted or 0 in wanted[1:]:
        sizes = ", ".join("width" if size is None else str(size) for size in shape)
        raise UsageError(
            f"{whose} gave the shape {list(values.shape)}, expected [{sizes}]",
            fix=f"give one {'vector' if None in shape else 'number'} {each}",
            params=(whose,),
            value=list(values.shape),
        )
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values).reshape(len(values), -1).all(axis=1))[0])
        raise UsageError(
            f"{whose} returned a number that is not finite, first in place {place}",
            params=(whose,),
            value=place,
        )
    return values

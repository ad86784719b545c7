"""The argument MODEL: default, a folder, a cached name or a baseline.

Folders are textkin's, sentence-transformers', model2vec's, and those of Hugging Face transformers. The name
``default`` is the encoder in the box; others are looked up as folders, then in the Hugging Face cache.
Nothing here reaches the network but :func:`fetch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.errors import ModelError, UsageError, did_you_mean
from textkin.hub import DEFAULT, locate, located, name_of, searched
from textkin.hub import fetch as fetch_from_hub
from textkin.interop.kinds import Kind, kind_of
from textkin.protocols import Encoder, Scorer, System
from textkin.records import PairSet
from textkin.scorers import BASELINES, build
from textkin.scorers.classes import CLASS_BASELINES, build_classifier


def named_systems(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The models of each system that a user names: MODEL, or NAME=MODEL,MODEL,... for the seeds of one.

    Raises:
        UsageError: a name is empty, that of a baseline, or comes twice with different models.
    """
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, equals, models = word.partition("=")
        seeds = tuple(one for one in models.split(",") if one)
        if not equals or Path(word).exists():
            name, seeds = word, (word,)
        if not name or not seeds or (name in (*BASELINES, *CLASS_BASELINES) and seeds != (name,)):
            raise UsageError(f"{word!r} names no system", fix="write MODEL, or NAME=MODEL,MODEL,...")
        if found.setdefault(name, seeds) != seeds:
            raise UsageError(f"two systems are called {name!r}", fix="give them different names")
    return found


def load(path: Path | str = DEFAULT) -> Scorer:
    """The encoder, scorer or classifier in a folder, or in the Hugging Face cache by its name.

    Without a name, it is the static encoder in the box, which needs no torch.

    Raises:
        ModelError: there is no model that textkin can read.
    """
    folder = located(path)
    if kind_of(folder) is Kind.STATIC:
        from textkin.scorers.static import StaticEncoder
        from textkin.text.static import load_static

        return StaticEncoder(load_static(folder), name=name_of(folder))
    from textkin.encode import load_scorer

    return load_scorer(folder)


def load_encoder(path: Path | str = DEFAULT) -> Encoder:
    """:func:`load`, where a model without vectors is an error.

    Raises:
        ModelError: as :func:`load`, or the model compares texts without placing them in a space.
    """
    found = load(path)
    if isinstance(found, Encoder):
        return found
    raise ModelError(
        f"{path} holds {found.name}, which compares two texts and gives no vectors", fix="give an encoder"
    )


def encoder_of(model: str | Path | Encoder | None) -> Encoder:
    """An encoder, that of a folder or name, or the one in the box.

    Raises:
        ModelError: there is no such encoder.
    """
    return model if isinstance(model, Encoder) else load_encoder(DEFAULT if model is None else model)


def resolve(model: str, *, fit_texts: Sequence[str], vectors: Path | None = None, seed: int = 0) -> Scorer:
    """The scorer that a user's word means.

    Args:
        model: a folder, a cached model's name, or one of ``scorers.BASELINES``.
        fit_texts: where a baseline takes its word frequencies from.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random.

    Raises:
        UsageError: there is neither a model nor a baseline of that name.
        ModelError: the folder can't be read.
    """
    if model in BASELINES:
        return build(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
    return _saved(model, BASELINES)


def resolve_for_classes(model: str, *, train: PairSet, seed: int = 0) -> System:
    """What a user's word means for classes; a folder may hold no classifier.

    Args:
        model: a folder, a cached model's name, or one of ``scorers.classes.CLASS_BASELINES``.
        train: labelled pairs that a baseline is fitted on.
        seed: of the baseline random.

    Raises:
        UsageError: there is neither a model nor a baseline of that name.
        ModelError: the folder can't be read.
        DataError: a baseline can't be fitted on ``train``.
    """
    if model in CLASS_BASELINES:
        return build_classifier(model, train=train, seed=seed)
    return _saved(model, CLASS_BASELINES)


def fetch(*models: str) -> None:
    """Download models of the Hugging Face hub into the cache, unless they are at hand or baselines.

    Raises:
        ModelError: the hub can't be reached, or has no such model.
    """
    for model in models:
        if model not in (*BASELINES, *CLASS_BASELINES):
            fetch_from_hub(model)


def model_folder(model: str) -> Path:
    """The folder of a textkin model, for commands that write into it.

    Raises:
        ModelError: it is a baseline's name, or no textkin model.
    """
    from textkin.model_dir import is_model_dir

    if not is_model_dir(model):
        raise ModelError(f"{model} is not a textkin model directory", fix="train one with: textkin train")
    return Path(model)


def _saved(model: str, baselines: Sequence[str]) -> Scorer:
    """The model that the user must have meant, since it is none of the baselines."""
    if locate(model) is None and not Path(model).exists():
        raise UsageError(
            f"there is no model directory {model!r} and no baseline of that name ({searched(model)})",
            fix=f"fetch it from the hub with --download, or {did_you_mean(model, (DEFAULT, *baselines))}",
        )
    return load(model)

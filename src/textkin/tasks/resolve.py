"""What a user may write for MODEL: a model directory, a model2vec folder, or a baseline's name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.errors import ModelError, UsageError, did_you_mean
from textkin.protocols import Encoder, Scorer, System
from textkin.records import PairSet
from textkin.scorers import BASELINES, build
from textkin.scorers.classes import CLASS_BASELINES, build_classifier


def load(path: Path | str) -> Scorer:
    """The encoder, scorer or classifier in a textkin model directory or in a model2vec folder.

    Raises:
        ModelError: there is no model that textkin can read.
    """
    folder = Path(path)
    if _is_static(folder):
        from textkin.scorers.static import StaticEncoder
        from textkin.text.static import load_static

        return StaticEncoder(load_static(folder), name=folder.name)
    from textkin.encode import load_scorer

    return load_scorer(folder)


def load_encoder(path: Path | str) -> Encoder:
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


def resolve(model: str, *, fit_texts: Sequence[str], vectors: Path | None = None, seed: int = 0) -> Scorer:
    """The scorer that a user's word means.

    Args:
        model: a folder, or one of ``scorers.BASELINES``.
        fit_texts: where a baseline takes its word frequencies from.
        vectors: for the baseline mean-vectors.
        seed: of the baseline random.

    Raises:
        UsageError: there is neither a folder nor a baseline of that name.
        ModelError: the folder can't be read.
    """
    if model in BASELINES:
        return build(model, fit_texts=fit_texts, vectors=vectors, seed=seed)
    return _saved(model, BASELINES)


def resolve_for_classes(model: str, *, train: PairSet, seed: int = 0) -> System:
    """What a user's word means where labels are classes; a folder's model may turn out to be no classifier.

    Args:
        model: a folder, or one of ``scorers.classes.CLASS_BASELINES``.
        train: labelled pairs that a baseline is fitted on.
        seed: of the baseline random.

    Raises:
        UsageError: there is neither a folder nor a baseline of that name.
        ModelError: the folder can't be read.
        DataError: a baseline can't be fitted on ``train``.
    """
    if model in CLASS_BASELINES:
        return build_classifier(model, train=train, seed=seed)
    return _saved(model, CLASS_BASELINES)


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
    """The model in a folder, which is what the user must have meant if it is none of the baselines."""
    if Path(model).is_dir():
        return load(model)
    if Path(model).exists():
        raise ModelError(
            f"{model} is a file, expected a model directory", fix="give the folder that holds it"
        )
    raise UsageError(
        f"there is no model directory {model!r} and no baseline of that name",
        fix=did_you_mean(model, baselines),
    )


def _is_static(folder: Path) -> bool:
    # A textkin model has no config.json; a sentence encoder of several modules has a modules.json that
    # load_static reads.
    return (folder / "config.json").is_file() and not (folder / "textkin.json").is_file()

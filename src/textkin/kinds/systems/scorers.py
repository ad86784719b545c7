"""From a word or object to a scorer, an encoder or a classifier."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textkin.base.errors import ModelError, UsageError, invalid
from textkin.base.extras import finds_torch
from textkin.base.hub import BOX, DEFAULT, located, name_of
from textkin.base.progress import timed
from textkin.data.protocols import Encoder, Scorer, System
from textkin.data.records import PairSet
from textkin.kinds.systems.model_names import (
    AnyModel,
    ensemble_in,
    refuse_baseline,
    refuse_frequencies,
    require,
)
from textkin.kinds.systems.predictions import NONE_GIVEN, given_member
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks
from textkin.measures.decisions.saved_thresholds import SavedDecision, SavedThreshold
from textkin.models.adapters import is_adapted
from textkin.models.ensembles.open_ensemble import open_ensemble
from textkin.models.ensembles.scorer import EnsembleScorer
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.models.packed_weights import is_packed
from textkin.models.provenance import hash_of_scorer
from textkin.text.baselines import build
from textkin.text.baselines.classifiers import CLASS_BASELINES, build_classifier
from textkin.text.baselines.hybrid import hybrid_members
from textkin.text.baselines.names import BASELINES, BaselineNames
from textkin.text.baselines.own_systems import is_own, own_system
from textkin.text.baselines.span_readers import SPAN_BASELINES
from textkin.text.baselines.user_objects import called, given
from textkin.training.untrained_network import Untrained

if TYPE_CHECKING:
    from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder, NeuralScorer
    from textkin.models.inference.span_readers import NeuralReader


def load(path: Path | str = DEFAULT) -> Scorer:
    """Load the encoder, scorer or classifier in a folder, or in the Hugging Face cache by name.

    Without a name, it is the built-in static encoder, which needs no torch.

    Raises:
        ModelError: there is no readable model, or it is an ensemble of which a member is missing, has
            changed, or takes word frequencies from texts.
    """
    refuse_baseline(path)
    folder = located(path)
    with timed(f"model {path}, from {folder}"):
        return _loaded(folder)


def _loaded(folder: Path) -> Scorer:
    """The model in a folder."""
    kind = kind_of(folder)
    if kind is Kind.ENSEMBLE:
        refuse_frequencies(folder)
        return cast("Scorer", open_ensemble(folder, lambda one: resolve(one, fit_texts=())))
    if kind is Kind.STATIC:
        from textkin.text.baselines.static_encoder import StaticEncoder
        from textkin.text.static_embeddings import load_static

        return StaticEncoder(load_static(folder), name=name_of(folder), folder=folder.resolve())
    if is_packed(folder) and sys.modules.get("torch") is None:
        from textkin.models.light_transformer import LightTransformer
        from textkin.models.packed_encoder import PackedEncoder

        light = LightTransformer(folder.resolve(), name=name_of(folder))
        return PackedEncoder(light) if finds_torch() else light
    if sys.modules.get("torch") is None and is_adapted(folder):
        from textkin.models.light_scorers import light_scorer

        return cast("Scorer", light_scorer(folder))
    from textkin.models.inference.scorers import load_scorer

    return load_scorer(folder)


def load_encoder(path: Path | str = DEFAULT) -> Encoder:
    """Like :func:`load`, but a model without vectors is an error.

    Raises:
        ModelError: as :func:`load`, or the model compares texts without vectors.
    """
    return as_encoder(load(path), path)


def as_encoder(found: System, place: object) -> Encoder:
    """The system that was opened, if it is an encoder.

    Args:
        found: the system.
        place: what the user named it by, for the error.

    Raises:
        ModelError: it compares texts without vectors.
    """
    if isinstance(found, Encoder):
        return found
    raise ModelError(
        f"{place} compares two texts and gives no vectors",
        fix="give an encoder; `search()` takes the other as `rerank`, `score()` as its model",
        value=str(place),
    )


def encoder_of(model: AnyModel | None) -> Encoder:
    """An encoder: the object itself, that of a folder or name, or the built-in one.

    Raises:
        ModelError: there is no such encoder.
    """
    if model is None or (isinstance(model, str | Path) and not is_own(model)):
        return load_encoder(DEFAULT if model is None else model)
    found = own_system(model) if is_own(model) else given(model)
    return as_encoder(found, found.name)


def resolve(
    model: AnyModel,
    *,
    fit_texts: Sequence[str],
    vectors: Path | None = None,
    seed: int = 0,
    opened: dict[str, Scorer] | None = None,
    given_systems: Mapping[str, Any] = NONE_GIVEN,
) -> Scorer:
    """The scorer for a user's word or object.

    Args:
        model: a folder, a cached model's name, one of ``text.baselines.BASELINES``, a hybrid, or an object.
        fit_texts: the source of a baseline's word frequencies.
        vectors: word vectors for the baseline mean-vectors.
        seed: the seed of the baseline random, and of the weights of an untrained recipe.
        opened: already opened scorers by word, which are reused; newly opened ones are added.
        given_systems: predictions that members of ensembles stand for, by name.

    Raises:
        ModelError: there is no such model or baseline, or the folder can't be read.
    """
    if isinstance(model, Untrained):
        return model.system(fit_texts, seed=seed, vectors=vectors)
    if not isinstance(model, str | Path):
        found = given(model)
        if isinstance(found, Scorer):
            return found
        raise _classes_only(found.name)
    word, known = str(model), {} if opened is None else opened
    if (predicted := given_member(word, given_systems)) is not None:
        return resolve(predicted, fit_texts=fit_texts)
    if word not in known:
        options: Any = {"vectors": vectors, "seed": seed, "opened": known}
        again = partial(resolve, fit_texts=fit_texts, given_systems=given_systems, **options)
        if is_own(word):
            found = own_system(word, fit_texts=fit_texts, vectors=vectors, seed=seed)
        elif word in BASELINES:
            found = build(word, fit_texts=fit_texts, vectors=vectors, seed=seed)
        else:
            found = _together(word, again) or _saved(word, BASELINES)
        if not isinstance(found, Scorer):
            raise _classes_only(found.name)
        known[word] = found
    return known[word]


def _together(word: str, resolve: Callable[[str], Scorer]) -> System | None:
    """The hybrid or the ensemble of that name; None if it is neither."""
    if (members := hybrid_members(word)) is not None:
        return EnsembleScorer([resolve(one) for one in members], ReciprocalRanks(len(members)), name=word)
    folder = ensemble_in(word)
    return None if folder is None else open_ensemble(folder, resolve)


def resolve_for_classes(
    model: AnyModel, *, train: PairSet, seed: int = 0, given_systems: Mapping[str, Any] = NONE_GIVEN
) -> System:
    """The classifier for a user's word or object; a folder may contain another model.

    Args:
        model: a folder, a cached model's name, one of ``text.baselines.classifiers.CLASS_BASELINES``, or an
            object.
        train: labelled pairs to fit a baseline on.
        seed: the seed of the baseline random, and of the weights of an untrained recipe.
        given_systems: predictions that members of ensembles stand for, by name.

    Raises:
        ModelError: there is no such model or baseline, or the folder can't be read.
        DataError: a baseline can't be fitted on ``train``.
    """
    if isinstance(model, Untrained):
        texts = [text for pair in train.texts for text in pair]
        return model.system(texts, seed=seed, classes=train.classes)
    if not isinstance(model, str | Path):
        return given(model)
    model = str(model)
    if (predicted := given_member(model, given_systems)) is not None:
        return given(predicted)
    if is_own(model):
        texts = [text for pair in train.texts for text in pair]
        return cast("System", own_system(model, fit_texts=texts, seed=seed))
    if model in CLASS_BASELINES:
        return build_classifier(model, train=train, seed=seed)
    if (folder := ensemble_in(model)) is not None:
        return open_ensemble(
            folder, partial(resolve_for_classes, train=train, seed=seed, given_systems=given_systems)
        )
    return _saved(model, CLASS_BASELINES)


def load_attending(path: Path | str) -> NeuralEncoder | NeuralScorer | NeuralClassifier | NeuralReader:
    """Load the trained network in a folder or in the cache, to inspect its attention.

    Raises:
        UsageError: it is a baseline or a static encoder, which has no attention.
        ModelError: there is no readable model.
    """
    static = f"{path} has no network with attention"
    fix = "give the folder of a trained model that compares tokens, such as esim or a cross-encoder"
    if str(path) in BaselineNames((*BASELINES, *CLASS_BASELINES, *SPAN_BASELINES)):
        raise UsageError(static, fix=fix, params=("model",), value=path)
    folder = located(path)
    if kind_of(folder) is Kind.STATIC:
        raise UsageError(static, fix=fix, params=("model",), value=path)
    from textkin.models.inference.scorers import scorer_of
    from textkin.models.inference.span_readers import NeuralReader
    from textkin.models.model_folder import load_model
    from textkin.networks.architectures.span_network import SpanNetwork

    model = load_model(folder)
    if isinstance(model.module, SpanNetwork):
        return NeuralReader(model.module, model.pipeline, name=model.name, loaded=model)
    return scorer_of(model)


def decision_of(path: Path | str, model: AnyModel | None) -> SavedThreshold:
    """The threshold in a file of ``calibrate``, which must belong to this encoder.

    Args:
        path: the file.
        model: the encoder's folder or name; None for the built-in one.

    Raises:
        DataError: it isn't such a file.
        ModelError: it belongs to another model, or an object can't be identified.
    """
    found = SavedDecision.read(path)
    if model is not None and not isinstance(model, str | Path):
        raise ModelError(
            f"{called(model)} is given as an object, so {path} may have been made for another model",
            fix="give the model's folder or name",
            value=called(model),
        )
    name = DEFAULT if model is None else model
    found.require(hash_of_scorer(name), path=path, name=str(name))
    return found.threshold


def _saved(model: str, baselines: Sequence[str]) -> Scorer:
    """The model for a word that isn't a baseline."""
    require(model, (*BOX, *baselines))
    return load(model)


def _classes_only(name: str) -> UsageError:
    return invalid("model", name, expected="a model that gives scores, not classes")

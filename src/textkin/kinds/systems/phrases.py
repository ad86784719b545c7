"""From a word to an encoder of phrases."""

import sys
from collections.abc import Sequence
from pathlib import Path

from textkin.base.errors import ModelError, invalid
from textkin.base.files import sha256_of_json
from textkin.base.hub import PHRASES, in_box, located
from textkin.base.paths import exists
from textkin.data.protocols import PhraseEncoder
from textkin.kinds.systems.model_names import require
from textkin.models.light_adapter import adapted_architecture
from textkin.models.light_phrases import ENCODES_PHRASES, LightPhrases
from textkin.models.provenance import hash_of_model

PHRASE_BASELINES = ("tfidf",)
"""Encodes phrases without a network."""

_WITH_TFIDF = "+tfidf:"


def phrase_encoder_of(model: str, *, fit_texts: Sequence[str] = ()) -> PhraseEncoder:
    """The phrase encoder for a user's word.

    Args:
        model: ``phrases``, the built-in one; ``tfidf``, the baseline; a folder; or a cached model's name.
            ``MODEL+tfidf:WEIGHT`` adds TF-IDF to a model, see
            :class:`textkin.text.baselines.phrases_with_tfidf.PhrasesWithTfidf`.
        fit_texts: the source of the baseline's word frequencies; not needed for questions.

    Raises:
        UsageError: the weight is invalid.
        ModelError: there is no such model or baseline, the folder can't be read, or its model doesn't encode
            phrases.
    """
    model, weight = _phrases_and_weight(model)
    if weight is not None:
        from textkin.text.baselines.phrase_tfidf import TfidfPhrases
        from textkin.text.baselines.phrases_with_tfidf import PhrasesWithTfidf

        return PhrasesWithTfidf(phrase_encoder_of(model), TfidfPhrases.fit(fit_texts), weight=weight)
    if model in PHRASE_BASELINES:
        from textkin.text.baselines.phrase_tfidf import TfidfPhrases

        return TfidfPhrases.fit(fit_texts)
    require(model, PHRASE_BASELINES)
    if in_box(model) and model != PHRASES:
        raise ModelError(
            f"{model} encodes no phrases", fix="take phrases, or train a recipe for them, such as spans-piqa"
        )
    folder = located(model)
    if sys.modules.get("torch") is None and adapted_architecture(folder) == ENCODES_PHRASES:
        return LightPhrases(folder)
    from textkin.models.inference.phrase_encoders import load_phrase_encoder

    return load_phrase_encoder(folder)


def hash_of_phrase_encoder(model: str) -> str:
    """The hash of everything that phrase vectors depend on, except the texts.

    Raises:
        UsageError: the weight is invalid.
        ModelError: there is no such phrase encoder.
    """
    model, weight = _phrases_and_weight(model)
    if weight is not None:
        return sha256_of_json({"phrases by": hash_of_phrase_encoder(model), "tfidf": weight})
    if model in PHRASE_BASELINES:
        encoder = phrase_encoder_of(model)
        return sha256_of_json({"phrases by": encoder.name, "dim": encoder.dim})
    require(model, PHRASE_BASELINES)
    return hash_of_model(located(model))


def weighs_all(model: str) -> bool:
    """True if the vectors of a passage's phrases depend on all other passages, too."""
    name, weight = _phrases_and_weight(model)
    return weight is not None or name in PHRASE_BASELINES


def place_of_phrase_encoder(model: str) -> str:
    """The same encoder as a word that is valid in every working directory."""
    name, weight = _phrases_and_weight(model)
    place = str(Path(name).resolve()) if exists(name) and not in_box(name) else name
    return place if weight is None else f"{place}{_WITH_TFIDF}{weight!r}"


def _phrases_and_weight(model: str) -> tuple[str, float | None]:
    """The encoder named by a word, and the weight of TF-IDF next to it."""
    name, plus, weight = model.rpartition(_WITH_TFIDF)
    if not plus or exists(model):
        return model, None
    try:
        return name, float(weight)
    except ValueError:
        raise invalid("model", model, expected="MODEL+tfidf:WEIGHT, with a weight such as 2.5") from None

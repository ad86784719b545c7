"""From a user's word or object to a model: a scorer, encoder, reader or chooser."""

from textkin.kinds.systems.choosers import OtherChoosers, chooser_of
from textkin.kinds.systems.model_names import (
    AnyModel,
    ensemble_in,
    fetch,
    fetch_named,
    named_systems,
    refuse_fit,
    refuse_vectors,
    takes_frequencies,
)
from textkin.kinds.systems.phrases import (
    PHRASE_BASELINES,
    hash_of_phrase_encoder,
    phrase_encoder_of,
    place_of_phrase_encoder,
)
from textkin.kinds.systems.predictions import NONE_GIVEN, Predicted, Predictions
from textkin.kinds.systems.readers import load_reader, reader_of
from textkin.kinds.systems.scorers import (
    as_encoder,
    decision_of,
    encoder_of,
    load,
    load_attending,
    load_encoder,
    resolve,
    resolve_for_classes,
)

__all__ = [
    "NONE_GIVEN",
    "PHRASE_BASELINES",
    "AnyModel",
    "OtherChoosers",
    "Predicted",
    "Predictions",
    "as_encoder",
    "chooser_of",
    "decision_of",
    "encoder_of",
    "ensemble_in",
    "fetch",
    "fetch_named",
    "hash_of_phrase_encoder",
    "load",
    "load_attending",
    "load_encoder",
    "load_reader",
    "named_systems",
    "phrase_encoder_of",
    "place_of_phrase_encoder",
    "reader_of",
    "refuse_fit",
    "refuse_vectors",
    "resolve",
    "resolve_for_classes",
    "takes_frequencies",
]

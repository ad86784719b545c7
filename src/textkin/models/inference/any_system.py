"""A loaded model as the system that its network makes it."""

from textkin.models.inference.phrase_encoders import NeuralPhraseEncoder
from textkin.models.inference.scorers import NeuralClassifier, NeuralEncoder, NeuralScorer, scorer_of
from textkin.models.inference.span_readers import NeuralReader
from textkin.models.model_folder import Model
from textkin.networks.architectures.phrase_network import PhraseNetwork
from textkin.networks.architectures.span_network import SpanNetwork

NeuralSystem = NeuralEncoder | NeuralScorer | NeuralClassifier | NeuralReader | NeuralPhraseEncoder


def system_of(model: Model) -> NeuralSystem:
    """Wrap a model as an encoder, a scorer of pairs, a classifier, a reader, or an encoder of phrases."""
    if isinstance(model.module, PhraseNetwork):
        return NeuralPhraseEncoder(model.module, model.pipeline, name=model.name, loaded=model)
    if isinstance(model.module, SpanNetwork):
        return NeuralReader(model.module, model.pipeline, name=model.name, loaded=model)
    return scorer_of(model)

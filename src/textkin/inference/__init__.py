"""Texts through trained networks: the only room that batches for inference and knows devices."""

from textkin.inference.engine import Computes, Engine, compare_ids, encode_ids, match_ids
from textkin.inference.precision import SelfCheck, self_check
from textkin.inference.readers import NeuralReader, load_reader
from textkin.inference.scorers import (
    WINDOW,
    NeuralClassifier,
    NeuralEncoder,
    NeuralScorer,
    load_scorer,
    match_texts,
    softmax,
)

__all__ = [
    "WINDOW",
    "Computes",
    "Engine",
    "NeuralClassifier",
    "NeuralEncoder",
    "NeuralReader",
    "NeuralScorer",
    "SelfCheck",
    "compare_ids",
    "encode_ids",
    "load_reader",
    "load_scorer",
    "match_ids",
    "match_texts",
    "self_check",
    "softmax",
]

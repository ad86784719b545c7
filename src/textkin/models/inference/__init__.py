"""Inference with trained networks: the only package with batches for inference and devices."""

from textkin.base.extras import import_torch

import_torch()  # before a module here imports it

from textkin.models.inference.attention import HeadChoice, attention_maps
from textkin.models.inference.engine import Computes, Engine, compare_ids, encode_ids, match_ids
from textkin.models.inference.precision import SelfCheck, self_check
from textkin.models.inference.scorers import (
    WINDOW,
    NeuralClassifier,
    NeuralEncoder,
    NeuralScorer,
    load_scorer,
    match_texts,
    scorer_of,
    softmax,
)
from textkin.models.inference.span_readers import NeuralReader, load_reader

__all__ = [
    "WINDOW",
    "Computes",
    "Engine",
    "HeadChoice",
    "NeuralClassifier",
    "NeuralEncoder",
    "NeuralReader",
    "NeuralScorer",
    "SelfCheck",
    "attention_maps",
    "compare_ids",
    "encode_ids",
    "load_reader",
    "load_scorer",
    "match_ids",
    "match_texts",
    "scorer_of",
    "self_check",
    "softmax",
]

"""A model that is served: what it can do, how much it reads, and what is known of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import ModelError, invalid
from textkin.base.hub import located
from textkin.base.python_inputs import text_pairs_of
from textkin.data.protocols import Classifier, Encoder, ReadsTokens, Scorer, Side, SpanReader
from textkin.kinds.systems.passports import passport_of_opened
from textkin.models.interop.folder_kinds import PASSPORT
from textkin.models.passports import Passport, PassportDecision, compare, read_passport, require
from textkin.models.passports.canaries import bundled_canaries
from textkin.models.passports.making import HasSettings
from textkin.models.provenance import files_of_model
from textkin.server.opened_models import OpenedModels
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation_account import cut_pairs, lengths_of
from textkin.vectors.batched_encoding import Precision, in_precision

Floats = NDArray[np.float32]


_OFTEN = 256  # a server encodes for long, so that a faster precision pays


@final
@dataclass(frozen=True, slots=True, eq=False)
class EncodedTexts:
    """Vectors of texts, with what was read of them.

    Attributes:
        vectors: shape [texts, dim].
        tokens: of each text before it was cut. Shape [texts].
        truncated: how many were longer than the model reads.
    """

    vectors: Floats
    tokens: NDArray[np.int64]
    truncated: int


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoredPairs:
    """Scores of pairs, with what was read of them.

    Attributes:
        scores: as the model gives them, higher is more similar. Shape [pairs].
        truncated: how many pairs were longer than the model reads.
    """

    scores: Floats
    truncated: int


@runtime_checkable
class GivesTokenVectors(Protocol):
    """An encoder that gives a vector for each token, too."""

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats]:
        """The vectors of the tokens of each text, shape [tokens, dim] each."""
        ...


@final
class ServedModel:
    """An encoder, a scorer of pairs, a classifier, or a reader, opened once.

    Args:
        name: how clients call it.
        place: its folder, or a name that ``textkin.load`` knows.
        precision: what a transformer's vectors are computed in; "auto" measures what pays. Scores that
            thresholds decide are computed in fp32 always, as where these were fitted.
        models: those that are open already, which this one joins.

    Attributes:
        system: the model itself.
        opened: when, in seconds since 1970.
        encoder: the model, if it gives vectors.
        classifier: the model, if it gives classes.
        scorer: the model, if it compares two texts; a classifier of more than two classes doesn't.
        reader: the model, if it reads answers out of passages.
        max_tokens: the most tokens that it reads, special ones aside; None where it reads whole texts.
        passport: what it is; None of a reader.
        precision: what vectors are computed in, and why.

    Raises:
        ModelError: there is no such model.
        VerifyError: its folder holds the passport of another one.
    """

    def __init__(
        self,
        name: str,
        place: Path | str,
        *,
        precision: Precision = "auto",
        models: OpenedModels | None = None,
    ) -> None:
        self.name, self.place = name, str(place)
        self._folder = located(place)
        self._models = models or OpenedModels()
        opened = self._models.at(self._folder)
        self.system, self._files = opened.system, opened.files
        self.opened = int(time.time())
        # What it can do is asked of every request, and a protocol is slow to ask.
        system = self.system
        several = isinstance(system, Classifier) and len(system.labels) != 2
        self.encoder = system if isinstance(system, Encoder) else None
        self.classifier = system if isinstance(system, Classifier) else None
        self.scorer = system if isinstance(system, Scorer) and not several else None
        self.reader = system if isinstance(system, SpanReader) else None
        self.max_tokens = system.max_tokens if isinstance(system, ReadsTokens) else None
        self.passport = _passport(self.system, self._folder)
        self._fast: Encoder | None = None
        self._asked = precision
        self.precision = "fp32"
        if isinstance(self.system, Encoder):
            sample = [text for text in bundled_canaries().texts if text.strip()] * _OFTEN
            self._fast, self.precision = in_precision(self.system, precision, sample)

    @property
    def kind(self) -> dict[str, Any]:
        """What it is, as text-embeddings-inference says it in /info."""
        if self.encoder is not None:
            settings = self.encoder.settings() if isinstance(self.encoder, HasSettings) else {}
            pooling = settings.get("arguments", {}).get("pooling") or ["mean"]
            return {"embedding": {"pooling": str(pooling[0])}}
        if self.classifier is not None:
            labels = self.classifier.labels
            ids = {str(place): label for place, label in enumerate(labels)}
            return {"classifier": {"id2label": ids, "label2id": {b: int(a) for a, b in ids.items()}}}
        if self.scorer is not None:
            return {"reranker": {"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}}
        return {"reader": {}}

    @property
    def special_tokens(self) -> int:
        """How many tokens stand around every text, beside its own."""
        pipeline = getattr(self.system, "pipeline", None)
        return sum(map(len, pipeline.frame)) if isinstance(pipeline, TokenizerPipeline) else 0

    @property
    def decision(self) -> PassportDecision:
        """Its threshold and calibration."""
        return PassportDecision() if self.passport is None else self.passport.decision

    def again(self) -> ServedModel:
        """The same model from its files as they are now."""
        return ServedModel(self.name, self.place, precision=self._asked, models=self._models.renewed())

    @property
    def has_changed(self) -> bool:
        """Whether its files are others than when it was opened."""
        return files_of_model(self._folder) != self._files

    @property
    def sha256(self) -> str:
        """The hash by which passports know it; "" of a reader."""
        return "" if self.passport is None else self.passport.sha256

    @cached_property
    def has_sides(self) -> bool:
        """Whether queries are encoded in another way than documents."""
        return bool(getattr(self.system, "has_sides", False))

    def encode(self, texts: list[Any], side: Side) -> tuple[Floats, NDArray[np.int64]]:
        """Vectors, and the tokens of each text before it was cut; what a batch computes."""
        if self._fast is None:
            raise ModelError(f"{self.name} gives no vectors", fix="name an encoder")
        return self._fast.encode(texts, side=side), self.lengths(texts, side=side)

    def comparing(self) -> Scorer:
        """The model as a scorer of pairs.

        Raises:
            ModelError: it compares no texts.
        """
        if self.scorer is None:
            raise ModelError(f"{self.name} gives no scores of pairs", fix="name another model")
        return self.scorer

    def reading(self) -> SpanReader:
        """The model as a reader.

        Raises:
            ModelError: it reads no answers.
        """
        if self.reader is None:
            raise ModelError(f"{self.name} reads no answers", fix="name a reader")
        return self.reader

    def score(self, pairs: list[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores of pairs, and which of them are longer than the model reads."""
        return np.asarray(self.comparing().score(text_pairs_of(pairs)), dtype=np.float32), self._cut(pairs)

    def rank(self, pairs: list[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores of queries and texts; an encoder with prompts knows one from the other."""
        if self.encoder is None or not self.has_sides:
            return self.score(pairs)
        queries = self.encoder.encode([query for query, _ in pairs], side=Side.QUERY)
        texts = self.encoder.encode([text for _, text in pairs], side=Side.DOCUMENT)
        cosines: Floats = np.einsum("ij,ij->i", queries, texts).clip(-1, 1)
        return cosines, self._cut(pairs)

    def classify(self, pairs: list[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """The probability of each class, and which pairs are longer than the model reads."""
        if self.classifier is None:
            raise ModelError(f"{self.name} gives no classes", fix="name a classifier")
        return np.asarray(self.classifier.classify(text_pairs_of(pairs)), dtype=np.float32), self._cut(pairs)

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
        """The tokens of each text before it is cut; 0 where the model doesn't say. Shape [texts]."""
        if not isinstance(self.system, ReadsTokens):
            return np.zeros(len(texts), dtype=np.int64)
        return lengths_of(self.system, texts, side=side)

    @property
    def pipeline(self) -> TextPipeline:
        """What makes tokens of texts.

        Raises:
            UsageError: it has none.
        """
        found: TextPipeline | None = getattr(self.system, "pipeline", None)
        if found is None:
            raise invalid("model", self.name, expected="a model with a tokenizer")
        return found

    def token_vectors(self, texts: list[Any], side: Side) -> tuple[list[Floats]]:
        """The vectors of the tokens of each text."""
        if not isinstance(self.system, GivesTokenVectors):
            raise invalid("model", self.name, expected="an encoder with token vectors")
        return (self.system.token_vectors(texts, side=side),)

    def _cut(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.bool_]:
        found = np.zeros(len(pairs), dtype=bool)
        found[cut_pairs(self.system, pairs)] = True
        return found


def _passport(system: Scorer | Classifier | SpanReader, folder: Path) -> Passport | None:
    """What a model is; None of a reader, which has no passport.

    Raises:
        VerifyError: its folder holds the passport of another model.
    """
    if not isinstance(system, Scorer | Classifier):
        return None
    if not (folder / PASSPORT).is_file():
        return passport_of_opened(system, folder)
    kept = read_passport(folder)
    made = passport_of_opened(system, folder, canaries=kept.canaries, decision=kept.decision)
    require(compare(kept, made))
    return made

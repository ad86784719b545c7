"""Served models, each opened once: abilities, limits, passport."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.cpu import may_have_bf16
from textkin.base.errors import ModelError, invalid
from textkin.base.extras import has_torch
from textkin.base.hub import located
from textkin.base.python_inputs import text_pairs_of
from textkin.data.protocols import (
    Classifier,
    Encoder,
    ReadsTokens,
    Scorer,
    Side,
    SpanReader,
    gives_classes,
)
from textkin.kinds.systems import load_reader
from textkin.kinds.systems.open_folder import open_model
from textkin.kinds.systems.passports import passport_of_opened
from textkin.models.adapters import is_adapted
from textkin.models.interop.folder_kinds import PASSPORT
from textkin.models.packed_encoder import PackedEncoder
from textkin.models.packed_weights import is_packed
from textkin.models.passports.canaries import bundled_canaries
from textkin.models.passports.checking import compare, require
from textkin.models.passports.document import Passport, PassportDecision
from textkin.models.passports.making import HasSettings, read_passport
from textkin.models.provenance import files_of_model
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation_account import cut_pairs, lengths_of
from textkin.text.word_cache import load_loops
from textkin.vectors.batched_encoding import Precision, in_precision

AnyOpened = Scorer | Classifier | SpanReader


@dataclass(frozen=True, slots=True, eq=False)
class OpenedModel:
    """A model of any kind.

    Attributes:
        system: the model itself.
        files: the hashes of its files when it was opened.
    """

    system: AnyOpened
    files: Mapping[str, str]


class OpenedModels:
    """Models by folder. Threads may share a model, since computing keeps no state.

    Args:
        opened: models that are already open.
    """

    def __init__(self, opened: Mapping[Path, OpenedModel] | None = None) -> None:
        self._opened, self._turn = dict(opened or {}), Lock()

    def of(self, folder: Path) -> AnyOpened:
        """The model in a folder.

        Raises:
            ModelError: there is none.
        """
        return self.at(folder).system

    def at(self, folder: Path) -> OpenedModel:
        """The model in a folder, with the files it was opened from, ignoring later changes.

        Raises:
            ModelError: there is none.
        """
        place = folder.resolve()
        with self._turn:
            found = self._opened.get(place)
            if found is None:
                files = files_of_model(folder)  # before opening: if files change now, the model is older
                found = self._opened[place] = OpenedModel(_opened(folder), files)
            return found

    def load_loops(self) -> None:
        """Load the loops of models and tokenizers, which otherwise pause somebody once they pay off."""
        with self._turn:
            for one in self._opened.values():
                load_loops(one.system)

    def renewed(self) -> OpenedModels:
        """These models, except those whose files have changed."""
        with self._turn:
            kept = {place: one for place, one in self._opened.items() if files_of_model(place) == one.files}
        return OpenedModels(kept)


def _opened(folder: Path) -> AnyOpened:
    """The model in a folder, of any kind."""
    if is_adapted(folder) or (is_packed(folder) and may_have_bf16()):
        has_torch()  # loads it now if it works: no request should wait for it
    try:
        found = open_model(folder)
        if isinstance(found, PackedEncoder):
            found.stay_light()
        return found
    except ModelError as error:
        try:
            return load_reader(folder)
        except ModelError:
            raise error from None


Floats = NDArray[np.float32]


_OFTEN = 256  # a server encodes for long, so that a faster precision pays


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTexts:
    """Vectors of texts, with token counts.

    Attributes:
        vectors: shape [texts, dim].
        tokens: the tokens of each text before truncation. Shape [texts].
        truncated: the number of truncated texts.
    """

    vectors: Floats
    tokens: NDArray[np.int64]
    truncated: int


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPairs:
    """Scores of pairs, with the number of truncated ones.

    Attributes:
        scores: the model's scores, higher is more similar, shape [pairs]; or the probability of each class,
            shape [pairs, classes].
        truncated: the number of truncated pairs.
    """

    scores: Floats
    truncated: int


@runtime_checkable
class GivesTokenVectors(Protocol):
    """An encoder that also gives a vector for each token."""

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats]:
        """The vectors of the tokens of each text, shape [tokens, dim] each."""


class ServedModel:
    """An encoder, a scorer of pairs, a classifier, or a reader, opened once.

    Args:
        name: its name for clients.
        place: its folder, or a name that ``textkin.load`` knows.
        precision: the numeric precision of a transformer's vectors; "auto" measures the fastest. Scores
            compared with thresholds are always computed in fp32, in which these were fitted.
        models: the open models, which this one joins.

    Attributes:
        system: the model itself.
        opened: the time of opening, in seconds since 1970.
        encoder: the model, if it gives vectors.
        classifier: the model, if it gives classes.
        scorer: the model, if it compares two texts; a classifier with more than two classes doesn't.
        reader: the model, if it extracts answers from passages.
        max_tokens: its limit in tokens, without special ones; None if it reads whole texts.
        passport: its passport.
        precision: the numeric precision of its vectors, and the reason.

    Raises:
        ModelError: there is no such model.
        VerifyError: its folder contains the passport of another model.
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
        # Its abilities are needed for every request, and checking a protocol is slow.
        system = self.system
        self.encoder = system if isinstance(system, Encoder) else None
        self.classifier = system if isinstance(system, Classifier) else None
        self.scorer = system if isinstance(system, Scorer) and not gives_classes(system) else None
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
        """Its kind, as text-embeddings-inference reports it in /info."""
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
        """The number of special tokens added to every text."""
        pipeline = getattr(self.system, "pipeline", None)
        return sum(map(len, pipeline.frame)) if isinstance(pipeline, TokenizerPipeline) else 0

    @property
    def decision(self) -> PassportDecision:
        """Its threshold and calibration."""
        return self.passport.decision

    def again(self) -> ServedModel:
        """The same model, opened from its current files."""
        return ServedModel(self.name, self.place, precision=self._asked, models=self._models.renewed())

    @property
    def has_changed(self) -> bool:
        """True if its files have changed since it was opened."""
        return files_of_model(self._folder) != self._files

    @property
    def sha256(self) -> str:
        """The hash that identifies it in passports."""
        return self.passport.sha256

    @cached_property
    def has_sides(self) -> bool:
        """True if queries and documents are encoded differently."""
        return bool(getattr(self.system, "has_sides", False))

    def encode(self, texts: list[Any], side: Side) -> tuple[Floats, NDArray[np.int64]]:
        """Vectors, and the tokens of each text before truncation, computed as a batch."""
        if self._fast is None:
            raise ModelError(f"{self.name} gives no vectors", fix="name an encoder")
        return self._fast.encode(texts, side=side), self.lengths(texts, side=side)

    def comparing(self) -> Scorer:
        """The model as a scorer of pairs.

        Raises:
            ModelError: it doesn't compare texts.
        """
        if self.scorer is None:
            raise ModelError(f"{self.name} gives no scores of pairs", fix="name another model")
        return self.scorer

    def reading(self) -> SpanReader:
        """The model as a reader.

        Raises:
            ModelError: it doesn't extract answers.
        """
        if self.reader is None:
            raise ModelError(f"{self.name} is not a reader of answers", fix="name a reader")
        return self.reader

    def score(self, pairs: list[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores of pairs, and a mask of those longer than the model's limit."""
        return np.asarray(self.comparing().score(text_pairs_of(pairs)), dtype=np.float32), self._cut(pairs)

    def rank(self, pairs: list[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores of queries and texts; an encoder with prompts distinguishes them."""
        if self.encoder is None or not self.has_sides:
            return self.score(pairs)
        queries = self.encoder.encode([query for query, _ in pairs], side=Side.QUERY)
        texts = self.encoder.encode([text for _, text in pairs], side=Side.DOCUMENT)
        cosines: Floats = np.einsum("ij,ij->i", queries, texts).clip(-1, 1)
        return cosines, self._cut(pairs)

    def classify(self, pairs: list[Any]) -> tuple[Floats, NDArray[np.bool_]]:
        """The probability of each class, and a mask of pairs longer than the model's limit."""
        if self.classifier is None:
            raise ModelError(f"{self.name} gives no classes", fix="name a classifier")
        return np.asarray(self.classifier.classify(text_pairs_of(pairs)), dtype=np.float32), self._cut(pairs)

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> NDArray[np.int64]:
        """The tokens of each text before truncation; 0 if the model doesn't count them. Shape [texts]."""
        if not isinstance(self.system, ReadsTokens):
            return np.zeros(len(texts), dtype=np.int64)
        return lengths_of(self.system, texts, side=side)

    @property
    def pipeline(self) -> TextPipeline:
        """The tokenizer.

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


def _passport(system: AnyOpened, folder: Path) -> Passport:
    """The passport of a model.

    Raises:
        VerifyError: its folder contains the passport of another model.
    """
    if not (folder / PASSPORT).is_file():
        return passport_of_opened(system, folder)
    kept = read_passport(folder)
    made = passport_of_opened(system, folder, canaries=kept.canaries, decision=kept.decision)
    require(compare(kept, made), accept_drift=None)
    return made

"""The built-in cross-encoders without torch: a scorer of pairs, and a classifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.first_seen_numbers import enumerated
from textkin.base.json_fields import read_object
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.models.interop.folder_kinds import CONFIG
from textkin.models.interop.head_settings import activation_of
from textkin.models.light_pairs import LightPairs
from textkin.models.manifest import facts_of, points_at_answers, read_manifest
from textkin.models.network_outputs import finite, log_odds, require_similarity, softmax
from textkin.text.pipeline import ReadsByPipeline

if TYPE_CHECKING:
    from textkin.data.attention_map import AttentionMap
    from textkin.models.inference.attention import HeadChoice
    from textkin.models.inference.scorers import NeuralClassifier, NeuralScorer


_SCORES_PAIRS = "cross-encoder"
_LETTERS = 4  # of a token, about


class _LightMatcher(ReadsByPipeline, ABC):
    """Base of cross-encoders by an adapter of the built-in transformer; much is read with torch.

    Args:
        pairs: the network of the adapter, and what its folder says.

    Attributes:
        model: what the folder says of its model.

    Raises:
        ModelError: the adapter has no head of this kind.
    """

    def __init__(self, pairs: LightPairs) -> None:
        self._pairs = pairs
        self._pipeline, self.model = pairs.pipeline, pairs.adapter.facts
        self._pooler = pairs.adapter.layer("pooler.dense", outputs=pairs.adapter.dim)
        self._classifier = pairs.adapter.layer("classifier", outputs=self._outputs)

    @property
    @abstractmethod
    def _outputs(self) -> int:
        """The number of outputs for a pair."""

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.model.name

    def _matched(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The outputs for pairs of texts, each distinct one scored once. Shape [pairs, outputs]."""
        rows, distinct = enumerated(text_pairs_of(pairs))
        texts = list(dict.fromkeys(text for pair in distinct for text in pair))
        ids = dict(zip(texts, self._pipeline.ids(texts), strict=True))
        sides = ([ids[a] for a, _ in distinct], [ids[b] for _, b in distinct])
        found = self._pairs.each(*sides, self._head, max_length=self._pairs.pipeline.max_length)
        outputs = np.array(found, dtype=np.float32).reshape(-1, self._outputs)
        return finite(outputs, self.name)[rows]

    def _head(self, states: Floats32) -> Floats32:
        """The outputs, by the state of the first token."""
        return self._classifier(np.tanh(self._pooler(states[0])))

    def _takes_network(self, pairs: Sequence[tuple[str, str]]) -> bool:
        if "network" in vars(self):
            return True
        letters = sum(len(a) + len(b) for a, b in text_pairs_of(pairs))
        return self._pairs.adapter.loading.pays(letters // _LETTERS)

    @cached_property
    def network(self) -> Any:
        """The same model with torch."""
        from textkin.models.inference.scorers import load_scorer

        return load_scorer(self._pairs.adapter.folder)

    def attention(self, a: str, b: str, *, choice: HeadChoice | None = None) -> list[AttentionMap]:
        """The network's attention between two texts; it needs torch."""
        found: list[AttentionMap] = self.network.attention(a, b, choice=choice)
        return found

    def cache_in(self, path: Path | str) -> None:
        """Read known outputs from a file, and store new ones there; with torch."""
        self.network.cache_in(path)

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport: architecture, arguments and text pipeline."""
        manifest = self._pairs.adapter.manifest
        activation = activation_of({}, read_object(self._pairs.adapter.folder / CONFIG))
        return {
            "text": self._pipeline.to_dict(),
            "architecture": manifest["architecture"],
            "arguments": {**manifest["arguments"], "activation": activation},
        }

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return light_scorer, (self._pairs.adapter.folder,)


class LightScorer(_LightMatcher):
    """A cross-encoder with one output as a ``Scorer``."""

    gives_logits = True
    _outputs = 1

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The score of each pair, any real number. Shape [pairs]."""
        if self._takes_network(pairs):
            with_torch: NeuralScorer = self.network
            return with_torch.score(pairs)
        return self._matched(pairs)[:, 0]


class LightClassifier(_LightMatcher):
    """A cross-encoder with one output per class."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in the order of the outputs."""
        return self.model.classes

    @property
    def _outputs(self) -> int:
        return len(self.model.classes)

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The probability of each class. Shape [pairs, labels]."""
        if self._takes_network(pairs):
            with_torch: NeuralClassifier = self.network
            return with_torch.classify(pairs)
        return softmax(self._matched(pairs))

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The log-odds of the second of two classes. Shape [pairs].

        Raises:
            UsageError: there are more than two classes, so none of them means similar.
        """
        require_similarity(self.labels, self.name)
        return log_odds(self._matched(pairs))


def light_scorer(folder: Path) -> LightScorer | LightClassifier:
    """The scorer or the classifier in the folder of an adapter.

    Raises:
        ModelError: a file is missing or broken, or the model points at answers.
    """
    manifest = read_manifest(folder)
    if manifest.get("architecture") != _SCORES_PAIRS:
        raise points_at_answers(facts_of(folder, manifest))
    pairs = LightPairs(folder)
    return LightClassifier(pairs) if pairs.adapter.facts.classes else LightScorer(pairs)

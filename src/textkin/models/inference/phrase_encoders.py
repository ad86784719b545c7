"""Trained networks as phrase encoders, which encode phrases and questions independently."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import ModelError
from textkin.base.python_inputs import one_or_several, texts_of
from textkin.data.protocols import PhraseVectors
from textkin.models.inference.engine import Ids, by_tokens, evaluating
from textkin.models.inference.trained_network import TrainedNetwork
from textkin.models.model_folder import Model, load_model
from textkin.models.network_outputs import finite
from textkin.networks.architectures.phrase_network import PhraseNetwork
from textkin.networks.batches.padded import TextBatch
from textkin.text.pipeline import TextPipeline
from textkin.text.span_windows import homes, limits_of, locating, windows
from textkin.text.token_offsets import Located

_TOKENS_PER_BATCH = 8_192
_PASSAGES_AT_A_TIME = 256

_Spans = Ints


class NeuralPhraseEncoder(TrainedNetwork):
    """A trained network for both ends of phrases, as a ``PhraseEncoder``.

    A phrase's vector concatenates those of its first token as a start and its last token as an end; a
    question's vector has a query for each. If a phrase has further terms besides their inner product (priors,
    and the vector lengths needed for distances), they are one more number, with a 1 in the question. So the
    highest inner product finds the span that a ``NeuralReader`` with the same network reads, except for ties.

    A phrase in two windows of a long passage is listed once, with the vector from the window where it is most
    central, as in the reader. A phrase whose tokens have no characters of their own is skipped.

    Args:
        module: the network; it is put into evaluation mode while it reads.
        pipeline: texts to ids; it must know the positions of tokens.
        name: its name in tables.
        loaded: the content of the model folder, if loaded from one.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
    """

    _module: PhraseNetwork

    def __init__(
        self, module: PhraseNetwork, pipeline: TextPipeline, *, name: str, loaded: Model | None = None
    ) -> None:
        super().__init__(module, pipeline, name=name, loaded=loaded)
        self._find, self._limits = locating(pipeline), limits_of(pipeline)

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return 2 * self._module.width + self._module.has_priors

    @property
    def nothing(self) -> Floats32 | None:
        """The vector of no answer, the same for all passages; None if there always is an answer."""
        if self._module.nothing is None:
            return None
        vectors, prior = self._module.nothing.vectors, self._module.nothing.prior
        row = torch.cat([vectors.detach().flatten(), prior.detach().sum()[None]])
        return row.float().cpu().numpy()

    @one_or_several
    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """All phrases of each passage, ordered by first token, then last.

        Raises:
            ModelError: the network returns numbers that aren't finite.
        """
        passages = texts_of(passages)
        found: list[PhraseVectors] = []
        for start in range(0, len(passages), _PASSAGES_AT_A_TIME):
            found += self._phrases(passages[start : start + _PASSAGES_AT_A_TIME])
        return found

    @one_or_several
    def questions(self, questions: Sequence[str]) -> Floats32:
        """One vector per question, shape [questions, dim]; long questions are truncated.

        Raises:
            ModelError: the network returns numbers that aren't finite.
        """
        located = self._find.located(texts_of(questions))
        rows = np.ones((len(located), self.dim), dtype=np.float32)
        ids = [one.ids[: self._limits.question] for one in located]

        def asked(batch: TextBatch) -> Tensor:
            return torch.cat(self._module.questions(batch), dim=1)

        for row, vector in self._each(ids, asked):
            rows[row, : vector.size] = vector
        return finite(rows, self._name)

    def _phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        located = self._find.located(passages)
        parts = [windows(len(one), self._limits.passage) if len(one) else [] for one in located]
        of_windows = [(one, *part) for one, its in zip(located, parts, strict=True) for part in its]
        ids = [one.ids[start:stop] for one, start, stop in of_windows]
        ends: list[Floats32] = [np.empty(0, dtype=np.float32)] * len(ids)
        for row, found in self._each(ids, self._known):
            ends[row] = found[: len(ids[row])]
            finite(ends[row], self._name)
        rest = iter(ends)
        return [
            self._of_passage(one, its, [next(rest) for _ in its])
            for one, its in zip(located, parts, strict=True)
        ]

    def _of_passage(
        self, passage: Located, parts: Sequence[tuple[int, int]], ends: Sequence[Floats32]
    ) -> PhraseVectors:
        """The phrases of a passage, from the token vectors of each of its windows."""
        spans = _spans(len(passage), self._module.most)
        at_home = homes(parts, *spans.T) if parts else np.empty(0, dtype=np.int64)
        offsets = np.stack([passage.offsets[spans[:, 0], 0], passage.offsets[spans[:, 1], 1]], axis=1)
        kept = (at_home >= 0) & (offsets[:, 1] > offsets[:, 0])
        spans, offsets, at_home = spans[kept], offsets[kept], at_home[kept]
        width = self._module.width
        vectors = np.empty((len(spans), self.dim), dtype=np.float32)
        priors = np.empty(len(spans), dtype=np.float32)
        for number, ((start, _), known) in enumerate(zip(parts, ends, strict=True)):
            rows = np.flatnonzero(at_home == number)
            first, last = (known[place] for place in (spans[rows] - start).T)
            vectors[rows, :width] = first[:, :width]
            vectors[rows, width : 2 * width] = last[:, width : 2 * width]
            # Nothing is written if vectors have no number for it.
            vectors[rows, 2 * width :] = (first[:, -4] + last[:, -3])[:, None]
            priors[rows] = first[:, -2] + last[:, -1]
        return PhraseVectors(offsets, vectors, priors if self._module.learns_priors else None)

    def _known(self, batch: TextBatch) -> Tensor:
        """Both vectors of tokens, and the terms for each end, all and learnt: [B, T, 2D + 4]."""
        ends = self._module.passages(batch)
        start, end, *priors = self._module.compared(ends)
        none = torch.zeros_like(start[..., 0])
        numbers = [none if one is None else one for one in (*priors, ends.start_prior, ends.end_prior)]
        return torch.cat([start, end, torch.stack(numbers, dim=-1)], dim=-1)

    def _each(self, ids: Ids, network: Callable[[TextBatch], Tensor]) -> Iterator[tuple[int, Floats32]]:
        """The network's output for each text, in any order."""
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        device = next(self._module.parameters()).device
        with evaluating(self._module), torch.inference_mode():
            for rows in by_tokens(np.argsort(-lengths, kind="stable"), lengths, most=_TOKENS_PER_BATCH):
                batch = TextBatch.from_ids([ids[row] for row in rows], pad_id=self._pipeline.pad_id)
                found = network(batch.to(device)).float().cpu().numpy()
                yield from zip(rows.tolist(), found, strict=True)

    def __reduce__(self) -> Any:
        """Pickle as the folder.

        Raises:
            UsageError: it is in memory only.
        """
        return load_phrase_encoder, (self._folder(),)


def load_phrase_encoder(folder: Path | str) -> NeuralPhraseEncoder:
    """The phrase encoder in a model directory.

    Raises:
        ModelError: the folder is missing, incomplete, truncated or foreign, or contains another kind of
            model.
    """
    model = load_model(folder)
    if not isinstance(model.module, PhraseNetwork):
        raise ModelError(
            f"holds a model of the kind {model.architecture!r}, which reads a passage together with "
            "its question",
            path=folder,
            fix="train a recipe for phrases, such as spans-piqa",
        )
    return NeuralPhraseEncoder(model.module, model.pipeline, name=model.name, loaded=model)


def _spans(tokens: int, most: int) -> _Spans:
    """The first and the last token of each phrase. Shape [phrases, 2]."""
    first = np.repeat(np.arange(tokens, dtype=np.int64), most)
    last = first + np.tile(np.arange(most, dtype=np.int64), tokens)
    return np.stack([first, last], axis=1)[last < tokens]

"""Trained networks that point at the words of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import torch

from textkin.batches.padded import TextBatch
from textkin.errors import ModelError, UsageError
from textkin.inference.best_spans import FoundSpan, WindowLogits, best_spans
from textkin.inference.engine import Ids, by_tokens, evaluating
from textkin.inputs import texts_of
from textkin.model_dir import Model, load_model
from textkin.models.span_network import SpanNetwork
from textkin.records import SpanAnswer
from textkin.text.located import Located
from textkin.text.pipeline import TextPipeline
from textkin.text.token_windows import limits_of, locating, windows
from textkin.text.truncation import Truncation, within
from textkin.text.unknown import UnknownOf

_TOKENS_PER_BATCH = 8_192
_QUESTIONS_AT_A_TIME = 512


@final
class NeuralReader:
    """A trained network that points at spans, as a ``SpanReader``.

    A passage that is longer than the network reads is read in overlapping windows. Only a question can be
    longer than it reads: of such a one the beginning is read.

    Args:
        module: the network; it is put into evaluation mode while it reads.
        pipeline: texts to ids; it must know where tokens stand.
        name: how tables call it.
        model: the model directory's content, where it comes from one.

    Raises:
        ConfigError: the pipeline doesn't know where its tokens stand.
    """

    def __init__(
        self, module: SpanNetwork, pipeline: TextPipeline, *, name: str, model: Model | None = None
    ) -> None:
        self._module, self._pipeline, self._name = module, pipeline, name
        self._find, self._limits = locating(pipeline), limits_of(pipeline)
        self.model = model

    @property
    def name(self) -> str:
        """How tables call it."""
        return self._name

    @property
    def answers_none(self) -> bool:
        """Whether it can say that a passage holds no answer."""
        return self._module.answers_none

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """What is unknown of texts."""
        return self._pipeline.unknown(texts)

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """How many distinct questions are longer than it reads."""
        distinct = list(dict.fromkeys(texts_of(questions)))
        lengths = np.array([len(one) for one in self._find.located(distinct)], dtype=np.int64)
        return within(lengths, limit=self._limits.question, name=self._name)

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """The best k answers to question i in passage i, best first.

        Of a passage without a token nothing is found: there is no answer, or none at all is given by a
        network that can't say so.

        Raises:
            UsageError: there are more questions than passages or fewer, or k is below 1.
            ModelError: the network gives numbers that are not finite.
        """
        questions, passages = texts_of(questions), texts_of(passages)
        if len(questions) != len(passages):
            raise UsageError(
                f"{len(questions)} questions and {len(passages)} passages", fix="give a passage a question"
            )
        if k < 1:
            raise UsageError(f"k is {k}, expected 1 or more")
        return list(self._answers(questions, passages, k))

    def _answers(
        self, questions: Sequence[str], passages: Sequence[str], k: int
    ) -> Iterator[list[SpanAnswer]]:
        for start in range(0, len(questions), _QUESTIONS_AT_A_TIME):
            here = slice(start, start + _QUESTIONS_AT_A_TIME)
            texts = list(dict.fromkeys(passages[here]))
            located = dict(zip(texts, self._find.located(texts), strict=True))
            asked = [one.ids[: self._limits.question] for one in self._find.located(questions[here])]
            found = self._logits(asked, [located[text] for text in passages[here]])
            for text, of_passage in zip(passages[here], found, strict=True):
                spans = best_spans(of_passage, most=self._module.most, k=k)
                yield [answer_of(span, text, located[text]) for span in spans]

    def _logits(self, questions: Ids, passages: Sequence[Located]) -> list[list[WindowLogits]]:
        """What the network says of the windows of each passage."""
        parts = [
            (number, start, stop)
            for number, passage in enumerate(passages)
            for start, stop in windows(len(passage), self._limits.passage)
            if stop > start
        ]
        sides = (
            [questions[number] for number, _, _ in parts],
            [passages[number].ids[start:stop] for number, start, stop in parts],
        )
        found: list[list[WindowLogits]] = [[] for _ in passages]
        logits = span_logits(self._module, *sides, pad_id=self._pipeline.pad_id)
        for (number, first, _), one in zip(parts, logits, strict=True):
            if not all(map(np.isfinite, (one.start.sum(), one.end.sum(), one.none or 0.0))):
                raise ModelError(
                    f"{self._name} gives numbers that are not finite",
                    fix="train it anew, or choose another model",
                )
            found[number].append(WindowLogits(one.start, one.end, one.none, first))
        return found

    def __reduce__(self) -> Any:
        """Pickled as its folder.

        Raises:
            UsageError: it is in memory only.
        """
        if self.model is None or self.model.folder is None:
            raise UsageError(
                f"{self._name} is in memory only, and a model is pickled as its folder",
                fix="save it, and load it from there",
            )
        return load_reader, (self.model.folder,)


def load_reader(folder: Path | str) -> NeuralReader:
    """The reader of spans in a model directory.

    Raises:
        ModelError: the directory is missing, incomplete, truncated or foreign, or holds another kind of
            model.
    """
    model = load_model(folder)
    if not isinstance(model.module, SpanNetwork):
        raise ModelError(
            f"{folder} holds a model of the kind {model.architecture!r}, which points at no answers",
            fix="train a recipe for spans, such as spans-bidaf",
        )
    return NeuralReader(model.module, model.pipeline, name=model.name, model=model)


def span_logits(module: SpanNetwork, questions: Ids, contexts: Ids, *, pad_id: int) -> list[WindowLogits]:
    """What a network says of tokenised questions and windows, in their order.

    Args:
        module: the network; its training mode is restored afterwards.
        questions: token ids of each question.
        contexts: token ids of each window, one at least.
        pad_id: what fills up the batches.
    """
    lengths = np.fromiter(map(len, contexts), dtype=np.int64, count=len(contexts))
    asked = np.fromiter(map(len, questions), dtype=np.int64, count=len(questions))
    order = np.lexsort((asked, -lengths))
    found: dict[int, WindowLogits] = {}
    device = next(module.parameters()).device
    with evaluating(module), torch.inference_mode():
        for rows in by_tokens(order, lengths + asked, most=_TOKENS_PER_BATCH):
            sides = [
                TextBatch.from_ids([side[row] for row in rows], pad_id=pad_id).to(device)
                for side in (questions, contexts)
            ]
            logits = module(*sides)
            start, end = logits.start.float().cpu().numpy(), logits.end.float().cpu().numpy()
            none = None if logits.none is None else logits.none.float().sum(dim=1).cpu().tolist()
            for number, row in enumerate(rows.tolist()):
                stop = lengths[row]
                found[row] = WindowLogits(
                    start[number, :stop], end[number, :stop], None if none is None else none[number]
                )
    return [found[row] for row in range(len(contexts))]


def answer_of(span: FoundSpan, text: str, passage: Located) -> SpanAnswer:
    """A span of tokens as the characters of the untouched passage."""
    if span.first < 0:
        return SpanAnswer(0, 0, "", span.score, span.probability)
    start, end = int(passage.offsets[span.first, 0]), int(passage.offsets[span.last, 1])
    return SpanAnswer(start, end, text[start:end], span.score, span.probability)

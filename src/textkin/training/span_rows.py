"""Questions and the positions of their answers: the data, and the objective over them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.arrays import Ints, Ints32
from textkin.data.readers.span_checks import occurrences
from textkin.data.span_records import SpanQuestion, SpanSet
from textkin.networks.architectures.table import Network
from textkin.networks.batches.batch import SpanBatch
from textkin.networks.batches.padded import PadTo, TextBatch
from textkin.networks.batches.samplers import LengthSampler, Sampler
from textkin.networks.losses.common import LossInput
from textkin.text.pipeline import TextPipeline
from textkin.text.span_windows import limits_of, locating, windows
from textkin.text.token_offsets import Located
from textkin.text.truncation_account import Truncation, within
from textkin.training.objective import Drawn, Objective
from textkin.training.pair_data import TrainingData

_Spans = Ints
_NOWHERE: _Spans = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class SpanData:
    """The training data for spans.

    Attributes:
        rows: pairs of a question and a window of its passage.
        unused: questions without a row, since no window contains the whole answer, or the network can't
            predict that there is none.
        cut: questions longer than the network's limit.
    """

    rows: TrainingData
    unused: int
    cut: int

    def notes(self, questions: int) -> Iterator[str]:
        """The data excluded from training, in words, for a number of questions."""
        if self.unused:
            yield (
                f"{self.unused:,} of {questions:,} questions are not learnt from: no window holds a whole "
                "answer, or the model can't say that there is none"
            )


def span_data(
    data: SpanSet, *, pipeline: TextPipeline, answers_none: bool, pad_to: PadTo = "longest"
) -> SpanData:
    """Tokenise questions and passages, and find the answers' tokens.

    All occurrences of an answer as whole words count, since annotators marked one of them, and files that
    lost the mark have the first. A window without an answer is a row only if the network supports it.

    Args:
        data: questions about passages.
        pipeline: texts to ids; it must know the positions of tokens.
        answers_none: True if the network can predict that a window contains no answer.
        pad_to: the rule for the width of a batch.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
    """
    find, limits = locating(pipeline), limits_of(pipeline)
    used = {question.passage_id for question in data}
    names = [name for name in data.passages if name in used]
    passages = dict(zip(names, find.located([data.passages[name].text for name in names]), strict=True))
    asked = list(dict.fromkeys(question.question for question in data))
    questions = find.located(asked)
    ids = [one.ids[: limits.question] for one in questions]
    place = {text: number for number, text in enumerate(asked)}
    made = _Rows(passages, ids, most=limits.passage)
    unused = cut = 0
    for question in data:
        row = place[question.question]
        cut += len(questions[row]) > len(ids[row])
        unused += not made.add(question, data.passages[question.passage_id].text, row, none=answers_none)
    return SpanData(made.training_data(pad_id=pipeline.pad_id, pad_to=pad_to), unused, cut)


class _Rows:
    """Collects rows and the windows that they need.

    Args:
        passages: the passages' tokens, by id.
        ids: the ids of the questions.
        most: the maximum tokens of a window.
    """

    def __init__(self, passages: Mapping[str, Located], ids: list[Ints32], *, most: int | None) -> None:
        self._passages, self._ids, self._most = passages, ids, most
        self._places: dict[tuple[str, int], int] = {}
        self._rows: list[tuple[int, int]] = []
        self._spans: list[_Spans] = []

    def add(self, question: SpanQuestion, text: str, row: int, *, none: bool) -> bool:
        """Add the rows of a question; return False if there are none."""
        passage = self._passages[question.passage_id]
        found = spans_of(question, text, passage)
        before = len(self._rows)
        for start, stop in windows(len(passage), self._most):
            inside = found[(found[:, 0] >= start) & (found[:, 1] < stop)] - start
            if stop > start and (len(inside) or (none and not _touches(found, start, stop))):
                self._rows.append((row, self._window(question.passage_id, start, stop)))
                self._spans.append(inside)
        return len(self._rows) > before

    def training_data(self, *, pad_id: int, pad_to: PadTo) -> TrainingData:
        """All rows."""
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 2)
        count, texts = len(rows), len(self._ids)
        return TrainingData(
            texts=tuple(map(str, range(texts))),
            ids=tuple(self._ids),
            components=np.arange(texts),
            a=rows[:, 0],
            b=rows[:, 1],
            labels=np.ones(count, dtype=np.float32),
            similarities=np.ones(count, dtype=np.float32),
            classes=np.ones(count, dtype=np.int64),
            positive=np.arange(count),
            query=None,
            pad_id=pad_id,
            pad_to=pad_to,
            spans=tuple(self._spans),
        )

    def _window(self, passage_id: str, start: int, stop: int) -> int:
        key = (passage_id, start)
        if key not in self._places:
            self._places[key] = len(self._ids)
            self._ids.append(self._passages[passage_id].ids[start:stop])
        return self._places[key]


def truncation_of_questions(questions: Sequence[str], pipeline: TextPipeline, *, name: str) -> Truncation:
    """The number of distinct questions a network of this name truncates; passages are read in windows."""
    lengths = pipeline.lengths(list(dict.fromkeys(questions)))
    return within(lengths, limit=limits_of(pipeline).question, name=name)


def spans_of(question: SpanQuestion, text: str, passage: Located) -> _Spans:
    """The first and last tokens of each occurrence of one of the answers. Shape [places, 2]."""
    found = {
        passage.tokens_of(start, start + len(answer.text))
        for answer in question.answers
        for start in (answer.start, *occurrences(text, answer.text))
    }
    known = sorted(span for span in found if span is not None)
    return np.array(known, dtype=np.int64) if known else _NOWHERE


def _touches(spans: _Spans, start: int, stop: int) -> bool:
    """True if a part of an answer is in a window, which then counts neither with nor without answer."""
    return bool(((spans[:, 0] < stop) & (spans[:, 1] >= start)).any())


class Spans(Objective[SpanBatch]):
    """Every question with each window of its passage."""

    gives = frozenset()
    reader_gives = frozenset({LossInput.SPANS})

    def batches(self, epoch: int, model: Network) -> Iterator[Drawn[SpanBatch]]:
        """Rows in the sampler's order."""
        data = self.data
        for chosen in self.sampler.batches(epoch):
            rows = self.rows[chosen]
            batch = SpanBatch(data.batch(data.a[rows]), data.batch(data.b[rows]), self._padded(rows))
            yield Drawn(batch, rows)

    def sampler_of_rows(self) -> Sampler:
        """The sampler; with the recipe's option, questions about one window stay together."""
        config = self.config
        if config.sampler != "passage":
            return super().sampler_of_rows()
        lengths, windows = self.lengths_of_rows(), self.data.b[self.rows]
        return LengthSampler(lengths, batch_size=config.batch_size, seed=self.seed, groups=windows)

    def sides(self, batch: SpanBatch) -> Sequence[TextBatch]:
        """Questions and windows."""
        return batch.question, batch.context

    def loss_of_vectors(self, batch: SpanBatch, *vectors: Tensor) -> Tensor:
        """Unreachable: encoders aren't trained on spans."""
        raise NotImplementedError

    def loss_of_matcher(self, model: nn.Module, batch: SpanBatch) -> Tensor:
        """The loss over the logits of all spans.

        With the recipe's option, the tokens of all windows of the batch are negatives (Lee et al. 2021,
        "Learning Dense Representations of Phrases at Scale", section 4.2), as phrases of an index compete
        with those of all passages.
        """
        if not self.config.in_batch:
            found = model(batch.question, batch.context)
            return self.criterion(found.start, found.end, found.none, batch.spans)
        found = model(batch.question, batch.context, in_batch=True)
        spans = torch.where(batch.spans < 0, batch.spans, batch.spans + found.begins[:, None, None])
        return self.criterion(found.start, found.end, found.none, spans)

    def _padded(self, rows: Ints) -> Tensor:
        spans = [(self.data.spans or ())[row] for row in rows]
        padded = torch.full((len(rows), max(1, *map(len, spans)), 2), -1, dtype=torch.int64)
        for number, one in enumerate(spans):
            padded[number, : len(one)] = torch.from_numpy(one)
        return padded

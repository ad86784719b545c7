"""Trained networks that extract answers from passages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Ints32
from textkin.base.errors import ModelError, UsageError
from textkin.base.hub import shown_model
from textkin.base.python_inputs import texts_of
from textkin.data.attention_map import AttentionMap
from textkin.data.span_answers import asked_of
from textkin.data.span_records import SpanAnswer
from textkin.measures.decisions.no_answer import NoAnswerRule
from textkin.models.inference.attention import HeadChoice, attention_maps
from textkin.models.inference.engine import Computes, Ids
from textkin.models.inference.precision import reader_check
from textkin.models.inference.span_engine import FoundSpan, SpanEngine, WindowLogits, best_spans
from textkin.models.inference.trained_network import TrainedNetwork, finite, slowness_of
from textkin.models.model_folder import Model, load_model
from textkin.models.self_check import SelfCheck
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.text.pipeline import TextPipeline
from textkin.text.span_windows import homes, limits_of, locating, windows
from textkin.text.token_offsets import Located
from textkin.text.token_texts import located_tokens
from textkin.text.truncation_account import Truncation, within

_QUESTIONS_AT_A_TIME = 512
_CHECKED = 1_024
_LEAST_LEFT = 1e-6  # the minimum probability; smaller ones have too few correct digits


class NeuralReader(TrainedNetwork):
    """A trained network that points at spans, as a ``SpanReader``.

    A passage longer than the network's limit is read in overlapping windows. A question longer than the limit
    is truncated.

    Args:
        module: the network; it is put into evaluation mode while it reads.
        pipeline: texts to ids; it must know the positions of tokens.
        name: its name in tables.
        model: the model folder's content, if loaded from one.
        computes: the precision of matrix products.
        no_answer: the no-answer rule; None to answer none if it scores higher than every span.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
        UsageError: at the first question, if bf16 is requested and unsupported by the network or this
            machine.
    """

    _module: SpanNetwork

    def __init__(
        self,
        module: SpanNetwork,
        pipeline: TextPipeline,
        *,
        name: str,
        model: Model | None = None,
        computes: Computes = "fp32",
        no_answer: NoAnswerRule | None = None,
    ) -> None:
        super().__init__(module, pipeline, name=name, model=model)
        self.no_answer = no_answer if module.answers_none else None
        self._find, self._limits = locating(pipeline), limits_of(pipeline)
        self.computes: Computes = computes

    @property
    def answers_none(self) -> bool:
        """True if it can predict that a passage contains no answer."""
        return self._module.answers_none

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """The number of distinct questions longer than its limit."""
        distinct = list(dict.fromkeys(texts_of(questions)))
        lengths = np.array([len(one) for one in self._find.located(distinct)], dtype=np.int64)
        return within(lengths, limit=self._limits.question, name=self._name)

    def check(self, questions: Sequence[str], passages: Sequence[str]) -> SelfCheck:
        """Measure the best precision on a few questions; see :func:`precision.reader_check`."""
        step = slice(None, None, max(1, len(questions) // _CHECKED))
        located = self._find.located(texts_of(passages[step]))
        asked = self._asked(texts_of(questions[step]))
        known = [place for place, passage in enumerate(located) if len(passage)]
        return reader_check(
            self._module,
            [asked[place] for place in known],
            [located[place].ids[: self._limits.passage] for place in known],
            pad_id=self._pipeline.pad_id,
            texts=len(questions),
        )

    def computing(self, computes: Computes) -> Self:
        """The same reader with matrix products in ``computes``.

        Raises:
            UsageError: the network or this machine doesn't support it.
        """
        found = type(self)(
            self._module,
            self._pipeline,
            name=self._name,
            model=self.model,
            computes=computes,
            no_answer=self.no_answer,
        )
        if computes != "fp32":
            _ = found._engine  # created now, so that a lack of support is reported before texts are read
        return found

    def slowness(self) -> str | None:
        """A warning if its precision is measured to be slower than fp32 here, or None."""
        return slowness_of(self._module, self.computes)

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """The best k spans of passage i for question i, best first, and no answer.

        No answer is added at the rank of its score, if the network supports it. With a rule (``no_answer``)
        the first answer is the rule's decision, the probability of no answer is the rule's, and spans share
        the rest. Scores don't change.

        A passage without tokens gives an empty list.

        Raises:
            UsageError: the numbers of questions and passages differ, or k is below 1.
            ModelError: the network returns numbers that aren't finite.
        """
        asked = asked_of(questions, passages, k)
        return list(self._answers([one for one, _ in asked], [other for _, other in asked], k))

    def attention(self, a: str, b: str, *, choice: HeadChoice | None = None) -> list[AttentionMap]:
        """The network's attention between a question and a passage.

        For a passage in several windows, it is that of the window with the best answer; see
        :func:`attention.attention_maps`.

        Args:
            a: the question.
            b: the passage.
            choice: the layers and heads.
        """
        located = self._find.located(texts_of([a, b]))
        question, passage = (located_tokens(one, text) for one, text in zip(located, (a, b), strict=True))
        question = question.part(slice(self._limits.question))
        parts = windows(len(passage), self._limits.passage)
        if len(parts) > 1:
            (logits,) = self._logits([question.ids], [located[1]])
            best = next(one for one in best_spans(logits, most=self._module.most) if one.first >= 0)
            home = int(homes(parts, np.array(best.first), np.array(best.last)))
            passage = passage.part(slice(*parts[home]))
        return attention_maps(self._module, question, passage, pad_id=self._pipeline.pad_id, choice=choice)

    def _answers(
        self, questions: Sequence[str], passages: Sequence[str], k: int
    ) -> Iterator[list[SpanAnswer]]:
        for start in range(0, len(questions), _QUESTIONS_AT_A_TIME):
            here = slice(start, start + _QUESTIONS_AT_A_TIME)
            texts = list(dict.fromkeys(passages[here]))
            located = dict(zip(texts, self._find.located(texts), strict=True))
            found = self._logits(self._asked(questions[here]), [located[text] for text in passages[here]])
            for text, of_passage in zip(passages[here], found, strict=True):
                spans = self._spans(of_passage, located[text], k)
                answers = [answer_of(span, text, located[text]) for span in spans]
                yield answers if self.no_answer is None else by_rule(answers, self.no_answer)

    def margins(
        self, questions: Sequence[str], passages: Sequence[str]
    ) -> list[tuple[float, SpanAnswer] | None]:
        """The no-answer score minus that of the best span, and that span; None without any.

        Raises:
            UsageError: the network can't predict that there is no answer.
        """
        if not self.answers_none:
            raise UsageError(
                f"{self._name} always points at an answer, and has no score of no answer",
                fix="train a reader with model.arguments.answers_none = true",
            )
        found: list[tuple[float, SpanAnswer] | None] = []
        for start in range(0, len(questions), _QUESTIONS_AT_A_TIME):
            here = slice(start, start + _QUESTIONS_AT_A_TIME)
            located = self._find.located(passages[here])
            logits = self._logits(self._asked(questions[here]), located)
            for text, place, of_passage in zip(passages[here], located, logits, strict=True):
                spans = self._spans(of_passage, place, 1)
                if len(spans) < 2:
                    found.append(None)
                    continue
                none, best = sorted(spans, key=lambda span: span.first >= 0)
                found.append((none.score - best.score, answer_of(best, text, place)))
        return found

    def _spans(self, windows_read: Sequence[WindowLogits], passage: Located, k: int) -> list[FoundSpan]:
        """The k best spans that contain characters, and no answer.

        Tokenizers may have tokens without characters of the passage.
        """
        blank = int((passage.offsets[:, 0] >= passage.offsets[:, 1]).sum())
        found = best_spans(windows_read, most=self._module.most, k=k + blank * (blank + 1) // 2)
        spans: list[FoundSpan] = []
        for span in found:
            if span.first < 0:
                spans.append(span)
            elif k and _has_characters(span, passage):
                spans.append(span)
                k -= 1
        return spans

    def _asked(self, questions: Sequence[str]) -> list[Ints32]:
        """The ids of questions, truncated to the limit."""
        return [one.ids[: self._limits.question] for one in self._find.located(questions)]

    @cached_property
    def _engine(self) -> SpanEngine:
        return SpanEngine(self._module, pad_id=self._pipeline.pad_id, computes=self.computes)

    def _logits(self, questions: Ids, passages: Sequence[Located]) -> list[list[WindowLogits]]:
        """The network's logits for the windows of each passage."""
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
        logits = self._engine.logits(*sides)
        for (number, first, _), one in zip(parts, logits, strict=True):
            finite(np.array([one.start.sum(), one.end.sum(), one.none or 0.0]), self._name)
            found[number].append(WindowLogits(one.start, one.end, one.none, first))
        return found

    def __reduce__(self) -> Any:
        """Pickle as the folder.

        Raises:
            UsageError: it is in memory only.
        """
        return load_reader, (self._folder(), self.computes, self.no_answer)


def load_reader(
    folder: Path | str, computes: Computes = "fp32", no_answer: NoAnswerRule | None = None
) -> NeuralReader:
    """Load the reader in a model folder, or in a question-answering folder of transformers.

    Args:
        folder: its location.
        computes: the precision of matrix products.
        no_answer: the no-answer rule; None for the one saved with the model, if any.

    Raises:
        ModelError: the folder is missing, incomplete, truncated or foreign, or contains another kind of
            model.
    """
    model = load_model(folder)
    if not isinstance(model.module, SpanNetwork):
        raise ModelError(
            f"holds a model of the kind {model.architecture!r}, which points at no answers",
            path=shown_model(folder),
            fix="take reader, or train a recipe for spans",
        )
    rule = None if model.no_answer is None else model.no_answer.rule
    return NeuralReader(
        model.module,
        model.pipeline,
        name=model.name,
        model=model,
        computes=computes,
        no_answer=no_answer or rule,
    )


def by_rule(answers: Sequence[SpanAnswer], rule: NoAnswerRule) -> list[SpanAnswer]:
    """The answers with the rule's probabilities, its decision first.

    No answer comes after the best span if the rule decides for that.

    Args:
        answers: spans, best first, and no answer; empty for a passage without tokens.
        rule: the no-answer rule.
    """
    if len(answers) < 2:
        return list(answers)
    none, *spans = sorted(answers, key=lambda one: bool(one.text))  # in order
    told = float(rule.probability(np.array([none.score - spans[0].score]))[0])
    others = np.array([one.probability for one in spans])
    left = 1 - (none.probability or 0.0)
    # If no answer has all of the probability, the listed spans share the rest by their scores.
    if left < _LEAST_LEFT:
        scores = np.array([one.score for one in spans])
        others, left = np.exp(scores - scores[0]), float(np.exp(scores - scores[0]).sum())
    shared = np.minimum(others / left, 1.0) * (1 - told)
    found = [replace(one, probability=float(part)) for one, part in zip(spans, shared, strict=True)]
    found.insert(0 if rule.withholds(np.array([told]))[0] else 1, replace(none, probability=told))
    return found


def _has_characters(span: FoundSpan, passage: Located) -> bool:
    return bool(passage.offsets[span.first, 0] < passage.offsets[span.last, 1])


def answer_of(span: FoundSpan, text: str, passage: Located) -> SpanAnswer:
    """The characters of the original passage for a span of tokens."""
    if span.first < 0:
        return SpanAnswer(0, 0, "", span.score, span.probability)
    start, end = int(passage.offsets[span.first, 0]), int(passage.offsets[span.last, 1])
    return SpanAnswer(start, end, text[start:end], span.score, span.probability)

"""Readers of passages: windows, spans and no answer, for any network that gives logits of tokens."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from textkin.base.arrays import Ints32
from textkin.base.errors import UsageError
from textkin.base.python_inputs import texts_of
from textkin.data.span_answers import asked_of
from textkin.data.span_records import SpanAnswer
from textkin.measures.decisions.no_answer import NoAnswerRule
from textkin.models.network_outputs import finite
from textkin.models.span_logits import FoundSpan, WindowLogits, best_spans
from textkin.text.pipeline import NamedPipeline, TextPipeline
from textkin.text.span_windows import limits_of, locating, windows
from textkin.text.token_offsets import Located
from textkin.text.truncation_account import Truncation, within

_QUESTIONS_AT_A_TIME = 512
_LEAST_LEFT = 1e-6  # the minimum probability; smaller ones have too few correct digits


class PointsAtSpans(NamedPipeline):
    """A ``SpanReader`` by a network that points at spans.

    A passage longer than the network's limit is read in overlapping windows. A question longer than the limit
    is truncated.

    Args:
        pipeline: texts to ids; it must know the positions of tokens.
        name: its name in tables.
        most: the maximum tokens of an answer; None for no limit.
        answers_none: True if it can predict that a passage contains no answer.
        no_answer: the no-answer rule; None to answer none if it scores higher than every span.

    Raises:
        ConfigError: the pipeline doesn't know the positions of its tokens.
    """

    def __init__(
        self,
        pipeline: TextPipeline,
        *,
        name: str,
        most: int | None,
        answers_none: bool,
        no_answer: NoAnswerRule | None,
    ) -> None:
        self._pipeline, self._name, self._most = pipeline, name, most
        self.answers_none = answers_none
        self.no_answer = no_answer if answers_none else None
        self._find, self._limits = locating(pipeline), limits_of(pipeline)

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport: text pipeline, limits, and the rule for no answer."""
        rule = None if self.no_answer is None else asdict(self.no_answer)
        arguments = {"most": self._most, "answers_none": self.answers_none}
        return {"text": self._pipeline.to_dict(), "arguments": arguments, "no_answer": rule}

    @abstractmethod
    def _window_logits(
        self, questions: Sequence[Ints32], windows: Sequence[Ints32]
    ) -> Sequence[WindowLogits]:
        """The network's logits for each window and the question about it, from their ids."""

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """The number of distinct questions longer than its limit."""
        distinct = list(dict.fromkeys(texts_of(questions)))
        lengths = np.array([len(one) for one in self._find.located(distinct)], dtype=np.int64)
        return within(lengths, limit=self._limits.question, name=self._name)

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
        found = best_spans(windows_read, most=self._most, k=k + blank * (blank + 1) // 2)
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

    def _logits(self, questions: Sequence[Ints32], passages: Sequence[Located]) -> list[list[WindowLogits]]:
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
        logits = self._window_logits(*sides)
        for (number, first, _), one in zip(parts, logits, strict=True):
            finite(np.array([one.start.sum(), one.end.sum(), one.none or 0.0]), self._name)
            found[number].append(WindowLogits(one.start, one.end, one.none, first))
        return found


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

"""The base class of networks that encode phrases and questions independently.

Shapes: B questions, each with a window of a passage; T tokens of the window, D width of an end's vector.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import torch
from torch import Tensor

from textkin.base.errors import UsageError, wrong_setting
from textkin.networks.architectures.span_network import BatchLogits, SpanLogits, SpanNetwork, at_tokens
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.no_answer_phrase import Nothing
from textkin.networks.nn.phrase_encoders import Encoding, PhraseEncoders

Closeness = Literal["ip", "l2"]


class Ends(NamedTuple):
    """Vectors and priors of each token of a window, independent of the question; meaningless at padding.

    Attributes:
        start: vectors of the tokens as first ones. Shape [B, T, D].
        end: vectors of the tokens as last ones. Shape [B, T, D].
        start_prior: the prior of each as the first token, independent of the question; None without. Shape
            [B, T].
        end_prior: the prior of each as the last token. Shape [B, T].
    """

    start: Tensor
    end: Tensor
    start_prior: Tensor | None = None
    end_prior: Tensor | None = None

    def select(self, rows: Tensor) -> Ends:
        """The windows at ``rows``, which may repeat."""
        # Not start[rows]: threads would sum the gradient in any order.
        start, end = (one.index_select(0, rows) for one in (self.start, self.end))
        priors = (self.start_prior, self.end_prior)
        return Ends(start, end, *(None if one is None else one.index_select(0, rows) for one in priors))


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseAnswers:
    """The phrases, and their comparison with a question.

    Attributes:
        most: the maximum tokens of a phrase.
        logits: "ip" for inner products, "l2" for minus half the squared distances.
        answers_none: True if "no answer" is a further phrase, with its own vector.
    """

    most: int = 7
    logits: Closeness = "ip"
    answers_none: bool = False

    def __post_init__(self) -> None:
        if self.most < 1:
            raise UsageError(f"most={self.most} is no number of tokens", fix="give 1 or more")
        if self.logits not in ("ip", "l2"):
            raise wrong_setting("logits", self.logits, expected="'ip' or 'l2'")


class PhraseNetwork(SpanNetwork):
    """Base class of networks with span logits from independent vectors of questions and windows.

    A span's logit is <start_i, asked_start> + <end_j, asked_end>, plus the priors of both ends. So the best
    span is found by a search among vectors computed before the question was known (Seo et al. 2018,
    "Phrase-Indexed Question Answering: A New Challenge for Scalable Document Comprehension"). Neither side
    sees the other by construction, since :meth:`forward` is the same for all.

    With "l2", half the squared length of an end's vector is subtracted as a prior. Half that of the
    question's, which is the same for all spans, is omitted: it affects neither decisions nor probabilities.

    Args:
        width: D.
        answers: the settings of phrases.
        learns_priors: True if :meth:`passages` gives priors.

    Attributes:
        width: D.
        logits: the comparison of vectors.
        learns_priors: True if a phrase has a learnt prior.
        has_priors: True if a phrase has terms besides its inner product with the question.
        nothing: the phrase that represents no answer, or None.
    """

    most: int

    def __init__(self, *, width: int, answers: PhraseAnswers, learns_priors: bool = False) -> None:
        super().__init__(most=answers.most, answers_none=answers.answers_none)
        self.width, self.logits, self.learns_priors = width, answers.logits, learns_priors
        self.has_priors = learns_priors or answers.answers_none or answers.logits == "l2"
        self.nothing = Nothing(width) if answers.answers_none else None

    @abstractmethod
    def passages(self, context: TextBatch) -> Ends:
        """The vectors and priors of windows' tokens."""

    @abstractmethod
    def questions(self, question: TextBatch) -> tuple[Tensor, Tensor]:
        """Query vectors of questions for first and for last tokens. Shapes [B, D]."""

    @final
    def compared(self, ends: Ends) -> Ends:
        """The output of :meth:`passages`, with all question-independent terms as priors."""
        if self.logits == "ip":
            return ends
        return Ends(
            ends.start,
            ends.end,
            _nearer(ends.start, ends.start_prior),
            _nearer(ends.end, ends.end_prior),
        )

    @final  # type: ignore[misc] # torch declares it as an attribute
    def forward(  # type: ignore[override]
        self, question: TextBatch, context: TextBatch, *, in_batch: bool = False
    ) -> SpanLogits | BatchLogits:
        """The logits of first and last tokens; repeated windows are read once.

        Args:
            question: the questions.
            context: their windows.
            in_batch: True for the logits of the tokens of all windows.
        """
        windows, place = context.distinct()
        ends = self.compared(self.passages(windows))
        first, last = self.questions(question)
        none = None if self.nothing is None else self.nothing(first, last)
        if in_batch:
            tokens = windows.mask.flatten().expand(len(place), -1)
            start = _all_products(ends.start, first, ends.start_prior)
            end = _all_products(ends.end, last, ends.end_prior)
            begins = place * windows.mask.shape[1]
            return BatchLogits(at_tokens(start, tokens), at_tokens(end, tokens), none, begins)
        ends = ends.select(place)
        start, end = _products(ends.start, first, ends.start_prior), _products(ends.end, last, ends.end_prior)
        return SpanLogits(at_tokens(start, context.mask), at_tokens(end, context.mask), none)


def _products(ends: Tensor, asked: Tensor, prior: Tensor | None) -> Tensor:
    products = torch.einsum("btd,bd->bt", ends, asked)
    return products if prior is None else products + prior


def _all_products(ends: Tensor, asked: Tensor, prior: Tensor | None) -> Tensor:
    """The products of all tokens of W windows with all questions. Shape [B, W * T]."""
    products = asked @ ends.flatten(0, 1).T
    return products if prior is None else products + prior.flatten()


def _nearer(ends: Tensor, prior: Tensor | None) -> Tensor:
    """Minus half the squared lengths, added to priors. Shape [B, T]."""
    shorter = -ends.square().sum(dim=-1) / 2
    return shorter if prior is None else shorter + prior


class EncodedPhrases(PhraseNetwork):
    """Base class of networks with separate encoders for each end of each side, over token vectors.

    Args:
        dim: width of the tokens' vectors.
        encoding: the settings of the encoders.
        answers: the settings of phrases.
    """

    def __init__(self, *, dim: int, encoding: Encoding, answers: PhraseAnswers) -> None:
        super().__init__(width=encoding.width, answers=answers)
        self.encoders = PhraseEncoders(dim=dim, encoding=encoding)

    @abstractmethod
    def vectors(self, batch: TextBatch) -> Tensor:
        """The vectors of a text's tokens. Shape [B, T, dim]."""

    @final
    def passages(self, context: TextBatch) -> Ends:
        """The vectors of windows' tokens."""
        return Ends(*self.encoders.passages(self.vectors(context), context.mask))

    @final
    def questions(self, question: TextBatch) -> tuple[Tensor, Tensor]:
        """The query vectors of questions."""
        return self.encoders.questions(self.vectors(question), question.mask)

"""BiDAF: bidirectional attention flow that extracts the answer.

Source: Seo, Kembhavi, Farhadi and Hajishirzi, "Bidirectional Attention Flow for Machine Comprehension"
(2017).

Shapes: as in ``span_network.py``; H width of one direction.
"""

from torch import Tensor, cat, einsum, nn

from textkin.networks.architectures.span_network import NoneLogits, SpanLogits, SpanNetwork, at_tokens
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.bidaf import BiDAF, Sizes
from textkin.networks.nn.masking import masked_softmax
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.word_vectors import Words


class BidafSpans(SpanNetwork):
    """Seo et al. 2017, section 2: six layers, of which the first five are ``nn/bidaf.py``.

    The first token: w1 . [G; M]. The last one: w2 . [G; M2], where M2 is a BiLSTM over [G; M; a; M * a] and a
    is the mean of M weighted by the probabilities of the first token, as the published code has it (the paper
    alone reads as if M2 were a BiLSTM over M).

    Differences from the published code and its ports: padding is excluded from attention and softmax, and the
    question's words all have their characters.

    Args:
        words: the tokens.
        sizes: the sizes of the layers.
        most: the maximum tokens of an answer; None for no limit.
        answers_none: True if it can predict that a window contains no answer.
    """

    def __init__(
        self, words: Words, *, sizes: Sizes, most: int | None = None, answers_none: bool = False
    ) -> None:
        super().__init__(most=most, answers_none=answers_none)
        hidden = sizes.hidden
        self.layers = BiDAF(words, sizes)
        self.first = nn.Linear(10 * hidden, 1, bias=False)
        self.ending = Recurrent(cell="lstm", dim=14 * hidden, hidden=hidden, bidirectional=True)
        self.last = nn.Linear(10 * hidden, 1, bias=False)
        self.dropout = nn.Dropout(sizes.dropout)
        self.none = NoneLogits() if answers_none else None

    def forward(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of first and last tokens."""
        flow = self.layers(question, context)
        attended, modelled = flow.attended, flow.modelled
        start = self.first(self.dropout(cat([attended, modelled], dim=-1))).squeeze(-1)
        share = masked_softmax(start, context.mask)
        summary = einsum("bt,btd->bd", share, modelled).unsqueeze(1).expand_as(modelled)
        known = cat([attended, modelled, summary, modelled * summary], dim=-1)
        ending: Tensor = self.ending(self.dropout(known), context.mask)
        end = self.last(self.dropout(cat([attended, ending], dim=-1))).squeeze(-1)
        none = None if self.none is None else self.none(start)
        return SpanLogits(at_tokens(start, context.mask), at_tokens(end, context.mask), none)

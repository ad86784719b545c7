"""Independent phrases and questions, by a pretrained transformer.

Source: Seo et al., "Real-Time Open-Domain Question Answering with Dense-Sparse Phrase Index" (2019),
the dense part without coherency.
"""

import copy
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from textkin.base.errors import UsageError
from textkin.networks.architectures.backbone import as_backbone, config_of, tokens_of
from textkin.networks.architectures.phrase_network import Ends, PhraseAnswers, PhraseNetwork
from textkin.networks.architectures.transformer import token_states
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.framed_texts import FramedTexts
from textkin.networks.nn.pooling import Pooling, known_pooling, pool


class TransformerPiqa(PhraseNetwork):
    """Linear layers over the states of tokens: of passages for both ends, of questions for both.

    Args:
        backbone: the network, or the configuration of a new one, as in a Hugging Face ``config.json``.
        frame: the special tokens around a text; see :class:`textkin.networks.nn.framed_texts.FramedTexts`.
        answers: the settings of phrases.
        width: width of an end's vector; 0 for that of a state.
        shared: True if one network reads passages and questions; otherwise each has its own, with equal
            initial weights.
        prior: learn a question-independent prior of phrases: two linear layers over passages' states.
        pooling: the pooling of a question's states.

    Raises:
        UsageError: there is no such pooling, or the width is negative.
    """

    def __init__(
        self,
        *,
        backbone: nn.Module | Mapping[str, Any],
        frame: Mapping[str, Any],
        answers: PhraseAnswers,
        width: int = 0,
        shared: bool = True,
        prior: bool = False,
        pooling: Pooling = "first",
    ) -> None:
        if width < 0:
            raise UsageError(
                f"width={width} is not a width", fix="give 0 or more", params=("width",), value=width
            )
        backbone = as_backbone(backbone)
        states = int(config_of(backbone).hidden_size)
        super().__init__(width=width or states, answers=answers, learns_priors=prior)
        self.backbone = backbone
        self.asking = None if shared else copy.deepcopy(backbone)
        self.frame = FramedTexts(**frame, size=tokens_of(backbone))
        self.of_passages = nn.Linear(states, 2 * self.width)
        self.of_questions = nn.Linear(states, 2 * self.width)
        self.of_priors = nn.Linear(states, 2) if prior else None
        self.pooling = known_pooling(pooling)

    def passages(self, context: TextBatch) -> Ends:
        """The vectors of windows' tokens."""
        states = self.frame.inside(token_states(self.backbone, self.frame(context)))
        start, end = self.of_passages(states).chunk(2, dim=-1)
        if self.of_priors is None:
            return Ends(start, end)
        return Ends(start, end, *self.of_priors(states).unbind(dim=-1))

    def questions(self, question: TextBatch) -> tuple[Tensor, Tensor]:
        """The query vectors of questions."""
        framed = self.frame(question)
        states = token_states(self.backbone if self.asking is None else self.asking, framed)
        first, last = self.of_questions(pool(states, framed.mask, how=self.pooling)).chunk(2, dim=-1)
        return first, last

"""PIQA over the tokens and states of a frozen pretrained transformer.

Source: Seo et al., "Phrase-Indexed Question Answering" (2018), with self-attention and ELMo.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.networks.architectures.backbone import as_backbone, config_of, tokens_of
from textkin.networks.architectures.frozen_states import FrozenStates
from textkin.networks.architectures.phrase_network import EncodedPhrases, PhraseAnswers
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.framed_texts import FramedTexts
from textkin.networks.nn.highway import Highway
from textkin.networks.nn.phrase_encoders import Encoding


class ContextualPiqa(EncodedPhrases):
    """The encoders of PIQA over vectors of a transformer's tokens, none of which are trained.

    A token's input is its row in the transformer's own table, and the transformer's last state, each
    normalised to mean 0 and variance 1. So words and context have the same tokens, and no other table is
    needed. This is any encoder in place of the paper's ELMo next to GloVe and characters.

    Args:
        backbone: the network, or the configuration of a new one, as in a Hugging Face ``config.json``.
        frame: the special tokens around a text; see :class:`textkin.networks.nn.framed_texts.FramedTexts`.
        encoding: the settings of the encoders.
        answers: the settings of phrases.
        highways: highway layers over the two vectors of a token.
    """

    def __init__(
        self,
        *,
        frame: Mapping[str, Any],
        backbone: nn.Module | Mapping[str, Any],
        encoding: Encoding,
        answers: PhraseAnswers,
        highways: int = 2,
    ) -> None:
        network: Any = as_backbone(backbone)
        joined = int(network.get_input_embeddings().weight.shape[1] + config_of(network).hidden_size)
        super().__init__(dim=joined, encoding=encoding, answers=answers)
        self.states = FrozenStates(network)
        self.frame = FramedTexts(**frame, size=tokens_of(network))
        self.highway = Highway(dim=joined, layers=highways)

    def vectors(self, batch: TextBatch) -> Tensor:
        """The vectors of tokens and their states."""
        network: Any = self.states.backbone
        pieces = network.get_input_embeddings()(batch.ids)
        states = self.frame.inside(self.states(self.frame(batch)))
        both = [functional.layer_norm(one, one.shape[-1:]) for one in (pieces, states)]
        return self.highway(torch.cat(both, dim=-1))

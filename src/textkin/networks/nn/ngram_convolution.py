"""Convolution over words that are bags of character n-grams (Shen et al. 2014).

Shapes: B texts, L tokens, F filters, W tokens that a filter spans, V character n-grams.
"""

from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.letter_ngrams import LetterNgrams


class NgramConvolution(nn.Module):
    """Filters over W neighbouring words, each a vector of V counts: texts to [B, L, F].

    Exactly the product of the F x (W V) matrix of the paper with the joined counts of the window, but
    computed from each word's products with W matrices of F x V, shifted and added: no vector of V counts is
    stored. Beyond a text's ends words count as zero. There is no bias and no activation.

    Args:
        unit_size: V plus one, for no n-gram.
        filters: F.
        width: W; for an even width, the window has one more word after its centre than before.

    Raises:
        UsageError: there are no n-grams.
    """

    def __init__(self, *, unit_size: int, filters: int, width: int) -> None:
        super().__init__()
        self.words = LetterNgrams(unit_size=unit_size, dim=width * filters)
        self.width = width

    def forward(self, batch: TextBatch) -> Tensor:
        """The filters' responses at every position; those at padding are meaningless."""
        words = self.words(batch)
        parts = words.view(*words.shape[:2], self.width, -1)
        around = ((self.width - 1) // 2, self.width // 2)
        padded = nn.functional.pad(parts, (0, 0, 0, 0, *around))
        length = parts.shape[1]
        responses: Tensor = sum(padded[:, at : at + length, at] for at in range(self.width))  # type: ignore[assignment]
        return responses

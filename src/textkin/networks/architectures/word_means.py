"""Means of word vectors: the baseline for every other model.

With a cosine it is the classical baseline; with layers on top it is "GloVe + regression" and "GloVe + MLP" of
the similarity-learning comparison in which the latter outperformed the deeper models.

Shapes: as in ``matcher.py``.
"""

from collections.abc import Sequence
from typing import Literal

from torch import Tensor, cat, nn

from textkin.base.errors import UsageError, wrong_setting
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.cosine_score import CosineScore
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.ignored_options import refuse_ignored
from textkin.networks.nn.pooling import masked_mean
from textkin.networks.nn.word_vectors import Words, WordVectors

Head = Literal["cosine", "regression", "mlp"]
Features = Literal["concat", "full"]


class WordMeans(Matcher):
    """The mean vector of each text, and a cosine, a linear layer or several layers on both.

    Tokens with a zero vector, those of unknown words, are excluded from the mean.

    Args:
        head: "cosine" (a linear function of it, for a score only), "regression" (linear in the features) or
            "mlp".
        features: features of the last two heads: "concat" is both means; "full" adds their absolute
            difference and their product, which a linear layer can't compute.
        hidden: widths of the layers of "mlp".
        dropout: dropout on the input of each layer.

    Raises:
        UsageError: there is no such head or features, or a cosine is to predict classes.
    """

    def __init__(
        self,
        words: Words,
        *,
        head: Head = "mlp",
        features: Features = "full",
        hidden: Sequence[int] = (100, 64),
        dropout: float = 0.2,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if head not in ("cosine", "regression", "mlp"):
            raise wrong_setting("head", head, expected="'cosine', 'regression' or 'mlp'")
        if features not in ("concat", "full"):
            raise wrong_setting("features", features, expected="'concat' or 'full'")
        if head == "cosine" and outputs > 1:
            raise UsageError(
                f"the cosine is one number and can't tell {outputs} classes apart",
                fix="choose head = 'regression' or 'mlp'",
                params=("outputs",),
                value=outputs,
            )
        if head != "mlp":
            refuse_ignored(WordMeans, {"hidden": hidden}, why=f"with head = {head!r}")
        if head == "cosine":
            given = {"features": features, "dropout": dropout}
            refuse_ignored(WordMeans, given, why="with head = 'cosine'")
        self.words = WordVectors(words)
        width = words.dim * (4 if features == "full" else 2)
        self.decide: CosineScore | nn.Sequential
        if head == "cosine":
            self.decide = CosineScore(outputs=1)
        else:
            self.decide = feed_forward(width, hidden if head == "mlp" else (), outputs, dropout=dropout)
        self.head = head
        self.features = features

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        means = [self._mean(a), self._mean(b)]
        scores: Tensor
        if self.head == "cosine":
            scores = self.decide(*means)
            return scores
        if self.features == "full":
            means += [(means[0] - means[1]).abs(), means[0] * means[1]]
        scores = self.decide(cat(means, dim=1))
        return scores

    def _mean(self, batch: TextBatch) -> Tensor:
        """One vector per text. Shape [B, D]."""
        vectors = self.words(batch)
        return masked_mean(vectors, batch.mask & vectors.any(dim=2))

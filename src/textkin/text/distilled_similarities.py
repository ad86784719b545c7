"""Static vectors that learn a teacher's ranking of similar texts.

A fit to the teacher's vectors moves each text near its target, but users need the right order among several
near texts. So a step takes some texts, the anchors, with their nearest texts by the teacher. Every text i
attends to the others by the softmax of its cosines at a temperature t::

    p(j | i) = exp(cos(i, j) / t) / sum over k other than i of exp(cos(i, k) / t)

The first loss is the mean over i of the Kullback-Leibler divergence from the teacher's distribution. Source:
Tejankar et al., "ISD: Self-Supervised Learning by Iterative Similarity Distillation" (2021), whose teacher is
updated along with a network; here it is fixed.

The softmax doesn't change when all cosines of a text grow alike. With this loss alone, all texts drift
towards one direction: long ones look alike, and short codes carry less information. A second term fixes the
cosines themselves, with the weight that the divergence gives them to second order::

    1 / (2 t^2) * mean over j other than i of (cos(i, j) - the teacher's cos(i, j))^2

Gains on some texts cost a little on others. So the result is halfway between the original and the final
vectors, which keeps most of the gain and avoids most of the loss. Source: Wortsman et al., "Robust
fine-tuning of zero-shot models" (2022), equation 1.
"""

from collections.abc import Callable, Sequence

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.text.distilled import token_counts

Vectors = Floats32
Numbers = Ints

TEMPERATURE = 0.05
ANCHORS = 128  # anchors per step, without their nearest texts
NEAR = 8  # nearest texts per anchor
RATE = 1e-3  # learning rate for a median token vector of length 1
TAKEN = 0.5  # fraction of the change that is kept

_MEAN, _SQUARE, _TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)  # as usual with Adam


def fit_to_similarities(
    table: Vectors,
    ids: Sequence[Ints32],
    targets: Vectors,
    near: Numbers,
    *,
    epochs: int,
    seed: int = 0,
    advance: Callable[[int], None] = lambda count: None,
) -> Vectors:
    """Adjust token vectors so that similarities of texts match those of a teacher.

    The optimiser is Adam, with a learning rate that decays linearly to zero. A step changes only the vectors
    of its texts' tokens. The result is halfway to the final vectors. The same seed gives the same vectors.

    Args:
        table: original vectors, weights included; not changed. Shape [tokens, dim].
        ids: the tokens of each text.
        targets: the teacher's vectors of the texts, of any length. Shape [texts, width].
        near: nearest texts of each text by these vectors, -1 for none. Shape [texts, near].
        epochs: number of times each text is an anchor.
        seed: seed of the order.
        advance: callback that receives the number of anchors since its last call.
    """
    has_vector = np.array([table[row].any() for row in ids], dtype=bool)
    anchors = np.flatnonzero(has_vector)
    steps = epochs * -(-len(anchors) // ANCHORS)
    if not steps:
        return table
    lengths = np.linalg.norm(table, axis=1)
    scale = np.median(lengths[lengths > 0])
    learner = _Learner(table / scale)
    units = targets / np.maximum(np.linalg.norm(targets, axis=1, keepdims=True), _TINY)
    random = np.random.default_rng(seed)
    orders = (random.permutation(anchors) for _ in range(epochs))
    batches = (order[start : start + ANCHORS] for order in orders for start in range(0, len(order), ANCHORS))
    for done, batch in enumerate(batches):
        group = np.unique(np.concatenate([batch, near[batch].ravel()]))
        group = group[(group >= 0) & has_vector[group]]
        learner.step([ids[text] for text in group], units[group], RATE * (1 - done / steps))
        advance(len(batch))
    went = learner.table * scale - table
    return np.asarray(table + TAKEN * went, dtype=np.float32)


def disagreement(vectors: Vectors, teacher: Vectors) -> tuple[float, Vectors]:
    """The sum of both losses, each averaged over texts, and its gradient by the vectors.

    Args:
        vectors: at least two, nonzero. Shape [texts, dim].
        teacher: unit vectors. Shape [texts, width].
    """
    texts = len(vectors)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / lengths
    scores: Vectors = units @ units.T / np.float32(TEMPERATURE)
    aims: Vectors = teacher @ teacher.T / np.float32(TEMPERATURE)
    gaps = scores - aims
    np.fill_diagonal(gaps, 0)
    ours, theirs = _log_shares(scores), _log_shares(aims)
    wanted = np.exp(theirs)
    apart = ~np.eye(texts, dtype=bool)
    told = np.sum(wanted[apart] * (theirs[apart] - ours[apart]), dtype=np.float64)
    held = np.sum(np.square(gaps), dtype=np.float64) / (2 * (texts - 1))
    pull = np.exp(ours) - wanted + gaps / np.float32(texts - 1)
    by_unit = (pull + pull.T) @ units / np.float32(TEMPERATURE * texts)
    along = np.vecdot(by_unit, units)[:, None]
    gradient: Vectors = (by_unit - along * units) / lengths
    return float(told + held) / texts, gradient


def _log_shares(scores: Vectors) -> Vectors:
    """The logarithm of p(j | i), minus infinity for j = i. Scores are overwritten. Shape [texts, texts]."""
    np.fill_diagonal(scores, -np.inf)
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores


class _Learner:
    """Adam with sparse updates of the rows of a table."""

    def __init__(self, table: Vectors) -> None:
        self.table = table.astype(np.float32, copy=True)
        self._mean, self._square = np.zeros_like(self.table), np.zeros_like(self.table)
        self._steps = 0

    def step(self, ids: Sequence[Ints32], teacher: Vectors, rate: float) -> None:
        """Take one step for some texts, each with a teacher's vector."""
        if len(ids) < 2:
            return
        tokens, columns = np.unique(np.concatenate(ids), return_inverse=True)
        counts = token_counts(columns, [len(row) for row in ids], tokens=len(tokens))
        _, gradient = disagreement(counts @ self.table[tokens], teacher)
        change = counts.T @ gradient
        self._steps += 1
        mean = self._mean[tokens] = _MEAN * self._mean[tokens] + (1 - _MEAN) * change
        square = self._square[tokens] = _SQUARE * self._square[tokens] + (1 - _SQUARE) * change**2
        mean, square = mean / (1 - _MEAN**self._steps), square / (1 - _SQUARE**self._steps)
        self.table[tokens] -= np.float32(rate) * mean / (np.sqrt(square) + _TINY)

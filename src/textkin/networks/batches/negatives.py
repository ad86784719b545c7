"""Selection of negatives.

Texts of one component of the gold graph are never each other's negatives. A component is a set of texts that
are known duplicates, directly or through others; a text without known duplicates has its own.

Shapes: B rows of a batch, P pairs, T texts, M pairs of a macrobatch, D width of vectors, S triplets found.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from textkin.base.arrays import Ints
from textkin.base.errors import DataError, UsageError
from textkin.networks.batches.samplers import epoch_generator


def allowed_negatives(components_a: Ints, components_b: Ints, *, naive: bool = False) -> Tensor:
    """A mask of the second texts of a batch that may be negatives of each first text.

    Args:
        components_a: the gold components of the first texts. Shape [B].
        components_b: those of their positives, then of further texts, such as hard negatives. Shape [M],
            M >= B.
        naive: use the published rule instead: everything off the diagonal.

    Returns:
        [i, j] is True if b_j may be a negative of a_i; the diagonal is False; bool. Shape [B, M].

    Raises:
        UsageError: there are fewer second texts than first ones.
    """
    if len(components_b) < len(components_a):
        raise UsageError(
            f"{len(components_a)} components of first texts and {len(components_b)} of second texts, "
            "expected at least as many",
            value=(len(components_a), len(components_b)),
        )
    off_diagonal = ~np.eye(len(components_a), len(components_b), dtype=np.bool_)
    if naive:
        return torch.from_numpy(off_diagonal)
    return torch.from_numpy(off_diagonal & (components_a[:, None] != components_b))


def random_triplets(component_of_pair: Ints, component_of_text: Ints, *, seed: int, epoch: int) -> Ints:
    """A random negative for every positive pair, from texts of other components.

    Args:
        component_of_pair: the gold component of each positive pair. Shape [P].
        component_of_text: the gold component of each text that may be drawn. Shape [T].
        seed: the seed of the draw.
        epoch: the epoch of the draw.

    Returns:
        The index of the drawn text for each pair. Shape [P].

    Raises:
        DataError: a pair's component contains all texts.
    """
    by_component = np.argsort(component_of_text, kind="stable")
    ordered = component_of_text[by_component]
    first = np.searchsorted(ordered, component_of_pair, side="left")
    kin = np.searchsorted(ordered, component_of_pair, side="right") - first
    others = len(ordered) - kin
    if (others == 0).any():
        raise DataError(
            f"there is no text outside component {component_of_pair[others == 0][0]} to draw negatives from",
            fix="give pairs of more than one group of texts",
        )
    drawn = epoch_generator(seed, epoch, purpose="random triplets").integers(others)
    # Texts of the own component are adjacent: draws at or after their position skip them.
    return by_component[drawn + np.where(drawn >= first, kin, 0)]


@dataclass(frozen=True, slots=True, eq=False)
class SemiHard:
    """Semi-hard triplets of a macrobatch: (anchor of pair i, positive of pair i, positive of pair j).

    Attributes:
        pairs: i of each triplet, ascending. Shape [S].
        negatives: j of each triplet. Shape [S].
        skipped: the number of pairs without a negative.
    """

    pairs: Ints
    negatives: Ints
    skipped: int


@torch.no_grad()
def semi_hard_macrobatch(
    anchor_vectors: Tensor,
    positive_vectors: Tensor,
    *,
    positive_texts: Sequence[str],
    components: Ints | None = None,
    min_margin: float = 0.0,
    max_margin: float = 0.2,
) -> SemiHard:
    """For each pair, the nearest wrong answer a little farther from the anchor than the right one.

    Answers are scanned in ascending cosine distance d from anchor i (ties in order). The first j whose text
    differs, whose component differs, and with d_ij - d_ii > ``min_margin`` is taken if d_ij - d_ii <
    ``max_margin``; otherwise pair i is skipped. Source: Allen AI science question answering, online training.
    A zero vector (empty text) has distance 1 from everything.

    Args:
        anchor_vectors: shape [M, D].
        positive_vectors: shape [M, D].
        positive_texts: the M positives; they are compared in lower case without surrounding blanks.
        components: the gold component of each pair; None for the published rule, which compares texts only.
            Shape [M].
        min_margin: a negative must be farther than the positive by more than this.
        max_margin: and by less than this.

    Raises:
        UsageError: the parts have different lengths.
    """
    pairs = len(positive_texts)
    given = {
        pairs,
        len(anchor_vectors),
        len(positive_vectors),
        pairs if components is None else len(components),
    }
    if len(given) > 1:
        raise UsageError(
            f"vectors, texts and components have different lengths {sorted(given)}, expected one",
            value=sorted(given),
        )
    if pairs == 0:
        return SemiHard(np.empty(0, np.int64), np.empty(0, np.int64), skipped=0)
    distances = 1 - _unit(anchor_vectors) @ _unit(positive_vectors).T
    right = distances.diagonal()
    numbers: dict[str, int] = {}
    text = np.array([numbers.setdefault(text.lower().strip(), len(numbers)) for text in positive_texts])
    wrong = text[:, None] != text
    if components is not None:
        wrong &= components[:, None] != components
    candidates = torch.from_numpy(wrong).to(distances.device) & (distances - right[:, None] > min_margin)
    nearest, negatives = distances.masked_fill(~candidates, torch.inf).min(dim=1)
    taken = (nearest - right < max_margin).cpu().numpy()
    return SemiHard(
        pairs=np.flatnonzero(taken),
        negatives=negatives.cpu().numpy()[taken],
        skipped=int(pairs - taken.sum()),
    )


def _unit(vectors: Tensor) -> Tensor:
    return functional.normalize(vectors.to(torch.promote_types(vectors.dtype, torch.float32)), dim=-1)

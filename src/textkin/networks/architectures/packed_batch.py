"""A padded batch through a transformer that works without padding."""

from typing import Any

from torch import Tensor

from textkin.networks.architectures.packed_transformer import PackedTransformer


def packed_states(
    packed: PackedTransformer, ids: Tensor, mask: Tensor, types: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The last states of a batch's tokens, [T, D], longest texts first; and this order, [B].

    Args:
        packed: the transformer.
        ids: tokens, padding at the end. Shape [B, L].
        mask: False at padding. Shape [B, L].
        types: the text of each token, first or second, or None. Shape [B, L].
    """
    lengths: Any = mask.sum(dim=1)  # one of its methods has no type annotations
    order: Tensor = lengths.argsort(descending=True, stable=True)
    kept = mask[order]
    sizes, counts = lengths[order].unique_consecutive(return_counts=True)
    groups = list(zip(counts.tolist(), sizes.tolist(), strict=True))
    kinds = None if types is None else types[order][kept]
    return packed.states(ids[order][kept], groups, types=kinds), order

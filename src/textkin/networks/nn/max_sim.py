"""Late interaction: each token of one text is matched with the most similar token of another."""

from torch import Tensor

from textkin.networks.nn.matrix_recorder import TextMatrix


def max_sim(
    a: Tensor, b: Tensor, *, a_mask: Tensor, b_mask: Tensor, shown: TextMatrix | None = None
) -> Tensor:
    """The sum over the tokens of a of the highest dot product with a token of b.

    Source: Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late
    Interaction over BERT" (2020), equation 3.

    Args:
        a: token vectors [B, N, D], of unit length for cosines.
        b: token vectors [B, M, D].
        a_mask: True at tokens of a that count. Shape [B, N].
        b_mask: True at tokens of b that count. Shape [B, M].
        shown: records the products. Shape [B, N, M].

    Returns:
        Shape [B]; 0 if a text has no token.
    """
    products = a @ b.transpose(1, 2)
    if shown is not None:
        products = shown(products)
    products = products.masked_fill(~b_mask[:, None], -float("inf"))
    best = products.amax(dim=2).masked_fill(~(a_mask & b_mask.any(dim=1, keepdim=True)), 0.0)
    return best.sum(dim=1)

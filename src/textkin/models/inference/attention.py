"""Attention of a network: its matrices between the tokens of two texts.

Shapes: N tokens of the first text, M of the second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.arrays import Floats, Ints32
from textkin.base.errors import ModelError, inapplicable, invalid
from textkin.data.attention_map import AttentionMap, Sums
from textkin.data.token_attributions import TokenShares
from textkin.models.inference.engine import evaluating
from textkin.networks.architectures.attention_recorder import attentions
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.overlap import WithOverlap
from textkin.networks.architectures.siamese import Siamese
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.networks.architectures.transformer_piqa import TransformerPiqa
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.matrix_recorder import SeenMatrix, watched
from textkin.text.token_texts import NamedTokens

NOTHING = "(nothing)"
WHOLE = "(whole text)"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadChoice:
    """The layers and heads of a pretrained transformer to average over.

    Attributes:
        layers: layer numbers from 1; empty for all.
        heads: head numbers of each layer, from 1; empty for all.
    """

    layers: tuple[int, ...] = ()
    heads: tuple[int, ...] = ()

    def mean(self, found: Tensor) -> Tensor:
        """The mean over layers and heads: [layers, 1, heads, L, L] to [L, L].

        Raises:
            UsageError: there is no such layer or head.
        """
        layers = _chosen("layer", self.layers, found.shape[0])
        heads = _chosen("head", self.heads, found.shape[2])
        return found[layers, 0][:, heads].mean(dim=(0, 1))

    def words(self) -> str:
        """The layers and heads in words."""
        layers = f"layer {_listed(self.layers)}" if self.layers else "all layers"
        heads = f"head {_listed(self.heads)}" if self.heads else "all heads"
        return f"({layers}, {heads})"


def attention_maps(
    network: Network, a: NamedTokens, b: NamedTokens, *, pad_id: int, choice: HeadChoice | None = None
) -> list[AttentionMap]:
    """A network's matrices between two texts, in the order of its layers.

    Args:
        network: the network; its training mode is restored afterwards.
        a: the first text, or the question.
        b: the second text, or the window of a passage.
        pad_id: the padding token.
        choice: the layers and heads, for pretrained transformers only; all by default.

    Raises:
        UsageError: the network has no such matrix, a text has no token, or there is no such layer or head.
        ModelError: a number isn't finite.
    """
    for which, tokens in (("first", a), ("second", b)):
        if not len(tokens):
            raise invalid("data", f"the {which} text", expected="a text with tokens that the model knows")
    device = next(network.parameters()).device
    batches = [TextBatch.from_ids([one.ids], pad_id=pad_id).to(device) for one in (a, b)]
    of_transformer = isinstance(
        network, CrossEncoder | TransformerReader | TransformerEncoder | TransformerPiqa
    )
    if choice is not None and (choice.layers or choice.heads) and not of_transformer:
        raise inapplicable("layers", "heads", to="models other than pretrained transformers")
    choice = choice or HeadChoice()
    with evaluating(network), torch.inference_mode():
        if isinstance(network, CrossEncoder | TransformerReader):
            found = list(_joined(network, a, b, batches, choice))
        elif isinstance(network, TransformerEncoder | TransformerPiqa):
            found = list(_apart(network, a, b, batches, choice))
        else:
            found = list(_seen(network, a, b, batches))
    for one in found:
        if not np.isfinite(one.weights).all():
            raise ModelError(
                f"{one.name} has numbers that are not finite", fix="train the model again, or choose another"
            )
    return found


def _seen(
    network: Any, a: NamedTokens, b: NamedTokens, batches: Sequence[TextBatch]
) -> Iterator[AttentionMap]:
    """A listener for the matrices of a network."""
    with watched(network) as seen:
        if not seen:
            inner = network.inner if isinstance(network, WithOverlap) else network
            raise invalid(
                "model",
                type(inner).__name__,
                expected="a model that compares tokens, such as esim, knrm, bidaf or a cross-encoder",
            )
        network(*batches)
    for one in seen:
        if one.place.rows != "own":
            yield from _maps(one, {"a": a, "b": b}, one.place.name)
            continue
        for number, (which, tokens) in enumerate((("first", a), ("second", b))):
            yield from _maps(one, {"own": tokens}, f"{one.place.name} of the {which} text", number)


def _maps(
    seen: SeenMatrix, tokens: dict[str, NamedTokens], name: str, number: int = 0
) -> Iterator[AttentionMap]:
    place = seen.place
    for part, matrix in zip(place.parts or ("",), seen.of_pair(number), strict=True):
        rows, columns = (
            _labels(tokens, side, size)
            for side, size in zip((place.rows, place.columns), matrix.shape, strict=True)
        )
        yield _map(
            f"{name}, {part}" if part else name,
            rows,
            columns,
            matrix[: len(rows), : len(columns)],
            turned=(place.rows, place.columns) == ("b", "a"),
            sums="rows" if place.shares else "none",
        )


def _labels(tokens: dict[str, NamedTokens], side: str, size: int) -> tuple[str, ...]:
    """The tokens of an axis; a network may see only the first ones, or have one more state."""
    if side == "all":
        return (WHOLE,)
    found = tokens[side].texts
    return (*found[:size], *([NOTHING] if size == len(found) + 1 else []))


def _map(
    name: str, rows: tuple[str, ...], columns: tuple[str, ...], matrix: Tensor, *, turned: bool, sums: Sums
) -> AttentionMap:
    """A matrix, transposed if its rows are the second text's."""
    weights = matrix.float().cpu().numpy()
    if not turned:
        return AttentionMap(name, rows, columns, weights, sums)
    return AttentionMap(
        name, columns, rows, np.ascontiguousarray(weights.T), "columns" if sums == "rows" else "none"
    )


def _joined(
    network: CrossEncoder | TransformerReader,
    a: NamedTokens,
    b: NamedTokens,
    batches: Sequence[TextBatch],
    choice: HeadChoice,
) -> Iterator[AttentionMap]:
    """The attention of each text to the other in one sequence, without the rest."""
    with attentions(network.encoder) as found:
        network(*batches)
    weights = choice.mean(found[0])
    join = network.join
    n, m = (int(kept) for kept in join.kept(batches[0].lengths, batches[1].lengths))
    a, b = (
        one.part(slice(len(one) - kept, None) if join.tail else slice(kept)) for one, kept in ((a, n), (b, m))
    )
    first = join.start.shape[1]
    second = first + n + join.middle.shape[1]
    of_a, of_b = slice(first, first + n), slice(second, second + m)
    said = choice.words()
    both = (("first text to second", a, b, of_a, of_b), ("second text to first", b, a, of_b, of_a))
    for what, one, other, rows, columns in both:
        name, found_weights = f"attention, {what} {said}", weights[rows, columns]
        yield _map(name, one.texts, other.texts, found_weights, turned=one is b, sums="none")


def _apart(
    network: TransformerEncoder | TransformerPiqa,
    a: NamedTokens,
    b: NamedTokens,
    batches: Sequence[TextBatch],
    choice: HeadChoice,
) -> Iterator[AttentionMap]:
    """The attention of each text to itself, in a transformer that reads texts separately."""
    before = 0 if isinstance(network, TransformerEncoder) else len(network.frame.before)
    for which, tokens, batch in (("first", a, batches[0]), ("second", b, batches[1])):
        with attentions(_encoder(network, which)) as found:
            if isinstance(network, TransformerEncoder):
                network(batch)
            elif which == "first":
                network.questions(batch)
            else:
                network.passages(batch)
        own = slice(before, before + len(tokens))
        weights = choice.mean(found[0])
        yield _map(
            f"self-attention, {which} text {choice.words()}",
            tokens.texts,
            tokens.texts,
            weights[own, own],
            turned=False,
            sums="rows" if len(weights) == len(tokens) else "none",
        )


def _encoder(network: TransformerEncoder | TransformerPiqa, which: str) -> nn.Module:
    """The encoder of the first or the second text."""
    if isinstance(network, TransformerPiqa) and which == "first" and network.asking is not None:
        return network.asking
    return network.backbone


def _chosen(what: str, wanted: Sequence[int], count: int) -> list[int]:
    """Positions of the numbers, from 0.

    Raises:
        UsageError: there is no such number.
    """
    for number in wanted:
        if not 1 <= number <= count:
            raise invalid(f"{what}s", number, expected=f"numbers from 1 to {count}")
    return sorted({number - 1 for number in wanted}) or list(range(count))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in sorted({*numbers}))


_SUMS = ("mean", "sum", "root-mean")


def is_sum(module: Tower) -> bool:
    """True if a text's vector is the direction of a sum over its tokens."""
    if isinstance(module, Siamese):
        plain = module.layer is None and module.dense is None and module.mask
        return plain and module.pooling in _SUMS
    return isinstance(module, StaticTower)


def token_rows(module: Any, ids: Ints32, *, pad_id: int) -> Floats:
    """Vectors whose sum has the direction of a text's vector, for a tower that :func:`is_sum`.

    Args:
        module: the tower.
        ids: the token ids of the text, shape [T] or [T, 1 + G].
        pad_id: the padding token.

    Returns:
        Shape [T, dim].
    """
    batch = TextBatch.from_ids([ids], pad_id=pad_id).to(next(module.parameters()).device)
    with evaluating(module), torch.inference_mode():
        rows = module.embedding(batch.ids)
        if isinstance(module, StaticTower) and module.projection is not None:
            rows = module.projection(rows)
    return rows[0, : len(ids)].double().cpu().numpy()


def late_shares(products: AttentionMap) -> TokenShares:
    """The contribution of each token pair to a late-interaction score, from all cosines.

    Each token of the first text counts with the most similar token of the second; ties go to the first.
    """
    weights = products.weights.astype(np.float64)
    shares = np.zeros_like(weights)
    if weights.size:
        rows, best = np.arange(len(weights)), weights.argmax(axis=1)
        shares[rows, best] = weights[rows, best]
    return TokenShares(products.rows, products.columns, shares)

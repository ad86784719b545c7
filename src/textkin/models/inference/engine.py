"""The inference loop: tokenised texts through a network, batched by tokens, on all cores.

Texts of similar length share a batch, and all batches have about the same number of tokens, so that neither
memory nor speed depends on the order of texts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import MappingProxyType
from typing import Literal, Self

import numpy as np
import torch
from torch import Tensor, nn

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.errors import UsageError, invalid, said
from textkin.base.threads import one_thread_each, side_by_side
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.packed_cross_encoder import PackedCrossEncoder
from textkin.networks.architectures.packed_transformer import PackedTransformer
from textkin.networks.architectures.tower import Tower
from textkin.networks.architectures.transformer import TransformerEncoder, token_states
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.batches.padded import TextBatch

Computes = Literal["fp32", "bf16"]
"""The precision of matrix products; vectors and scores are float32 in any case."""

Ids = Sequence[Ints32]
"""Token ids of each text."""

DTYPES: Mapping[Computes, torch.dtype] = MappingProxyType({"fp32": torch.float32, "bf16": torch.bfloat16})
PACKED_TOKENS = 2_048
"""Tokens per batch, without padding, whose states stay in a core's cache."""
_TOKENS_PER_BATCH = 16_384


class Engine:
    """A tower prepared for encoding.

    A transformer on the CPU is rearranged without padding and with fused layers, and each core works on its
    own batches, which is faster than all of them on one. Other networks run unchanged. The tower must not be
    trained while its engine is in use.

    Args:
        module: the tower.
        pad_id: the padding token.
        computes: the precision of matrix products. Only transformers support less than float32.

    Raises:
        UsageError: bf16 is requested, and the network isn't a transformer, or this machine doesn't support
            it.
    """

    def __init__(self, module: Tower, *, pad_id: int, computes: Computes = "fp32") -> None:
        if computes == "bf16" and not may_take_bf16(module):
            raise invalid("precision", computes, expected="fp32, the only one of this model")
        self._module = module
        self._forward = _Packed.of(module, computes) or _Padded(module, pad_id=pad_id, computes=computes)
        self.computes = computes
        if computes == "bf16":
            self._try_out(pad_id)

    def vectors(self, ids: Ids) -> Floats32:
        """Vectors of tokenised texts in order, shape [texts, dim]."""
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        # Long texts first: the remainder at the end, when cores run out of work, is short.
        order = np.argsort(-lengths, kind="stable")
        found = np.empty((len(ids), self._module.dim), dtype=np.float32)

        def encode(rows: Ints) -> None:
            with torch.inference_mode():
                found[rows] = self._forward([ids[row] for row in rows]).float().cpu().numpy()

        batches = by_tokens(order, lengths, most=self._forward.tokens)
        with evaluating(self._module) if self._forward.has_modes else nullcontext():
            work_on(encode, batches, threads=torch.get_num_threads() if self._forward.is_parallel else 1)
        return found

    def _try_out(self, pad_id: int) -> None:
        """Check with two tokens, rather than hours later, that all layers can be computed."""
        with computable(self.computes):
            self.vectors([np.full(2, pad_id, dtype=np.int32)])


class _Padded:
    """An unmodified network."""

    tokens = _TOKENS_PER_BATCH
    is_parallel = False
    has_modes = True

    def __init__(self, module: Tower, *, pad_id: int, computes: Computes) -> None:
        self._module, self._pad_id = module, pad_id
        self._rough = computes == "bf16"

    def __call__(self, ids: Ids) -> Tensor:
        device = _device(self._module)
        batch = TextBatch.from_ids(ids, pad_id=self._pad_id).to(device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self._rough):
            vectors: Tensor = self._module(batch)
        return vectors


class _Packed:
    """A transformer without padding, equal to the network in evaluation mode."""

    tokens = PACKED_TOKENS
    is_parallel = True
    has_modes = False

    def __init__(self, module: TransformerEncoder, packed: PackedTransformer) -> None:
        self._module, self._packed = module, packed

    @classmethod
    def of(cls, module: Tower, computes: Computes) -> Self | None:
        """The packed network, or None if it can't be rearranged."""
        if not isinstance(module, TransformerEncoder):
            return None
        packed = PackedTransformer.of(module.backbone, dtype=DTYPES[computes])
        return None if packed is None else cls(module, packed)

    def __call__(self, ids: Ids) -> Tensor:
        groups = _groups(ids)
        empty = torch.zeros(len(ids) - sum(count for count, _ in groups), self._module.dim)
        if not groups:
            return empty
        states = self._packed.states(torch.from_numpy(np.concatenate(ids).astype(np.int64)), groups)
        vectors, start = [], 0
        for count, length in groups:
            stop = start + count * length
            vectors.append(self._module.of_states(states[start:stop].view(count, length, -1).float()))
            start = stop
        return torch.cat([*vectors, empty])


def may_take_bf16(module: nn.Module) -> bool:
    """True if this network supports bfloat16, provided its device does."""
    return isinstance(module, TransformerEncoder | TransformerReader)


def encode_ids(module: Tower, ids: Ids, *, pad_id: int) -> Floats32:
    """Vectors of tokenised texts in order, in float32, shape [texts, dim].

    Args:
        module: the tower; its training mode is restored afterwards.
        ids: token ids of each text.
        pad_id: the padding token.
    """
    return Engine(module, pad_id=pad_id).vectors(ids)


def token_states_of(module: Tower, ids: Ids, *, pad_id: int) -> list[Floats32]:
    """The last states of the tokens of each text, shape [tokens, width] each.

    Raises:
        UsageError: the tower isn't a transformer, so tokens have no states of their own.
    """
    if not isinstance(module, TransformerEncoder):
        raise invalid("model", type(module).__name__, expected="a transformer: others have no token vectors")
    lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    found: list[Floats32] = [np.empty((0, 0), np.float32)] * len(ids)
    with evaluating(module), torch.inference_mode():
        for rows in by_tokens(np.argsort(-lengths, kind="stable"), lengths, most=_TOKENS_PER_BATCH):
            batch = TextBatch.from_ids([ids[row] for row in rows], pad_id=pad_id).to(_device(module))
            states = token_states(module.backbone, batch).float().cpu().numpy()
            for row, one in zip(rows.tolist(), states, strict=True):
                found[row] = one[: lengths[row]]
    return found


def match_ids(module: Matcher, a: Ids, b: Ids, *, pad_id: int) -> Floats32:
    """A matcher's outputs for tokenised pairs, in order, shape [pairs, outputs].

    Args:
        module: the matcher; its training mode is restored afterwards.
        a: token ids of the first texts.
        b: token ids of the second texts.
        pad_id: the padding token.
    """
    lengths = np.array([(len(x), len(y)) for x, y in zip(a, b, strict=True)], dtype=np.int64).reshape(-1, 2)
    outputs = np.empty((len(a), module.outputs), dtype=np.float32)
    device = _device(module)
    packed = PackedCrossEncoder.of(module) if isinstance(module, CrossEncoder) else None

    def match(rows: Ints) -> None:
        sides = [TextBatch.from_ids([side[row] for row in rows], pad_id=pad_id).to(device) for side in (a, b)]
        with torch.inference_mode():
            outputs[rows] = (module if packed is None else packed)(*sides).float().cpu().numpy()

    both = lengths.sum(axis=1)
    with evaluating(module):
        if packed is None:
            order = np.lexsort((-lengths[:, 0], -lengths[:, 1]))
            work_on(match, by_tokens(order, both, most=_TOKENS_PER_BATCH), threads=1)
        else:
            order = np.argsort(-both, kind="stable")
            work_on(match, by_tokens(order, both, most=PACKED_TOKENS), threads=torch.get_num_threads())
    return outputs


def compare_ids(network: Tower | Matcher, a: Ids, b: Ids, *, pad_id: int) -> Floats32:
    """A network's outputs for tokenised pairs: a matcher's, or a tower's cosines as one column.

    Shape [pairs, outputs]. Arguments are those of :func:`match_ids`.
    """
    if isinstance(network, Matcher):
        return match_ids(network, a, b, pad_id=pad_id)
    vectors = encode_ids(network, [*a, *b], pad_id=pad_id)
    cosines: Floats32 = np.einsum("ij,ij->i", vectors[: len(a)], vectors[len(a) :])
    return cosines[:, None]


def by_tokens(order: Ints, lengths: Ints, *, most: int) -> list[Ints]:
    """Split texts into batches of a maximum number of tokens, padded; one text may exceed it.

    Args:
        order: the numbers of the texts.
        lengths: the tokens of each text, by its number.
        most: the maximum tokens of a batch.
    """
    batches, start = [], 0
    while start < len(order):
        stop, width = start, 1
        while stop < len(order):
            width = max(width, int(lengths[order[stop]]))
            if stop > start and (stop + 1 - start) * width > most:
                break
            stop += 1
        batches.append(order[start:stop])
        start = stop
    return batches


@contextmanager
def computable(computes: Computes) -> Iterator[None]:
    """Report layers that this machine can't compute as an error. A context manager.

    Raises:
        UsageError: a layer can't be computed.
    """
    try:
        yield
    except RuntimeError as error:
        raise invalid(
            "precision",
            computes,
            expected=f"one that this model can be computed in on this machine ({said(error)})",
        ) from error


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Evaluation mode for the block. A context manager.

    A module without parts in training mode is left unchanged: setting the mode takes longer than encoding one
    text.
    """
    if not any(part.training for part in module.modules()):
        yield
        return
    training = module.training
    module.eval()
    try:
        yield
    finally:
        module.train(training)


def work_on(work: Callable[[Ints], None], batches: Sequence[Ints], *, threads: int) -> None:
    """Process batches, several at a time; with several, each has one of torch's threads.

    Raises:
        UsageError: a GPU has no memory left, as other programs may take it at any time.
    """
    try:
        if min(threads, len(batches)) < 2:
            for batch in batches:
                work(batch)
            return
        with one_thread_each():
            for _ in side_by_side(work, batches, workers=threads):
                pass
    except torch.OutOfMemoryError as error:
        raise UsageError(
            f"the GPU has no memory left: {said(error)}",
            fix="leave it aside: set CUDA_VISIBLE_DEVICES to nothing",
        ) from error


def _groups(ids: Ids) -> list[tuple[int, int]]:
    """Runs of texts with equal length; those without tokens, at the end, are omitted."""
    lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    starts = np.flatnonzero(np.diff(lengths, prepend=-1))
    counts = np.diff(starts, append=len(ids))
    return [
        (int(count), int(lengths[start]))
        for start, count in zip(starts, counts, strict=True)
        if lengths[start]
    ]


def _device(module: nn.Module) -> torch.device:
    return next(module.parameters()).device

"""The inference loop of readers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.models.inference import engine
from textkin.models.span_logits import WindowLogits
from textkin.networks.architectures.packed_reader import PackedReader
from textkin.networks.architectures.span_network import SpanLogits, SpanNetwork
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.batches.padded import TextBatch

_TOKENS_PER_BATCH = 8_192


class SpanEngine:
    """A network prepared for reading.

    A transformer on the CPU is rearranged without padding and with fused layers, and each core works on its
    own batches. Other networks run unchanged. The network must not be trained while its engine is in use.

    Args:
        module: the network.
        pad_id: the padding token.
        computes: the precision of matrix products. Only transformers support less than float32.

    Raises:
        UsageError: bf16 is requested, and the network isn't a transformer, or this machine doesn't support
            it.
    """

    def __init__(self, module: SpanNetwork, *, pad_id: int, computes: engine.Computes = "fp32") -> None:
        if computes == "bf16" and not engine.may_take_bf16(module):
            raise invalid("precision", computes, expected="fp32, the only one of this model")
        self._module, self._pad_id = module, pad_id
        self.computes = computes
        self._packed = (
            PackedReader.of(module, dtype=engine.DTYPES[computes])
            if isinstance(module, TransformerReader)
            else None
        )
        self._forward: Callable[[TextBatch, TextBatch], SpanLogits] = self._packed or self._padded
        if computes == "bf16":
            tokens = np.full(2, pad_id, dtype=np.int32)
            with engine.computable(computes):
                self.logits([tokens], [tokens])

    def logits(self, questions: engine.Ids, contexts: engine.Ids) -> list[WindowLogits]:
        """The network's logits for the windows context_i and the questions question_i.

        Args:
            questions: token ids of each question.
            contexts: token ids of each window, at least one.
        """
        lengths = np.fromiter(map(len, contexts), dtype=np.int64, count=len(contexts))
        asked = np.fromiter(map(len, questions), dtype=np.int64, count=len(questions))
        found: dict[int, WindowLogits] = {}
        device = next(self._module.parameters()).device

        def read(rows: Ints) -> None:
            sides = [
                TextBatch.from_ids([side[row] for row in rows], pad_id=self._pad_id).to(device)
                for side in (questions, contexts)
            ]
            with torch.inference_mode():
                logits = self._forward(*sides)
            found.update(zip(rows.tolist(), _rows(logits, lengths[rows]), strict=True))

        both = lengths + asked
        with engine.evaluating(self._module):
            if self._packed is None:
                # Questions about a window are adjacent, since some networks read it once for all of them.
                window, _ = enumerated(one.tobytes() for one in contexts)
                order = np.lexsort((asked, window, -lengths))
                engine.work_on(read, engine.by_tokens(order, both, most=_TOKENS_PER_BATCH), threads=1)
            else:
                # Long ones first: the remainder at the end, when cores run out of work, is short.
                order = np.argsort(-both, kind="stable")
                batches = engine.by_tokens(order, both, most=engine.PACKED_TOKENS)
                engine.work_on(read, batches, threads=torch.get_num_threads())
        return [found[row] for row in range(len(contexts))]

    def _padded(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        rough = self.computes == "bf16"
        with torch.autocast(question.ids.device.type, dtype=torch.bfloat16, enabled=rough):
            found: SpanLogits = self._module(question, context)
        return found


def centred(found: Sequence[WindowLogits]) -> Floats32:
    """The logits of each window around their mean, starts and ends in one row; shape [windows, 2 width]."""
    width = max(len(one.start) for one in found)
    rows = np.zeros((len(found), 2, width), dtype=np.float32)
    for row, one in zip(rows, found, strict=True):
        for place, side in enumerate((one.start, one.end)):
            row[place, : len(side)] = side - side.mean()
    return rows.reshape(len(rows), -1)


def _rows(logits: SpanLogits, lengths: Ints) -> list[WindowLogits]:
    """The logits of each window, without padding."""
    start, end = logits.start.float().cpu().numpy(), logits.end.float().cpu().numpy()
    none = None if logits.none is None else logits.none.float().sum(dim=1).cpu().tolist()
    return [
        WindowLogits(start[row, :stop], end[row, :stop], None if none is None else none[row])
        for row, stop in enumerate(lengths.tolist())
    ]

"""The inference loop of readers, and the best spans of its logits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view

from textkin.base.arrays import Floats, Floats32, Ints
from textkin.base.errors import invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.models.inference import engine
from textkin.networks.architectures.packed_reader import PackedReader
from textkin.networks.architectures.span_network import SpanLogits, SpanNetwork
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.batches.padded import TextBatch
from textkin.text.span_windows import homes

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


def _rows(logits: SpanLogits, lengths: Ints) -> list[WindowLogits]:
    """The logits of each window, without padding."""
    start, end = logits.start.float().cpu().numpy(), logits.end.float().cpu().numpy()
    none = None if logits.none is None else logits.none.float().sum(dim=1).cpu().tolist()
    return [
        WindowLogits(start[row, :stop], end[row, :stop], None if none is None else none[row])
        for row, stop in enumerate(lengths.tolist())
    ]


@dataclass(frozen=True, slots=True, eq=False)
class WindowLogits:
    """A network's logits for a window of a passage.

    Attributes:
        start: logits of first tokens. Shape [T].
        end: logits of last tokens. Shape [T].
        none: the logit of no answer, comparable with a span's sum; None if the network has none.
        first: the position of the window's first token in the passage.
    """

    start: Floats32
    end: Floats32
    none: float | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A span of tokens of a passage; ``first`` is -1 for no answer.

    Attributes:
        first: its first token.
        last: its last token.
        score: the sum of two logits.
        probability: its probability among all spans of all windows, and no answer.
    """

    first: int
    last: int
    score: float
    probability: float


def best_spans(windows: Sequence[WindowLogits], *, most: int | None, k: int = 1) -> list[FoundSpan]:
    """The k best spans of a passage, best first; ties go to the earlier, then the shorter.

    No answer is added if the network supports it, at the rank of its score, or after the k spans.

    The score of a span in two windows is taken from the one where it has the most context
    (:func:`textkin.text.span_windows.homes`). The probability of no answer is taken from the window with the
    strongest evidence against it, as in the evaluation of BERT on SQuAD 2.0.

    Args:
        windows: the windows of one passage; those without tokens are ignored.
        most: the maximum tokens of a span; None for no limit.
        k: the number of spans wanted.
    """
    scores: dict[tuple[int, int], float] = {}
    totals = []
    read = [window for window in windows if len(window.start)]
    for number, window in enumerate(read):
        sums = _sums(window, most)
        if len(read) > 1:
            sums[_homes(window, read, sums.shape[1]) != number] = -np.inf
        totals.append(_log_sum(sums))
        flat = sums.ravel()
        limit = np.partition(flat, -min(k, flat.size))[-min(k, flat.size)]
        places = np.flatnonzero((flat >= limit) & np.isfinite(flat))
        for where in places[np.argsort(-flat[places], kind="stable")][:k].tolist():
            first, further = divmod(where, sums.shape[1])
            span = window.first + first, window.first + first + further
            scores[span] = float(flat[where])
    nones = [window.none for window in windows if window.none is not None]
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    if nones:
        totals.append(min(nones))
        best.append(((-1, -1), min(nones)))
        best.sort(key=lambda item: (-item[1], item[0]))
    if not best:
        return []
    total = _log_sum(np.array(totals))
    return [
        FoundSpan(first, last, score, float(min(1.0, np.exp(score - total)))) for (first, last), score in best
    ]


def _sums(window: WindowLogits, most: int | None) -> Floats:
    """The logit of each span by its first token and its length, minus infinity past the end. Shape [T, W]."""
    longest = len(window.end) if most is None else min(most, len(window.end))
    ends = np.pad(window.end.astype(np.float64), (0, longest - 1), constant_values=-np.inf)
    return window.start.astype(np.float64)[:, None] + sliding_window_view(ends, longest)


def _homes(window: WindowLogits, windows: Sequence[WindowLogits], longest: int) -> Ints:
    """The window that each span belongs to. Shape [T, W]."""
    first = window.first + np.arange(len(window.start))[:, None]
    parts = [(one.first, one.first + len(one.start)) for one in windows]
    return homes(parts, *np.broadcast_arrays(first, first + np.arange(longest)))


def _log_sum(values: Floats) -> float:
    highest = float(values.max())
    return highest + float(np.log(np.exp(values - highest).sum()))

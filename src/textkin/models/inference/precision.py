"""Numeric precision of an encoder or a reader, and a measured check that chooses it."""

import time
from collections.abc import Callable

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.cpu import product_speeds
from textkin.models.inference.engine import Computes, Engine, Ids, may_take_bf16
from textkin.models.inference.span_engine import SpanEngine
from textkin.models.self_check import SelfCheck, is_worthwhile
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower
from textkin.text.baselines.mean_pooling import unit_rows

_TURNS = 2
_SAMPLE = 4_096  # tokens, which take a fraction of a second
_LEAST_GAIN = 1.2
_LEAST_COSINE = 0.9995


def self_check(module: Tower, ids: Ids, *, pad_id: int, texts: int) -> SelfCheck:
    """Measure bf16 against fp32 on a sample of the texts, and choose.

    bf16 is chosen if it is at least 1.2 times as fast and the mean cosine to the vectors of fp32 is at least
    0.9995. Nothing is measured if there are few texts, or the network doesn't support bf16. bf16 isn't tried
    if a processor's plain products are slower in it, as they are without instructions for them.

    Args:
        module: the tower.
        ids: tokenised texts from everywhere; not all of them are measured.
        pad_id: the padding token.
        texts: the number of texts to encode.
    """
    tokens = sum(map(len, ids))
    if (ruled_out := _ruled_out(module, tokens, of=len(ids), texts=texts)) is not None:
        return ruled_out
    sample = ids[:: max(1, tokens // _SAMPLE)]

    def vectors(computes: Computes) -> Callable[[], Floats32]:
        engine = Engine(module, pad_id=pad_id, computes=computes)
        return lambda: engine.vectors(sample)

    return _measured(vectors, texts=len(sample))


def reader_check(module: SpanNetwork, questions: Ids, contexts: Ids, *, pad_id: int, texts: int) -> SelfCheck:
    """The same for a reader, by the cosine between the centred logits of each window.

    Args:
        module: the reader's network.
        questions: tokenised questions from everywhere; not all of them are measured.
        contexts: a window for each of them.
        pad_id: the padding token.
        texts: the number of windows to read.
    """
    tokens = sum(map(len, questions)) + sum(map(len, contexts))
    if (ruled_out := _ruled_out(module, tokens, of=len(contexts), texts=texts)) is not None:
        return ruled_out
    step = slice(None, None, max(1, tokens // _SAMPLE))
    sides = questions[step], contexts[step]
    width = max(map(len, sides[1]))

    def logits(computes: Computes) -> Callable[[], Floats32]:
        engine = SpanEngine(module, pad_id=pad_id, computes=computes)

        def rows() -> Floats32:
            found = np.zeros((len(sides[1]), 2, width), dtype=np.float32)
            for row, one in zip(found, engine.logits(*sides), strict=True):
                for place, side in enumerate((one.start, one.end)):
                    row[place, : len(side)] = side - side.mean()
            return unit_rows(found.reshape(len(found), -1))

        return rows

    return _measured(logits, texts=len(sides[1]))


def _ruled_out(module: Network, tokens: int, *, of: int, texts: int) -> SelfCheck | None:
    """fp32 if nothing needs measuring, otherwise None."""
    if not is_worthwhile(tokens, of=of, texts=texts) or not may_take_bf16(module):
        return SelfCheck("fp32")
    if next(module.parameters()).device.type == "cpu":
        products = product_speeds()
        if not products.bf16_pays:
            return SelfCheck("fp32", products=products)
    return None


def _measured(make: Callable[[Computes], Callable[[], Floats32]], *, texts: int) -> SelfCheck:
    """The conclusion from unit (or zero) rows of some texts, computed both ways in turns."""
    both: dict[Computes, Callable[[], Floats32]] = {"fp32": make("fp32"), "bf16": make("bf16")}
    seconds: dict[Computes, float] = dict.fromkeys(both, np.inf)
    rows: dict[Computes, Floats32] = {}
    for _ in range(_TURNS):
        for computes, compute in both.items():
            start = time.perf_counter()
            rows[computes] = compute()
            seconds[computes] = min(seconds[computes], time.perf_counter() - start)
    known = rows["fp32"].any(axis=1)
    cosine = float(np.vecdot(rows["fp32"], rows["bf16"])[known].mean()) if known.any() else 1.0
    gain = seconds["fp32"] / seconds["bf16"]
    good = gain >= _LEAST_GAIN and cosine >= _LEAST_COSINE
    return SelfCheck("bf16" if good else "fp32", gain, cosine, texts)

"""Numeric precision of an encoder or a reader, and a measured check that chooses it."""

from collections.abc import Callable

from textkin.base.arrays import Floats32
from textkin.base.cpu import product_speeds
from textkin.models.inference.engine import Computes, Engine, Ids, may_take_bf16
from textkin.models.inference.faster_way import is_better, sample_of, trial
from textkin.models.inference.span_engine import SpanEngine, centred
from textkin.models.self_check import SelfCheck, is_worthwhile
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower


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
    sample = ids[sample_of(tokens)]

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
    step = sample_of(tokens)
    sides = questions[step], contexts[step]

    def logits(computes: Computes) -> Callable[[], Floats32]:
        engine = SpanEngine(module, pad_id=pad_id, computes=computes)
        return lambda: centred(engine.logits(*sides))

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
    """The conclusion from rows of some texts, computed both ways in turns."""
    gain, cosine = trial(make("fp32"), make("bf16"))
    return SelfCheck("bf16" if is_better(gain, cosine) else "fp32", gain, cosine, texts)

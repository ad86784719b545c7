"""Compiling of loops before their first use: at set-up, or when an image is built."""

from collections.abc import Callable, Mapping

from textkin.base.extras import has_torch
from textkin.base.numba_cache import compiling
from textkin.base.progress import track

_ROWS = 4_100  # enough for the join to try each of its plans
_DIM = 32


def compile_loops() -> None:
    """Compile what searches, tokenizers, joins and networks need, unless it is kept from before.

    Rarer loops, such as those of communities and of resampled average precision, compile at their first use.
    """
    parts: Mapping[str, Callable[[], None]] = {
        "networks": _networks,  # first, as joins try bfloat16 once torch is loaded
        "searches": _searches,
        "tokenizers": _tokenizers,
        "joins": _joins,
    }
    with compiling():
        for compile_part in track(parts.values(), title="compiling loops for this machine", total=len(parts)):
            compile_part()


def _networks() -> None:
    from textkin.base.hub import MINILM, located
    from textkin.models.light_network import LightNetwork

    LightNetwork(located(MINILM)).load_loops()
    if not has_torch():
        return
    import torch

    from textkin.networks.nn.packed_attention import packed_attention

    for dtype in (torch.float32, torch.bfloat16):
        for length in (4, 20):  # by the loop, and by products with a softmax
            packed_attention(torch.zeros(length, 24, dtype=dtype), [(1, length)], heads=2)


def _searches() -> None:
    from textkin.collection.store.rehearsal import rehearse_searches

    rehearse_searches()


def _tokenizers() -> None:
    from textkin.kinds.systems import load_encoder
    from textkin.text.word_cache import load_loops

    load_loops(load_encoder())


def _joins() -> None:
    import numpy as np

    from textkin.vectors.join.all_pairs import pairs_above
    from textkin.vectors.join.nearest import Searcher

    vectors = np.random.default_rng(0).standard_normal((_ROWS, _DIM), dtype=np.float32)
    pairs_above(vectors, 0.95, quiet=True)
    Searcher(vectors, cosine=True).nearest(vectors[:64], 3)

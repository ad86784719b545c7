"""Encoding of one text, and of many, by a transformer, compared with onnxruntime.

Run: ``python benchmarks/bench_onnx.py [--model minilm] [--onnx FOLDER] [--texts 500] [--turns 7]
[--threads 1]``

FOLDER is the output of ``textkin export MODEL --to onnx --out FOLDER``; without it, MODEL is exported first,
which takes a minute. Contenders: textkin with torch, in
fp32 and, if the processor computes it faster, in bf16; textkin without torch, if MODEL is built in;
onnxruntime, with the same tokenizer, and the mean of states and normalisation in the export. Many texts are
those of the bundled samples; onnxruntime gets them sorted by length, 32 at a time, which is faster than
unsorted. With one thread, times are processor times, which other load hardly affects; with more, medians of
the clock. Turns alternate; ratios are within one turn. Vectors must agree.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import textkin as tk
from exported_peers import Encode, by_onnxruntime
from setting import show_setting
from textkin.base.hub import located
from textkin.data import samples
from textkin.models.light_transformer import LightTransformer
from textkin.models.packed_weights import PACKED
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.word_cache import load_loops

ONE = "How do I reset my password?"
_CALLS = 20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--onnx", type=Path, help="an export of the model")
    parser.add_argument("--texts", type=int, default=500)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    show_setting("torch", "onnxruntime", "tokenizers", "numpy")
    texts = list(dict.fromkeys(text for a, b, _ in samples.pairs() for text in (a, b)))[: asked.texts]
    with tempfile.TemporaryDirectory() as folder:
        made = contenders(
            asked.model, asked.onnx or exported(asked.model, Path(folder), texts), asked.threads
        )
    vectors = {name: unit_rows(encode(texts)) for name, encode in made.items()}
    for name, found in vectors.items():
        cosines = np.vecdot(found, vectors["onnxruntime"])
        print(f"{name}: cosine to onnxruntime's vectors {cosines.mean():.7f}, worst {cosines.min():.7f}")
    clock = time.process_time if asked.threads == 1 else time.perf_counter
    for words, some, calls in (("one text", [ONE], _CALLS), (f"{len(texts)} texts", texts, 1)):
        turns = [
            {name: _seconds(encode, some, calls, clock) for name, encode in made.items()}
            for _ in range(asked.turns)
        ]
        for name in made:
            ratios = sorted(turn["onnxruntime"] / turn[name] for turn in turns)
            print(
                f"{words}: {name:26} {1000 * statistics.median(turn[name] for turn in turns):9.2f} ms  x "
                f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})",
                flush=True,
            )


def exported(model: str, folder: Path, texts: Sequence[str]) -> Path:
    """The model as onnxruntime reads it."""
    some = folder / "texts.txt"
    some.write_text("".join(f"{text}\n" for text in texts[:20]), encoding="utf-8")
    tk.export(model, to="onnx", out=folder / "onnx", texts=some)
    return folder / "onnx"


def contenders(model: str, exported: Path, threads: int) -> dict[str, Encode]:
    """The encoders by name; onnxruntime last."""
    import torch

    from textkin.base.cpu import product_speeds
    from textkin.models.inference.scorers import NeuralEncoder, load_scorer

    torch.set_num_threads(threads)
    folder = located(model)
    encoder = load_scorer(folder)
    assert isinstance(encoder, NeuralEncoder)  # noqa: S101 - exported with its vectors
    load_loops(encoder)  # as a server does
    made: dict[str, Encode] = {"textkin with torch": encoder.encode}
    if product_speeds().bf16_pays:
        made["textkin with torch, bf16"] = encoder.computing("bf16").encode
    if (folder / PACKED).exists():
        light = LightTransformer(folder, name=model)
        light.load_loops()
        made["textkin without torch"] = light.encode
    made["onnxruntime"] = by_onnxruntime(exported, threads)
    return made


def _seconds(encode: Encode, texts: Sequence[str], calls: int, clock: Callable[[], float]) -> float:
    """Seconds of a call, the median of several."""
    taken = []
    for _ in range(calls):
        start = clock()
        encode(texts)
        taken.append(clock() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()

"""Texts per second encoded by static embeddings, compared with model2vec, in turns.

Run: ``python benchmarks/bench_static.py [--model FOLDER] [--texts FILE --columns A B] [--turns 5]``

The default model is the built-in encoder, and the default texts are the messages of the bundled sample,
repeated with a number up to ``--count``. Peers: ``StaticModel.encode`` with its defaults, which uses several
threads for 10,000 texts or more, and with one thread. textkin is timed cold, with a new encoder, and warm, at
its second call. Token ids and vectors must be equal; texts with a token that model2vec has no vector for are
excluded. With ``--unknown`` they are kept, and nothing is compared, as textkin gives them vectors by their
spelling. Absolute speeds depend on the machine and its load; ratios of one run count.

With ``--memory`` it writes 1,000,000 texts to a file, lets ``textkin encode`` write their vectors, and prints
the peak memory of this process.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from setting import show_setting
from textkin.base.hub import located
from textkin.data import samples
from textkin.data.readers import TextReading, load_texts
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.static_embeddings import load_static

Vectors = NDArray[np.float32]
PACKAGES = ("numpy", "scipy", "numba", "tokenizers")


def questions(path: Path | None, columns: Sequence[str]) -> Iterator[str]:
    """An endless series of distinct texts."""
    if path is None:
        path = samples.path("inbox.txt")
    wanted: Sequence[str | None] = columns or [None]
    found = [
        text for column in wanted for text in load_texts(path, reading=TextReading(text=column)).data.texts
    ]
    known = list(dict.fromkeys(found))
    yield from known
    for lap in count(1):
        yield from (f"{text} ({lap})" for text in known)


def timed(encode: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> tuple[float, Vectors]:
    start = time.perf_counter()
    vectors = encode(texts)
    return len(texts) / (time.perf_counter() - start), vectors


def compare(folder: Path, texts: Sequence[str], turns: int, *, keep_unknown: bool) -> None:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder, force_download=False)
    table = load_static(folder)
    start = time.perf_counter()
    StaticEncoder(table).encode(texts[:10_000])
    print(f"loops ready after {time.perf_counter() - start:.1f} s (compiled if this is their first use)")
    if not keep_unknown:
        unknown = StaticEncoder(table).unknown(texts)  # without vectors in model2vec
        texts = [text for place, text in enumerate(texts) if place not in unknown]
    equal = [row.tolist() for row in table.pipeline.ids(texts)] == model.tokenize(texts)
    print(f"token ids of {len(texts):,} texts {'are equal' if equal else 'DIFFER'}")
    speeds: dict[str, list[float]] = {}
    worst = 0.0
    for _ in range(turns):
        encoder = StaticEncoder(load_static(folder))
        systems: dict[str, Callable[[Sequence[str]], Vectors]] = {
            "model2vec": model.encode,
            "model2vec, one thread": partial(model.encode, use_multiprocessing=False),
            "textkin, cold": encoder.encode,
            "textkin, warm": encoder.encode,
        }
        vectors: dict[str, Vectors] = {}
        for name, encode in systems.items():
            speed, vectors[name] = timed(encode, texts)
            speeds.setdefault(name, []).append(speed)
        worst = max(worst, float(np.abs(vectors["model2vec"] - vectors["textkin, cold"]).max()))
        equal &= np.array_equal(vectors["textkin, cold"], vectors["textkin, warm"])
    print(f"vectors: largest difference {worst:.1e}")
    for name, found in speeds.items():
        ratios = [mine / base for mine, base in zip(found, speeds["model2vec"], strict=True)]
        print(
            f"{name:22} {statistics.median(found):9,.0f}/s ({min(found):,.0f} to {max(found):,.0f})  "
            f"x {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    if not keep_unknown and (not equal or worst > 1e-5):
        sys.exit("the results differ")


def measure_memory(model: str, texts: Iterator[str]) -> None:
    from textkin.verbs.use.encoded_file import encode_file

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "texts.txt"
        with source.open("w", encoding="utf-8") as stream:
            stream.writelines(" ".join(text.split()) + "\n" for text in texts)
        before = peak()
        start = time.perf_counter()
        done = encode_file(model, source, Path(folder) / "vectors.npy")
        seconds = time.perf_counter() - start
        size = done.out.stat().st_size
    print(
        f"{done.count:,} texts to {size / 1e6:,.0f} MB of vectors in {seconds:.1f} s; "
        f"peak memory {peak() / 1e6:,.0f} MB, {before / 1e6:,.0f} MB of it before"
    )


def peak() -> float:
    """The peak memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="default")
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--columns", nargs="*", default=[])
    parser.add_argument("--count", type=int, help="texts; 100,000, with --memory 1,000,000")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--unknown", action="store_true", help="keep texts with unknown tokens")
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    show_setting(*PACKAGES, *(() if options.memory else ("model2vec",)))
    texts = questions(options.texts, options.columns)
    if options.memory:
        measure_memory(options.model, islice(texts, options.count or 1_000_000))
    else:
        compare(
            located(options.model),
            list(islice(texts, options.count or 100_000)),
            options.turns,
            keep_unknown=options.unknown,
        )


if __name__ == "__main__":
    main()

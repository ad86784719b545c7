"""Exported networks through their own runtimes, which benchmarks compare textkin with.

Texts are sorted by length and run 32 at a time, so that few are padded: what a careful user of these runtimes
would write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
_Run = Callable[[Mapping[str, NDArray[np.int64]]], Vectors]

_BATCH = 32


def by_onnxruntime(folder: Path, threads: int) -> Encode:
    """Encode with the output of ``textkin export --to onnx``."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    return _by_length(folder, names, lambda inputs: session.run(["sentence_embedding"], dict(inputs))[0])


def by_openvino(folder: Path, threads: int, *, precision: str) -> Encode:
    """Encode with the output of ``textkin export --to openvino``.

    Args:
        folder: that output.
        threads: the number of threads.
        precision: the numbers that are computed with: "f32" or "bf16".
    """
    import openvino

    settings: dict[str, Any] = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": threads}
    network = openvino.Core().compile_model(folder / "model.xml", "CPU", settings)
    names = [one.any_name for one in network.inputs]
    return _by_length(folder, names, lambda inputs: network(dict(inputs))[0])


def _by_length(folder: Path, names: Sequence[str], run: _Run) -> Encode:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()

    def encode(texts: Sequence[str]) -> Vectors:
        order = np.argsort([len(text) for text in texts], kind="stable")
        found: list[Vectors] = []
        for start in range(0, len(order), _BATCH):
            batch = tokenizer.encode_batch([texts[place] for place in order[start : start + _BATCH]])
            columns = {
                "input_ids": np.array([one.ids for one in batch], dtype=np.int64),
                "attention_mask": np.array([one.attention_mask for one in batch], dtype=np.int64),
                "token_type_ids": np.array([one.type_ids for one in batch], dtype=np.int64),
            }
            found.append(np.array(run({name: columns[name] for name in names})))
        vectors = np.empty((len(texts), found[0].shape[1]), dtype=np.float32)
        vectors[order] = np.concatenate(found)
        return vectors

    return encode

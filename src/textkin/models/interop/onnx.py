"""Graphs as ONNX files, and ONNX Runtime, which runs them."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.environment import no_compiler_folder, unless_set
from textkin.base.errors import ModelError
from textkin.models.interop.tensor_graph import Graph, Run, example

NETWORK = "model.onnx"

_OPSET = 18
_ONE_FILE = 1_500_000_000  # in bytes; protobuf is limited to 2 GiB
_CHATTY = ("torch.onnx", "onnxscript", "onnx_ir", "root")


def write_onnx(graph: Graph, path: Path) -> None:
    """Record a graph for any number and length of texts.

    Raises:
        ModelError: an operation of the network isn't supported.
    """
    import torch
    from onnx_ir.passes.common import ClearMetadataAndDocStringPass

    size = sum(one.numel() * one.element_size() for one in graph.module.state_dict().values())
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    try:
        # The older exporter traces one call: it hard-codes that batch's path through the attention mask.
        with no_compiler_folder(), torch.no_grad(), _silence():
            program: Any = torch.onnx.export(
                graph.module,
                example(graph),
                dynamo=True,
                input_names=list(graph.inputs),
                output_names=[graph.output],
                dynamic_shapes=tuple(free for _ in graph.inputs),
                opset_version=_OPSET,
                verbose=False,
            )
            # Its source, with paths on this machine.
            ClearMetadataAndDocStringPass()(program.model)
            program.save(path, external_data=size > _ONE_FILE)
    except torch.onnx.OnnxExporterError as error:
        said = " ".join(str(error.__cause__ or error).split())
        raise ModelError(
            f"the network can't be written as ONNX: {said[:300]}", fix="export it to sentence-transformers"
        ) from error


def quantise(source: Path, target: Path) -> None:
    """Quantise an ONNX file's weights to 8 bits, with one scale per output.

    Activations are quantised dynamically.
    """
    with _untold():
        from onnxruntime.quantization import QuantType, quantize_dynamic
    with _silence():
        quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True)


def open_onnx(folder: Path) -> Run:
    """Open an ONNX file in ONNX Runtime, on the CPU."""
    with _untold():
        import onnxruntime
    session: Any = onnxruntime.InferenceSession(folder / NETWORK, providers=["CPUExecutionProvider"])

    def run(inputs: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = session.run(None, dict(inputs))[0]
        return found

    return run


def _untold() -> AbstractContextManager[None]:
    """Import ONNX Runtime without telemetry. A context manager.

    Its telemetry also leaves a temporary file and a database in the user's cache.
    """
    return unless_set("ORT_DISABLE_TELEMETRY", "1")


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the exporters' remarks, since the result's correctness is measured."""
    loggers = [logging.getLogger(None if name == "root" else name) for name in _CHATTY]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)

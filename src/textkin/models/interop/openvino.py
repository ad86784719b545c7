"""Graphs as OpenVINO's two files, and OpenVINO itself, which runs them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.models.interop.onnx import NETWORK as ONNX
from textkin.models.interop.onnx import write_onnx
from textkin.models.interop.tensor_graph import Graph, Run

NETWORK = "model.xml"

_TELEMETRY = "openvino_telemetry"
# Where the processor has bf16, OpenVINO would compute in it unasked.
_EXACT = {"INFERENCE_PRECISION_HINT": "f32"}


def write_openvino(graph: Graph, folder: Path, *, half: bool) -> None:
    """Write ``model.xml`` and ``model.bin``, by way of ONNX.

    Args:
        graph: what to write.
        folder: where to.
        half: keep the weights in 16 bits.

    Raises:
        ModelError: an operation of the network has no counterpart.
    """
    openvino = _openvino()
    with TemporaryDirectory() as place:
        write_onnx(graph, Path(place) / ONNX)
        network = openvino.Core().read_model(Path(place) / ONNX)
        openvino.save_model(network, folder / NETWORK, compress_to_fp16=half)


def open_openvino(folder: Path) -> Run:
    """OpenVINO's files in OpenVINO, on the CPU and in float32."""
    network = _openvino().Core().compile_model(folder / NETWORK, "CPU", _EXACT)

    def run(inputs: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = network(dict(inputs))[0]
        return found

    return run


def _openvino() -> Any:
    """The library, which reports its import to its makers unless their package for that is out of sight."""
    hidden = _TELEMETRY not in sys.modules
    if hidden:
        sys.modules[_TELEMETRY] = None  # type: ignore[assignment]
    try:
        import openvino
    finally:
        if hidden:
            del sys.modules[_TELEMETRY]
    return openvino

"""Graphs as OpenVINO's two files, and the OpenVINO runtime."""

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
# On processors with bf16, OpenVINO would use it by default.
_EXACT = {"INFERENCE_PRECISION_HINT": "f32"}


def write_openvino(graph: Graph, folder: Path, *, half: bool) -> None:
    """Write ``model.xml`` and ``model.bin``, via ONNX.

    Args:
        graph: the graph.
        folder: the output folder.
        half: store the weights in 16 bits.

    Raises:
        ModelError: an operation of the network isn't supported.
    """
    openvino = _openvino()
    with TemporaryDirectory() as place:
        write_onnx(graph, Path(place) / ONNX)
        network = openvino.Core().read_model(Path(place) / ONNX)
        openvino.save_model(network, folder / NETWORK, compress_to_fp16=half)


def open_openvino(folder: Path) -> Run:
    """Open OpenVINO's files, on the CPU and in float32."""
    network = _openvino().Core().compile_model(folder / NETWORK, "CPU", _EXACT)

    def run(inputs: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = network(dict(inputs))[0]
        return found

    return run


def _openvino() -> Any:
    """Import the library without its telemetry package, which would report the import."""
    hidden = _TELEMETRY not in sys.modules
    if hidden:
        sys.modules[_TELEMETRY] = None  # type: ignore[assignment]
    try:
        import openvino
    finally:
        if hidden:
            del sys.modules[_TELEMETRY]
    return openvino

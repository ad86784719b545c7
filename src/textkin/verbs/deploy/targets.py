"""Targets of an export, and their number types."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Target = Literal["onnx", "openvino", "sentence-transformers", "model2vec"]
Precision = Literal["fp32", "fp16", "int8"]

PRECISIONS: Mapping[Target, tuple[Precision, ...]] = MappingProxyType(
    {
        "onnx": ("fp32", "int8"),
        "openvino": ("fp32", "fp16"),
        "sentence-transformers": ("fp32",),
        "model2vec": ("fp32", "fp16", "int8"),
    }
)
"""What each target's own tools can write."""

"""ONNX files in their runtime, and the runtime's forbidden side effects."""

import os
import subprocess
import sys

import pytest

onnxruntime = pytest.importorskip("onnxruntime")

_OPEN = """
import os
import numpy as np
import onnx
from onnx import TensorProto, helper
from pathlib import Path
from textkin.models.interop.exported import NETWORK, open_onnx

sides = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n"]) for name in ("ids", "out")]
graph = helper.make_graph([helper.make_node("Neg", ["ids"], ["out"])], "negative", sides[:1], sides[1:])
folder = Path("network")
folder.mkdir()
made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
onnx.save(made, folder / NETWORK)
assert open_onnx(folder)({"ids": np.array([1, 2])}).tolist() == [-1, -2]
print(os.environ.get("ORT_DISABLE_TELEMETRY"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [None, "1"])
def test_the_runtime_leaves_nothing_anywhere_and_keeps_what_was_chosen(tmp_path, chosen):
    home, temporary, here = (tmp_path / name for name in ("home", "temporary", "here"))
    for folder in (home, temporary, here):
        folder.mkdir()
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(temporary)}
    for name in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    if chosen is not None:
        environment["ORT_DISABLE_TELEMETRY"] = chosen
    found = subprocess.run(
        [sys.executable, "-c", _OPEN], env=environment, cwd=here, check=True, capture_output=True, text=True
    )
    assert found.stdout.strip() == str(chosen)
    assert [*home.rglob("*"), *temporary.iterdir()] == []

"""The folder of an exported graph: the network, its tokenizer, and instructions.

::

    model.onnx           or model.xml and model.bin: the network
    tokenizer.json       adds special tokens, cuts and pads by itself
    export.json          inputs and output, prompts
    README.md            how to run it
"""

import logging
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.environment import no_compiler_folder, unless_set
from textkin.base.errors import ModelError
from textkin.base.extras import require
from textkin.base.files import write_json, write_text
from textkin.base.json_fields import read_object
from textkin.data.protocols import Side
from textkin.models.interop.folder_kinds import EXPORT
from textkin.models.interop.tensor_graph import IDS, LOGITS, MASK, TYPES, Graph, Rows, Run, example
from textkin.text.tokenizer_pipeline import TOKENIZER_FILE

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

    def run(inputs: Mapping[str, Ints]) -> Floats32:
        return session.run(None, dict(inputs))[0]

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


_NETWORK = "model.xml"

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
        write_onnx(graph, Path(place) / NETWORK)
        network = openvino.Core().read_model(Path(place) / NETWORK)
        openvino.save_model(network, folder / _NETWORK, compress_to_fp16=half)


def open_openvino(folder: Path) -> Run:
    """Open OpenVINO's files, on the CPU and in float32."""
    network = _openvino().Core().compile_model(folder / _NETWORK, "CPU", _EXACT)

    def run(inputs: Mapping[str, Ints]) -> Floats32:
        return network(dict(inputs))[0]

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


SETTINGS, CARD = EXPORT, "README.md"
Runtime = Literal["onnx", "openvino"]

PACKAGES: Mapping[Runtime, tuple[str, ...]] = MappingProxyType(
    {"onnx": ("onnxruntime", "onnx", "onnxscript"), "openvino": ("openvino", "onnx", "onnxscript")}
)
"""Runtimes of exports, and their further packages for writing: the extra named after the runtime."""

_TEXTS_PER_BATCH = 32
_FIELDS = MappingProxyType({IDS: "ids", MASK: "attention_mask", TYPES: "type_ids"})
_OPENERS = MappingProxyType({"onnx": open_onnx, "openvino": open_openvino})
_RUNNING: Mapping[Runtime, str] = MappingProxyType(
    {
        "onnx": """session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
{result} = session.run(None, inputs)[0]""",
        "openvino": """exact = {{"INFERENCE_PRECISION_HINT": "f32"}}
network = openvino.Core().compile_model("model.xml", "CPU", exact)
{result} = network(inputs)[0]""",
    }
)


def check_packages(runtime: Runtime) -> None:
    """Check that the packages for writing and running an export are installed.

    Raises:
        MissingExtraError: a package is not installed.
    """
    require(*PACKAGES[runtime], extra=runtime)


def write_exported(graph: Graph, folder: Path, runtime: Runtime, *, name: str, precision: str) -> None:
    """Write everything but the certificate.

    Args:
        graph: the network.
        folder: the output folder, which must exist.
        runtime: the target runtime.
        name: the model's name.
        precision: "fp32", or "int8" for ONNX, or "fp16" for OpenVINO.

    Raises:
        ModelError: an operation of the network isn't supported.
    """
    if runtime == "openvino":
        write_openvino(graph, folder, half=precision == "fp16")
    elif precision == "int8":
        whole = folder / f"whole-{NETWORK}"
        write_onnx(graph, whole)
        quantise(whole, folder / NETWORK)
        for left in folder.glob(f"{whole.name}*"):
            left.unlink()
    else:
        write_onnx(graph, folder / NETWORK)
    write_text(folder / TOKENIZER_FILE, graph.tokenizer)
    settings = {
        "format": 1,
        "model": name,
        "inputs": list(graph.inputs),
        "output": graph.output,
        "prompts": {side.value: prompt for side, prompt in graph.prompts.items()},
    }
    write_json(folder / SETTINGS, settings)
    write_text(folder / CARD, _card(settings, runtime, precision))


def runtime_of(folder: Path) -> Runtime | None:
    """The runtime of the export in a folder; None without an export."""
    if not (folder / SETTINGS).is_file():
        return None
    return "onnx" if (folder / NETWORK).is_file() else "openvino"


def open_exported(folder: Path, runtime: Runtime, *, side: Side = Side.TEXT) -> Rows:
    """Open an exported graph in its runtime: unit vectors of one side, or logits."""
    from tokenizers import Tokenizer

    settings = read_object(folder / SETTINGS)
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    run = _OPENERS[runtime](folder)
    prompt = settings["prompts"].get(side.value, "")

    def batch(texts: Sequence[Any]) -> dict[str, Ints]:
        encodings = tokenizer.encode_batch(
            [prompt + text if isinstance(text, str) else text for text in texts]
        )
        return {
            name: np.array([getattr(one, _FIELDS[name]) for one in encodings], dtype=np.int64)
            for name in settings["inputs"]
        }

    def rows(texts: Sequence[Any]) -> Floats32:
        # Texts of similar length are batched together.
        order = sorted(range(len(texts)), key=lambda place: len("".join(texts[place])))
        parts = (order[start : start + _TEXTS_PER_BATCH] for start in range(0, len(order), _TEXTS_PER_BATCH))
        found = np.concatenate([run(batch([texts[place] for place in part])) for part in parts])
        return found[np.argsort(order)]

    return rows


def _card(settings: Mapping[str, Any], runtime: Runtime, precision: str) -> str:
    pairs = settings["output"] == LOGITS
    texts = '[("first text", "second text")]' if pairs else '["first text", "second text"]'
    result = "logits" if pairs else "vectors"
    inputs = "\n".join(
        f'    "{name}": np.array([one.{_FIELDS[name]} for one in batch], dtype=np.int64),'
        for name in settings["inputs"]
    )
    notes = [
        "Each output is a logit; more is more similar, or more likely of that class."
        if pairs
        else "Vectors have unit length, so products of them are cosines."
    ]
    for side, prompt in settings["prompts"].items():
        notes.append(f"Put `{prompt!r}` before every {side}.")
    if runtime == "openvino":
        notes.append("Without the hint, processors that have bf16 compute in it, less exactly.")
    said = "\n".join(f"- {note}" for note in notes)
    return f"""# {settings["model"]}

Exported by textkin, in {precision}. `parity.json` says how near this is to the original.

```python
import numpy as np
import {PACKAGES[runtime][0]}
from tokenizers import Tokenizer

batch = Tokenizer.from_file("tokenizer.json").encode_batch({texts})
inputs = {{
{inputs}
}}
{_RUNNING[runtime].format(result=result)}
```

{said}
"""

"""Folders of sentence-transformers: a list of modules, each with its own folder.

``modules.json`` names the modules by their Python classes, in the old spelling
(``sentence_transformers.models.Pooling``) or the new one
(``sentence_transformers.sentence_transformer.modules.pooling.Pooling``); only the last word matters.
Transformer, Pooling, Dense and Normalize are supported, in that order. The old spelling is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from textkin.base.errors import ModelError, UsageError, said
from textkin.base.files import write_json
from textkin.base.json_fields import AGAIN, flag, read_json, read_object, strings, table, whole
from textkin.data.protocols import Side
from textkin.models.interop import hugging_face
from textkin.models.interop.folder_kinds import CONFIG, MODULES
from textkin.models.weights import load_weights, save_tensors
from textkin.networks.architectures.backbone import config_of
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.text.prompts import prompt_settings, prompts_of
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.version import __version__

ARCHITECTURE = "transformer"
SETTINGS = "config_sentence_transformers.json"

_WEIGHTS = "model.safetensors"
_OURS = "sentence_transformers."
_TRANSFORMER_CONFIGS = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)
# Their names, in the order of joining, and ours.
_POOLINGS_AND_FLAGS = (
    ("cls", "cls_token", "first"),
    ("max", "max_tokens", "max"),
    ("mean", "mean_tokens", "mean"),
    ("mean_sqrt_len_tokens", "mean_sqrt_len_tokens", "root-mean"),
    ("weightedmean", "weightedmean_tokens", "weighted-mean"),
    ("lasttoken", "lasttoken", "last"),
)
_POOLINGS = MappingProxyType({mode: ours for mode, _, ours in _POOLINGS_AND_FLAGS})
_POOLING_FLAGS = MappingProxyType({f"pooling_mode_{flag}": mode for mode, flag, _ in _POOLINGS_AND_FLAGS})
_ACTIVATIONS = MappingProxyType(
    {
        "tanh": "torch.nn.modules.activation.Tanh",
        "identity": "torch.nn.modules.linear.Identity",
        "relu": "torch.nn.modules.activation.ReLU",
        "gelu": "torch.nn.modules.activation.GELU",
        "sigmoid": "torch.nn.modules.activation.Sigmoid",
        "silu": "torch.nn.modules.activation.SiLU",
    }
)


@dataclass(frozen=True, slots=True)
class ModuleEntry:
    """One module: the last word of its class, its folder, and its position in ``modules.json``."""

    kind: str
    folder: Path


def read_steps(folder: Path) -> list[ModuleEntry]:
    """The modules of a folder, in order.

    Raises:
        ModelError: ``modules.json`` is missing or broken, or names a foreign class.
    """
    path = folder / MODULES
    modules = read_json(path)
    steps = []
    try:
        for module in modules:
            kind, place = str(module["type"]), PurePosixPath(module.get("path", ""))
            if "\0" in str(place):
                raise TypeError("a NUL in a path")
            if not kind.startswith(_OURS):
                raise ModelError(
                    f"asks for the class {kind}, which the folder would have to bring along as code, "
                    "and textkin runs none",
                    path=path,
                    fix="choose a model that is made of sentence-transformers' own modules",
                )
            if place.is_absolute() or ".." in place.parts:
                raise ModelError(f"the path {str(place)!r} leads out of the folder", path=path, fix=AGAIN)
            steps.append(ModuleEntry(kind.rpartition(".")[2], folder / place))
    except (TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"is not a list of modules: {said(error)}", path=path, fix=AGAIN) from error
    return steps


def read_sentence_encoder(folder: Path) -> hugging_face.Parts:
    """Read a transformer with its pooling and the modules after it.

    Raises:
        ModelError: a file is missing or broken, a module or a setting isn't supported, or the folder needs
            its own code or pickled weights.
    """
    steps = read_steps(folder)
    kinds = [step.kind for step in steps]
    dense = [step for step in steps if step.kind == "Dense"]
    normalize = bool(steps) and kinds[-1] == "Normalize"
    if kinds != ["Transformer", "Pooling", *["Dense"] * len(dense), *["Normalize"] * normalize]:
        raise ModelError(
            f"has the modules {', '.join(kinds)}; textkin reads Transformer, Pooling, any "
            "number of Dense, and maybe Normalize, in this order",
            path=folder / MODULES,
            fix="choose another model",
        )
    settings = read_object(folder / SETTINGS)
    _check_similarity(settings, folder, normalize=normalize)
    prompts = prompts_of(settings, folder / SETTINGS)
    home = steps[0].folder
    reading = transformer_config(home)
    backbone = hugging_face.read_backbone(home)
    pooling = pooling_of(steps[1].folder / CONFIG, prompts=prompts)
    layers = [read_dense(step.folder / CONFIG) for step in dense]
    arguments: dict[str, Any] = {"pooling": pooling, "dense": layers, "normalize": normalize}
    if settings.get("truncate_dim") is not None:
        arguments["truncate"] = whole(settings, "truncate_dim", folder / SETTINGS)
    try:
        module = TransformerEncoder(backbone=backbone, **arguments)
    except UsageError as error:
        raise ModelError(error.message, path=folder, fix=AGAIN) from error
    for layer, step in zip(module.dense, dense, strict=True):
        load_weights(layer, weights_in(step.folder))
    pipeline = hugging_face.read_tokenizer_of(
        home,
        backbone,
        prompts=prompts,
        **limits_of(reading, home),
    )
    return hugging_face.Parts(
        ARCHITECTURE, {"backbone": hugging_face.plain_config(backbone), **arguments}, module.eval(), pipeline
    )


def read_bare_transformer(folder: Path) -> hugging_face.Parts:
    """Read a bare transformer, without further modules.

    A text's vector is the mean over its tokens; for a causal language model, the last token.

    Raises:
        ModelError: as :func:`read_sentence_encoder`.
    """
    backbone = hugging_face.read_backbone(folder)
    pipeline = hugging_face.read_tokenizer_of(folder, backbone, prompts={})
    made_for = (config_of(backbone).architectures or [""])[0]
    pooling = "last" if made_for.endswith("ForCausalLM") else "mean"
    arguments: dict[str, Any] = {"pooling": [pooling], "dense": [], "normalize": False}
    module = TransformerEncoder(backbone=backbone, **arguments).eval()
    return hugging_face.Parts(
        ARCHITECTURE, {"backbone": hugging_face.plain_config(backbone), **arguments}, module, pipeline
    )


def save_sentence_encoder(module: TransformerEncoder, pipeline: TokenizerPipeline, folder: Path) -> None:
    """Write a folder that sentence-transformers opens.

    Raises:
        OutputError: the folder isn't writable.
    """
    hugging_face.save_backbone(module.backbone, folder)
    hugging_face.save_tokenizer(pipeline, folder)
    write_json(
        folder / _TRANSFORMER_CONFIGS[0], {"max_seq_length": pipeline.max_length, "do_lower_case": False}
    )
    width = int(config_of(module.backbone).hidden_size)
    kinds, paths = ["Transformer", "Pooling"], ["", "1_Pooling"]
    write_json(
        folder / paths[-1] / CONFIG,
        {"word_embedding_dimension": width, "include_prompt": True, **_modes(module.pooling)},
    )
    for layer in module.dense:
        kinds.append("Dense")
        paths.append(f"{len(paths)}_Dense")
        _save_dense(layer, folder / paths[-1])
    if module.normalize:
        kinds.append("Normalize")
        paths.append(f"{len(paths)}_Normalize")
    write_json(
        folder / MODULES,
        [
            {"idx": place, "name": str(place), "path": path, "type": f"{_OURS}models.{kind}"}
            for place, (kind, path) in enumerate(zip(kinds, paths, strict=True))
        ],
    )
    write_json(
        folder / SETTINGS,
        {
            "__version__": {"textkin": __version__},
            "model_type": "SentenceTransformer",
            **prompt_settings(pipeline.prompts),
            "similarity_fn_name": "cosine",
            **({} if module.truncate is None else {"truncate_dim": module.truncate}),
        },
    )


def _check_similarity(settings: Mapping[str, Any], folder: Path, *, normalize: bool) -> None:
    name = settings.get("similarity_fn_name")
    # For unit vectors, cosine, dot product and Euclidean distance give the same order.
    if name in (None, "cosine") or (normalize and name in ("dot", "euclidean")):
        return
    raise ModelError(
        f"compares by {name!r}, and its vectors have any length; textkin compares by cosine",
        path=folder / SETTINGS,
        fix="choose a model for cosines",
    )


def transformer_config(
    home: Path,
    *,
    task: str = "feature-extraction",
    gives: str = "token_embeddings",
    of: str = "last_hidden_state",
) -> dict[str, Any]:
    """The use of its network by a Transformer module.

    Args:
        home: the module's folder.
        task: the required task.
        gives: the required name of its outputs.
        of: the required outputs of the network.

    Raises:
        ModelError: a setting isn't supported.
    """
    found = [read_object(home / name) for name in _TRANSFORMER_CONFIGS if (home / name).is_file()]
    config = found[0] if found else {}
    path = home / _TRANSFORMER_CONFIGS[0]
    text = table(table(config, "modality_config", path), "text", path)
    expected = {
        "transformer_task": (config.get("transformer_task"), (None, task)),
        "module_output_name": (config.get("module_output_name"), (None, gives)),
        "method": (text.get("method"), (None, "forward")),
        "method_output_name": (text.get("method_output_name"), (None, of)),
        **{
            key: (config.get(key) or None, (None,))
            for key in ("query_length", "document_length", "query_expansion", "processing_kwargs")
        },
    }
    for key, (value, allowed) in expected.items():
        if value not in allowed:
            raise _no_counterpart(path, key, value)
    return config


def _no_counterpart(path: Path, key: str, value: Any) -> ModelError:
    return ModelError(
        f"{key} is {value!r}, for which textkin has no counterpart", path=path, fix="choose another model"
    )


def limits_of(reading: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """The token limit of a Transformer module, and whether it lower-cases texts.

    Raises:
        ModelError: its configuration is invalid.
    """
    path = home / _TRANSFORMER_CONFIGS[0]
    longest = reading.get("max_seq_length")
    return {
        "max_length": None if longest is None else whole(reading, "max_seq_length", path),
        "lower": flag(reading, "do_lower_case", path),
    }


def pooling_of(path: Path, *, prompts: Mapping[Side, str]) -> list[str]:
    """Our names of the poolings that a Pooling module joins.

    Raises:
        ModelError: one isn't supported.
    """
    config = read_object(path)
    if config.get("include_prompt") is False and any(prompts.values()):
        raise ModelError(
            "leaves prompts out of the pooling, for which textkin has no counterpart",
            path=path,
            fix="choose another model",
        )
    modes = config.get("pooling_mode")
    if modes is None:
        modes = [mode for flag, mode in _POOLING_FLAGS.items() if config.get(flag)] or ["mean"]
    modes = [modes] if isinstance(modes, str) else strings({"pooling_mode": modes}, "pooling_mode", path)
    if unknown := [mode for mode in modes if mode not in _POOLINGS]:
        raise ModelError(f"unknown pooling {unknown[0]!r}", path=path, fix="choose another model")
    return [_POOLINGS[mode] for mode in modes]


def _modes(pooling: Sequence[str]) -> dict[str, Any]:
    """A pooling in their names; the old ones are flags, which allow only one order."""
    modes = [mode for mode, how in _POOLINGS.items() if how in pooling]
    if [_POOLINGS[mode] for mode in modes] == list(pooling):
        return {flag: mode in modes for flag, mode in _POOLING_FLAGS.items()}
    names = {how: mode for mode, how in _POOLINGS.items()}
    return {"pooling_mode": [names[how] for how in pooling]}


def read_dense(path: Path) -> dict[str, Any]:
    """The arguments of :class:`textkin.networks.nn.dense.Dense` for a Dense module.

    Raises:
        ModelError: a setting isn't supported.
    """
    config = read_object(path)
    names = {name.rpartition(".")[2]: ours for ours, name in _ACTIVATIONS.items()}
    function = str(config.get("activation_function", _ACTIVATIONS["tanh"]))
    places = {config.get(key) or "sentence_embedding" for key in ("module_input_name", "module_output_name")}
    refused = {
        "activation_function": function.startswith("torch.") and function.rpartition(".")[2] in names,
        "use_residual": not config.get("use_residual"),
        "module_input_name": places == {"sentence_embedding"},
    }
    for key, fine in refused.items():
        if not fine:
            raise _no_counterpart(path, key, config.get(key))
    return {
        "width": whole(config, "out_features", path),
        "bias": flag(config, "bias", path, default=True),
        "activation": names[function.rpartition(".")[2]],
    }


def weights_in(folder: Path) -> Path:
    """The file of a module's weights.

    Raises:
        ModelError: it is missing.
    """
    path = folder / _WEIGHTS
    if not path.is_file():
        raise ModelError(
            "is missing; textkin loads no pickled weights", path=path, fix="convert it to safetensors"
        )
    return path


def _save_dense(layer: Any, folder: Path) -> None:
    linear = layer.linear
    name = type(layer.activation).__name__
    function = next(path for path in _ACTIVATIONS.values() if path.endswith(f".{name}"))
    write_json(
        folder / CONFIG,
        {
            "in_features": linear.in_features,
            "out_features": linear.out_features,
            "bias": linear.bias is not None,
            "activation_function": function,
        },
    )
    save_tensors(folder / _WEIGHTS, layer.state_dict())

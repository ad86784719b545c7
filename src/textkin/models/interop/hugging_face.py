"""Transformers and tokenizers in Hugging Face folders, read offline.

Code in a folder is never run, and weights are read only from safetensors.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import nn

from textkin.base.arrays import Floats32
from textkin.base.environment import no_compiler_folder
from textkin.base.errors import ModelError, OutputError, UsageError, said
from textkin.base.files import write_json
from textkin.base.json_fields import AGAIN, read_object
from textkin.data.protocols import Side
from textkin.models.adapters import ADAPTER, merged
from textkin.models.interop.folder_kinds import CONFIG
from textkin.models.packed_weights import PACKED, unpacked
from textkin.models.weights import check_depth, check_numbers, tensors_in
from textkin.networks.architectures.backbone import backbone_class, config_of, require_sizes
from textkin.networks.architectures.table import Network
from textkin.text.pipeline import TextPipeline
from textkin.text.tokenizer_pipeline import TOKENIZER_FILE, TokenizerPipeline, read_tokenizer
from textkin.text.truncation import Truncate

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json", PACKED, ADAPTER)
# Formats of textkin's own, and what reads all of their tensors.
_OURS: Mapping[str, Callable[[Path], dict[str, Floats32]]] = MappingProxyType(
    {PACKED: unpacked, ADAPTER: merged}
)
_TOKENIZER_SETTINGS, _SPECIAL_TOKENS = "tokenizer_config.json", "special_tokens_map.json"
_ADAPTERS = "adapter_config.json"
_TOKEN_TYPES = "token_type_ids"
_ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_NO_LIMIT = 1_000_000
# Parts that a checkpoint may lack, as no vector depends on them.
_UNUSED = "pooler."


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A model without its threshold, calibration and provenance.

    Attributes:
        architecture: a name of ``networks.architectures.table.ARCHITECTURES``.
        arguments: the architecture's keyword arguments, as JSON types.
        module: the network with its weights.
        pipeline: texts to ids.
        classes: the classes of a classifier's outputs, in order; otherwise empty.
    """

    architecture: str
    arguments: Mapping[str, Any]
    module: Network
    pipeline: TextPipeline
    classes: tuple[str, ...] = ()


def refuse_code(folder: Path, settings: Mapping[str, Any], *, file: str) -> None:
    """Reject a configuration that needs its own code.

    Raises:
        ModelError: it does.
    """
    if settings.get("auto_map"):
        raise ModelError(
            "asks for code that the folder brings along, and textkin runs none",
            path=folder / file,
            fix="choose a model whose architecture transformers knows by itself",
        )


def read_backbone(folder: Path, *, kind: Callable[[Any], Any] = backbone_class) -> nn.Module:
    """Read the network of a folder, in float32; optional weights get a fixed seed.

    Args:
        folder: a folder with configuration and weights.
        kind: the class of transformers that reads the network, by its configuration.

    Raises:
        ModelError: a file is missing or broken, weights are missing, pickled or of another shape, or the
            folder needs its own code.
    """
    if not (folder / CONFIG).is_file():
        raise ModelError("is missing", path=folder / CONFIG, fix=AGAIN)
    refuse_code(folder, read_object(folder / CONFIG), file=CONFIG)
    if (folder / _ADAPTERS).exists():  # the library would apply them by rules in the file
        raise ModelError(
            f"holds {_ADAPTERS}, and textkin reads no adapters",
            path=folder,
            fix="merge them into the weights first",
        )
    weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if weights is None:
        raise ModelError(f"has no {_WEIGHTS[0]}{_pickled(folder)}", path=folder, fix=AGAIN)
    ours = _OURS.get(weights.name)
    tensors = None if ours is None else ours(weights)
    check_depth(
        read_object(folder / CONFIG),
        tensors_in(weights) if tensors is None else len(tensors),
        folder / CONFIG,
    )
    from textkin.networks.architectures.of_transformers import transformers

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with no_compiler_folder(), silenced(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            config = transformers.AutoConfig.from_pretrained(folder, **options)
            reader, source = kind(config), dict[str, Any](pretrained_model_name_or_path=folder)
            if tensors is not None:
                reader = _class_of(reader, config)
                state = {name: torch.from_numpy(tensor) for name, tensor in tensors.items()}
                source = {"pretrained_model_name_or_path": None, "state_dict": state}
            network, found = reader.from_pretrained(
                **source,
                config=config,
                dtype=torch.float32,
                use_safetensors=True,
                output_loading_info=True,
                **options,
            )
    except Exception as error:  # of many kinds, including the library's own
        raise ModelError(f"can't be read as a transformer: {said(error)}", path=folder, fix=AGAIN) from error
    if missing := sorted(name for name in found["missing_keys"] if not name.startswith(_UNUSED)):
        raise ModelError(f"{len(missing)} tensors are missing, such as {missing[0]}", path=folder, fix=AGAIN)
    try:
        require_sizes(config_of(network))
    except UsageError as error:
        raise ModelError(error.message, path=folder / CONFIG, fix=AGAIN) from error
    # States of earlier tokens are cached for growing texts, which don't occur here.
    config_of(network).use_cache = False
    made: nn.Module = network
    check_numbers(made, weights)
    return made


def _class_of(reader: Any, config: Any) -> Any:
    """The network's concrete class, which takes tensors without a folder, not a factory class."""
    with torch.device("meta"):
        return type(reader.from_config(config)) if hasattr(reader, "from_config") else reader


def save_backbone(backbone: nn.Module, folder: Path) -> None:
    """Write configuration and weights of a network as ``transformers`` does.

    Raises:
        OutputError: the disk is full or isn't writable.
    """
    from safetensors import SafetensorError

    try:
        with silenced():
            save: Any = backbone.save_pretrained
            save(folder)
    except SafetensorError as error:
        raise OutputError(
            f"can't write the weights: {error}", fix="check free space and permissions"
        ) from error


def plain_config(backbone: nn.Module) -> dict[str, Any]:
    """The configuration of a network as in its ``config.json``."""
    return json.loads(config_of(backbone).to_json_string(use_diff=True))


def read_tokenizer_of(
    folder: Path,
    backbone: nn.Module,
    *,
    prompts: Mapping[Side, str],
    max_length: int | None = None,
    lower: bool = False,
) -> TokenizerPipeline:
    """The text pipeline of a transformer.

    Args:
        folder: a folder with ``tokenizer.json``.
        backbone: the network, which limits the number of tokens.
        prompts: the prompts of each side.
        max_length: the maximum tokens of a text; None for the limit of tokenizer and network.
        lower: lower-case texts first, if the tokenizer doesn't.

    Raises:
        ModelError: the tokenizer is missing or broken, or has tokens unknown to the network.
    """
    settings = read_object(folder / _TOKENIZER_SETTINGS)
    refuse_code(folder, settings, file=_TOKENIZER_SETTINGS)
    definition = read_tokenizer(folder / TOKENIZER_FILE)
    limits = [max_length or _limit(settings.get("model_max_length")), most_tokens(backbone)]
    known = [limit for limit in limits if limit is not None]
    try:
        pipeline = TokenizerPipeline(
            _lowered(definition) if lower else definition,
            max_length=min(known, default=None),
            truncate=Truncate.TAIL if settings.get("truncation_side") == "left" else Truncate.HEAD,
            drop_unknown=False,
            special_tokens=_special_tokens(settings | read_object(folder / _SPECIAL_TOKENS)),
            prompts=prompts,
        )
    except (ModelError, UsageError) as error:
        raise ModelError(error.message, path=folder / TOKENIZER_FILE, fix=AGAIN) from error
    rows = int(config_of(backbone).vocab_size)
    if pipeline.token_count > rows:
        raise ModelError(
            f"the tokenizer has {pipeline.token_count} tokens, the network {rows}", path=folder, fix=AGAIN
        )
    return pipeline


def gives_token_types(folder: Path) -> bool:
    """True if transformers' own tokenizer of a folder distinguishes the tokens of two texts.

    Raises:
        ModelError: transformers can't read the tokenizer.
    """
    from textkin.networks.architectures.of_transformers import transformers

    load: Any = transformers.AutoTokenizer.from_pretrained  # it has no type annotations
    try:
        with silenced():
            tokenizer = load(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # of many kinds, including the library's own
        raise ModelError(f"can't be read as a tokenizer: {said(error)}", path=folder, fix=AGAIN) from error
    return _TOKEN_TYPES in tokenizer.model_input_names


def save_tokenizer(pipeline: TokenizerPipeline, folder: Path, *, token_types: bool = False) -> None:
    """Write a tokenizer for ``transformers``, with token types if the network uses them."""
    pipeline.save(folder)
    tokens, pad = pipeline.tokens, pipeline.pad_id
    write_json(
        folder / _TOKENIZER_SETTINGS,
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_input_names": ["input_ids", *([_TOKEN_TYPES] if token_types else []), "attention_mask"],
            "model_max_length": pipeline.max_length or _NO_LIMIT,
            "truncation_side": "right" if pipeline.truncate is Truncate.HEAD else "left",
            "pad_token": tokens[pad],
            **(pipeline.special_tokens or {}),
        },
    )


def _special_tokens(settings: Mapping[str, Any]) -> dict[str, str]:
    """Special tokens by role; a file may have a token's name alone, or with matching options."""
    found = {role: settings[role] for role in _ROLES if settings.get(role)}
    return {
        role: str(token.get("content") if isinstance(token, dict) else token) for role, token in found.items()
    }


def _limit(value: Any) -> int | None:
    """A length that is a real limit; files write "none" as a very large number."""
    return int(value) if isinstance(value, int | float) and 0 < value < _NO_LIMIT else None


def most_tokens(backbone: nn.Module) -> int | None:
    """The maximum tokens for a network with a position table; None for no limit.

    RoBERTa's and MPNet's positions start after that of the padding.
    """
    for name, part in backbone.named_modules():
        if name.endswith("position_embeddings") and isinstance(part, nn.Embedding):
            return part.num_embeddings - (0 if part.padding_idx is None else part.padding_idx + 1)
    return None


def _lowered(definition: str) -> str:
    """A tokenizer that lower-cases texts first, unless it already does."""
    parts = json.loads(definition)
    found = parts.get("normalizer")
    steps = [] if found is None else found["normalizers"] if found["type"] == "Sequence" else [found]
    if not any(step["type"] == "Lowercase" for step in steps):
        parts["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Lowercase"}, *steps]}
    return json.dumps(parts, ensure_ascii=False)


def _pickled(folder: Path) -> str:
    found = sorted(item.name for item in folder.glob("*") if item.suffix in (".bin", ".pt", ".pth", ".ckpt"))
    if not found:
        return ""
    return (
        f", but {found[0]!r}, and textkin never loads pickled weights, because they can run code; "
        "convert them to safetensors"
    )


@contextmanager
def silenced() -> Iterator[None]:
    """Silence transformers' progress bars and warnings; important ones are errors here."""
    from transformers.utils import logging

    theirs: Any = logging  # its functions have no type annotations
    level, bars = theirs.get_verbosity(), theirs.is_progress_bar_enabled()
    theirs.set_verbosity_error()
    theirs.disable_progress_bar()
    try:
        yield
    finally:
        theirs.set_verbosity(level)
        if bars:
            theirs.enable_progress_bar()

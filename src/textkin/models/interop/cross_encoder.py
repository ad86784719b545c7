"""Cross-encoders: Hugging Face networks for sequence classification, over pairs of texts.

Supported are folders of sentence-transformers' ``CrossEncoder``, with or without ``modules.json``, and bare
ones of transformers. The layout without it is written, which all of these open. The function that
sentence-transformers applies to the outputs, such as a sigmoid, is preserved in the files but not applied
here: scores are logits.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import nn

from textkin.base.errors import ModelError, UsageError
from textkin.base.json_fields import read_object, table
from textkin.models.interop import hugging_face
from textkin.models.interop.folder_kinds import CONFIG, MODULES
from textkin.models.interop.head_settings import ACTIVATION, THEIRS, activation_of
from textkin.models.interop.sentence_transformers import SETTINGS, limits_of, read_steps, transformer_config
from textkin.networks.architectures import cross_encoder as networks
from textkin.networks.architectures.backbone import config_of
from textkin.text.pair_pipeline import PairPipeline

ARCHITECTURE = "cross-encoder"

_HEADED = "ForSequenceClassification"


def is_cross_encoder(folder: Path) -> bool:
    """True if a folder's files describe a network that scores or classifies whole sequences.

    Raises:
        ModelError: a file is broken.
    """
    if (folder / MODULES).is_file():
        return read_object(folder / SETTINGS).get("model_type") == "CrossEncoder"
    names = read_object(folder / CONFIG).get("architectures")
    return isinstance(names, list) and bool(names) and str(names[0]).endswith(_HEADED)


def read_cross_encoder(folder: Path) -> hugging_face.Parts:
    """Read a network with its head.

    Raises:
        ModelError: a file is missing or broken, a module or a setting isn't supported, or the folder needs
            its own code or pickled weights.
    """
    settings, home, limits = read_object(folder / SETTINGS), folder, dict[str, Any]()
    if (folder / MODULES).is_file():
        home = _home(folder)
        reading = transformer_config(home, task="sequence-classification", gives="scores", of="logits")
        limits = limits_of(reading, home)
    if table(settings, "prompts", folder / SETTINGS).get(str(settings.get("default_prompt_name"))):
        raise ModelError(
            "puts a prompt before pairs, for which textkin has no counterpart",
            path=folder / SETTINGS,
            fix="choose another model",
        )
    backbone = hugging_face.read_backbone(home, kind=networks.classification_class)
    pipeline = PairPipeline(hugging_face.read_tokenizer_of(home, backbone, prompts={}, **limits))
    outputs = int(config_of(backbone).num_labels)
    arguments = {
        **arguments_of(backbone, pipeline),
        "token_types": networks.takes_token_types(backbone) and hugging_face.gives_token_types(home),
        "activation": activation_of(settings, read_object(home / CONFIG)),
        "outputs": outputs,
    }
    module = networks.CrossEncoder(**{**arguments, "backbone": backbone}).eval()
    classes = tuple(str(config_of(backbone).id2label[place]) for place in range(outputs))
    return hugging_face.Parts(ARCHITECTURE, arguments, module, pipeline, classes if outputs > 1 else ())


def save_cross_encoder(
    module: networks.CrossEncoder, pipeline: PairPipeline, folder: Path, *, classes: Sequence[str] = ()
) -> None:
    """Write a folder that sentence-transformers' ``CrossEncoder`` and transformers open.

    Raises:
        OutputError: the folder isn't writable.
    """
    config = config_of(module.backbone)
    names = {place: name for place, name in enumerate(classes)}
    if names:
        config.id2label, config.label2id = names, {name: place for place, name in names.items()}
    activation = module.activation or networks.default_activation(module.outputs)
    setattr(config, THEIRS, {ACTIVATION: activation})
    hugging_face.save_backbone(module.backbone, folder)
    hugging_face.save_tokenizer(pipeline.whole, folder, token_types=module.token_types)


def arguments_of(backbone: nn.Module, pipeline: PairPipeline) -> dict[str, Any]:
    """The arguments of a cross-encoder, from its network and its text pipeline.

    Raises:
        ModelError: the tokenizer joins texts in an unsupported way.
    """
    try:
        joint = pipeline.joint
    except UsageError as error:
        raise ModelError(error.message, fix="choose another model") from error
    types = networks.takes_token_types(backbone)
    known = int(getattr(config_of(backbone), "type_vocab_size", 0) or 0)
    most = max((*joint.types, *(one for _, one in (*joint.start, *joint.middle, *joint.end))))
    if types and most >= known:
        raise ModelError(
            f"the tokenizer gives the token type {most}, the network knows {known}",
            fix="choose another model",
        )
    return {
        "backbone": networks.headless(hugging_face.plain_config(backbone)),
        "joint": joint.to_dict(),
        "max_length": pipeline.max_length,
        "truncate": pipeline.whole.truncate.value,
        "token_types": types,
    }


def _home(folder: Path) -> Path:
    """The folder of the network in a folder with modules."""
    steps = read_steps(folder)
    kinds = [step.kind for step in steps]
    if kinds != ["Transformer"]:
        raise ModelError(
            f"has the modules {', '.join(kinds)}; textkin reads cross-encoders of one Transformer alone",
            path=folder / MODULES,
            fix="choose another model",
        )
    return steps[0].folder

"""Readers: Hugging Face networks that extract answers from passages by first and last tokens.

Folders are those of transformers, such as its ``AutoModelForQuestionAnswering`` opens. Settings that
transformers lacks, the maximum length of an answer and whether there may be none, are stored in
``config.json`` under ``textkin``. By default, an answer has up to 30 tokens and always exists, as in
transformers' own question-answering pipeline.
"""

from pathlib import Path
from typing import Any

import torch

from textkin.base.errors import ModelError, UsageError, said
from textkin.base.json_fields import AGAIN, read_object
from textkin.models.interop import hugging_face
from textkin.models.interop.cross_encoder import arguments_of
from textkin.models.interop.folder_kinds import CONFIG, MODULES
from textkin.models.interop.head_settings import OURS, READS_PASSAGES, ReaderSettings
from textkin.networks.architectures.backbone import config_of
from textkin.networks.architectures.cross_encoder import takes_token_types
from textkin.networks.architectures.transformer_reader import TransformerReader, answering_class
from textkin.text.pair_pipeline import PairPipeline

_HEADED = ("ForQuestionAnswering", "ForQuestionAnsweringSimple")


def is_reader(folder: Path) -> bool:
    """True if a folder's files describe a network that extracts answers.

    Raises:
        ModelError: a file is broken.
    """
    if (folder / MODULES).is_file():
        return False
    names = read_object(folder / CONFIG).get("architectures")
    return isinstance(names, list) and bool(names) and str(names[0]).endswith(_HEADED)


def read_reader(folder: Path) -> hugging_face.Parts:
    """Read a network with its head.

    Raises:
        ModelError: a file is missing or broken, a setting or the network isn't supported, or the folder needs
            its own code or pickled weights.
    """
    settings = ReaderSettings.of(folder / CONFIG)
    backbone = hugging_face.read_backbone(folder, kind=answering_class)
    pipeline = PairPipeline(hugging_face.read_tokenizer_of(folder, backbone, prompts={}))
    arguments = {
        **reading_arguments(backbone, pipeline),
        "token_types": takes_token_types(backbone) and hugging_face.gives_token_types(folder),
        **settings.to_dict(),
    }
    try:
        module = TransformerReader(**{**arguments, "backbone": backbone}).eval()
    except UsageError as error:
        raise ModelError(error.message, path=folder, fix=error.fix or "choose another model") from error
    _try_out(module, folder)
    return hugging_face.Parts(READS_PASSAGES, arguments, module, pipeline)


def save_reader(module: TransformerReader, pipeline: PairPipeline, folder: Path) -> None:
    """Write a folder that transformers opens.

    Raises:
        OutputError: the folder isn't writable.
    """
    settings = ReaderSettings(module.most, module.answers_none)
    setattr(config_of(module.backbone), OURS, settings.to_dict())
    hugging_face.save_backbone(module.backbone, folder)
    hugging_face.save_tokenizer(pipeline.whole, folder, token_types=module.token_types)


def reading_arguments(backbone: torch.nn.Module, pipeline: PairPipeline) -> dict[str, Any]:
    """The arguments of a reader, from its network and its text pipeline.

    Raises:
        ModelError: the tokenizer joins texts in an unsupported way.
    """
    found = arguments_of(backbone, pipeline)
    return {key: found[key] for key in ("backbone", "joint", "token_types")}


def _try_out(module: TransformerReader, folder: Path) -> None:
    """Check with a few tokens that the network's outputs are a reader's; some need more inputs.

    Raises:
        ModelError: it doesn't.
    """
    ids = torch.zeros(1, 2, dtype=torch.int64)
    try:
        with torch.inference_mode():
            found = module.backbone(input_ids=ids, attention_mask=torch.ones_like(ids))
        fine = found.start_logits.shape == found.end_logits.shape == ids.shape
    except Exception as error:  # of many kinds
        raise ModelError(
            f"its network doesn't read texts alone ({said(error)})", path=folder, fix="choose another model"
        ) from error
    if not fine:
        raise ModelError("its network gives no logit for each token", path=folder, fix=AGAIN)

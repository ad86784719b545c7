"""Tiny sequence-classification networks with tokenizers that join pairs as BERT's and RoBERTa's do."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, processors

from tests.models.interop import tiny

PAIRS = [(a, b) for a in tiny.TEXTS for b in (*tiny.TEXTS[:3], tiny.TEXTS[4])]
PAIRS += [("my [SEP] password", "the </s> dog"), ("word " * 60, "dog " * 61), ("a", "over the dog " * 50)]


def tokenizer(family: str) -> Tokenizer:
    return Tokenizer.from_str(_definition(family))


@cache
def _definition(family: str) -> str:
    """Built once: ties between tokens are broken differently each time."""
    made = tiny.tokenizer(family)
    made.no_padding()
    if family == "bert":
        ids = [(token, made.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ids
        )
    definition: str = made.to_str()
    return definition


def network(family: str, *, tokens: int, outputs: int = 1, **settings):
    from transformers import AutoModelForSequenceClassification

    return drawn(AutoModelForSequenceClassification, family, tokens, seed=5, num_labels=outputs, **settings)


def drawn(kind: type, family: str, tokens: int, *, seed: int, **settings):
    """A network with a head of this kind, whose weights are drawn at random."""
    config = tiny.backbone(family, tokens=tokens).config
    for name, value in settings.items():
        setattr(config, name, value)
    torch.manual_seed(seed)
    made = kind.from_config(config)
    for name, weight in made.named_parameters():
        if weight.ndim == 2 and "LayerNorm" not in name:
            torch.nn.init.normal_(weight, std=0.3)
        elif name.endswith("bias"):
            torch.nn.init.normal_(weight, std=0.1)
    return made.eval()


def write_bare(folder: Path, family: str = "bert", *, made_by=network, tokens=None, **settings) -> Path:
    """A folder of transformers: a network with a head, and a tokenizer."""
    names = ["input_ids", *(["token_type_ids"] if family == "bert" else []), "attention_mask"]
    tiny.write_bare(folder, family, **{"model_input_names": names, **(tokens or {})})
    made = tokenizer(family)
    made.save(str(folder / "tokenizer.json"))
    made_by(family, tokens=made.get_vocab_size(), **settings).save_pretrained(folder)
    return folder


def theirs(folder: Path, **options):
    """The folder as sentence-transformers opens it."""
    from sentence_transformers import CrossEncoder

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CrossEncoder(str(folder), device="cpu", local_files_only=True, **options)


def write_theirs(folder: Path, family: str = "bert", *, max_length=None, **settings) -> Path:
    """A folder that sentence-transformers saves, in its newest layout."""
    bare = write_bare(folder.with_name(f"{folder.name}-bare"), family, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs(bare, max_length=max_length).save(str(folder), create_model_card=False)
    assert (folder / "modules.json").is_file()
    return folder


def logits(folder: Path, pairs=PAIRS):
    """Their outputs without the activation that they apply, shape [pairs, outputs]."""
    found = theirs(folder).predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    return found.reshape(len(pairs), -1)


def change(path: Path, **values) -> None:
    found = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(found | values))

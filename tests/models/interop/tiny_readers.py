"""Tiny question-answering networks, and transformers' results for their folders."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.models.interop import tiny
from tests.models.interop.tiny_pairs import tokenizer

QUESTIONS = ["How do I reset it?", "my password", "", "the lazy dog?", "Who jumps?"]
PASSAGES = [tiny.TEXTS[1], tiny.TEXTS[4], "zebra", tiny.TEXTS[5], "over the dog again"]


def network(family: str, *, tokens: int, **settings):
    from transformers import AutoModelForQuestionAnswering

    config = tiny.backbone(family, tokens=tokens).config
    for name, value in settings.items():
        setattr(config, name, value)
    torch.manual_seed(6)
    made = AutoModelForQuestionAnswering.from_config(config)
    for name, weight in made.named_parameters():
        if weight.ndim == 2 and "LayerNorm" not in name:
            torch.nn.init.normal_(weight, std=0.3)
        elif name.endswith("bias"):
            torch.nn.init.normal_(weight, std=0.1)
    return made.eval()


def write_bare(folder: Path, family: str = "bert", *, tokens=None, **settings) -> Path:
    """A folder of transformers: a network with a head for answers, and a tokenizer."""
    names = ["input_ids", *(["token_type_ids"] if family == "bert" else []), "attention_mask"]
    tiny.write_bare(folder, family, **{"model_input_names": names, **(tokens or {})})
    made = tokenizer(family)
    made.save(str(folder / "tokenizer.json"))
    network(family, tokens=made.get_vocab_size(), **settings).save_pretrained(folder)
    return folder


def ours(folder: Path, **values) -> None:
    """Put textkin's settings into a folder's config.json."""
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "textkin": values}))


def theirs(folder: Path, question: str, passage: str):
    """Logits of first and last tokens by transformers alone: of the first token, and of the passage's."""
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    model = AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    read = AutoTokenizer.from_pretrained(folder)(question, passage, return_tensors="pt")
    inside = [side == 1 for side in read.sequence_ids(0)]
    with torch.inference_mode():
        found = model(**read)
    both = torch.stack([found.start_logits[0], found.end_logits[0]]).numpy()
    return both[:, 0], both[:, inside]

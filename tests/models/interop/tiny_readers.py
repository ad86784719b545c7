"""Tiny question-answering networks, and transformers' results for their folders."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import torch

from tests.models.interop import tiny, tiny_pairs
from tests.models.interop.tiny_pairs import drawn

QUESTIONS = ["How do I reset it?", "my password", "", "the lazy dog?", "Who jumps?"]
PASSAGES = [tiny.TEXTS[1], tiny.TEXTS[4], "zebra", tiny.TEXTS[5], "over the dog again"]


def network(family: str, *, tokens: int, **settings):
    from transformers import AutoModelForQuestionAnswering

    return drawn(AutoModelForQuestionAnswering, family, tokens, seed=6, **settings)


write_bare = partial(tiny_pairs.write_bare, made_by=network)


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

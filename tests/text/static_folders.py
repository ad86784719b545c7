"""Small static embeddings in model2vec's layout, written by the tests that need them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "the", "cat", "##s", "sat", "?", "dog", "é"]


def wordpiece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece({token: i for i, token in enumerate(TOKENS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(TOKENS[:3])
    return tokenizer


def write(
    folder: Path, tensors: dict[str, np.ndarray], *, tokenizer: Tokenizer | None = None, **config
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (tokenizer or wordpiece()).save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def table(dtype: str = "float32", rows: int = len(TOKENS), dim: int = 6, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=(rows, dim)) * 40).astype(dtype)


def write_prompted(folder: Path, **settings) -> Path:
    """A static embedding of sentence-transformers, with a prompt for queries and one for documents."""
    write(folder, {"embedding.weight": table()})
    (folder / "config.json").unlink()
    module = {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}
    (folder / "modules.json").write_text(json.dumps([module]))
    prompts = {"query": "cat ", "document": "the "}
    told = {"prompts": prompts, "default_prompt_name": None, "similarity_fn_name": "cosine", **settings}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(told))
    return folder

"""Tiny transformers of several families, with tokenizers built on the spot, as folders of other libraries."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "How do I reset my password?",
    "I forgot my password and can't sign in",
    "",
    "zebra",
    "The quick brown fox jumps over the lazy dog, again and again and again and again",
    "Ünïcode, 漢字 and WORDS in capitals",
    "refund",
]
IN_PIECES = {"refund", "zebra", "Ünïcode", "unicode"}
WIDTH, POSITIONS = 32, 40
_SPECIAL = {
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "roberta": ("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
}
_SPECIAL |= {"distilbert": _SPECIAL["bert"], "mpnet": _SPECIAL["roberta"]}


def tokenizer(family: str) -> Tokenizer:
    pad, unknown, start, end, _ = special = _SPECIAL[family]
    texts = [*TEXTS, "query: passage: the words of prompts"]
    if family == "roberta":
        made = Tokenizer(models.BPE(unk_token=unknown))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=list(special), show_progress=False)
        made.train_from_iterator(texts, trainer)
    else:
        # Not trained: the trainer of word pieces gives another vocabulary each time.
        made = Tokenizer(
            models.WordPiece(_pieces(special, texts, lower=family == "mpnet"), unk_token=unknown)
        )
        made.normalizer = normalizers.BertNormalizer(lowercase=family == "mpnet")
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.add_special_tokens(list(special))
    ids = [(token, made.token_to_id(token)) for token in (start, end)]
    made.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", pair=f"{start} $A {end} {end} $B {end}", special_tokens=ids
    )
    made.enable_padding(pad_id=made.token_to_id(pad), pad_token=pad)
    return made


def _pieces(special: tuple[str, ...], texts: list[str], *, lower: bool) -> dict[str, int]:
    """The special tokens, pieces of one and two letters, and most of the words."""
    split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    normalize = normalizers.BertNormalizer(lowercase=lower).normalize_str
    words = {word for text in texts for word, _ in split(normalize(text))}
    letters = sorted(set("".join(words)))
    pairs = sorted({word[at : at + 2] for word in words for at in range(1, len(word) - 1)})
    whole = sorted(word for word in words - IN_PIECES if len(word) > 1)
    pieces = [*special, *letters, *(f"##{one}" for one in (*letters, *pairs)), *whole]
    return {piece: place for place, piece in enumerate(pieces)}


def backbone(family: str, *, tokens: int):
    from transformers import (
        BertConfig,
        BertModel,
        DistilBertConfig,
        DistilBertModel,
        MPNetConfig,
        MPNetModel,
        RobertaConfig,
        RobertaModel,
    )

    torch.manual_seed(12)  # weights that 8 bits change clearly, and 16 hardly
    common = {"vocab_size": tokens, "max_position_embeddings": POSITIONS, "pad_token_id": 0}
    usual = {
        **common,
        "hidden_size": WIDTH,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
    }
    match family:
        case "bert":
            made = BertModel(BertConfig(**usual))
        case "roberta":
            made = RobertaModel(RobertaConfig(**usual, type_vocab_size=1))
        case "mpnet":
            made = MPNetModel(MPNetConfig(**usual))
        case _:
            made = DistilBertModel(
                DistilBertConfig(**common, dim=WIDTH, n_layers=2, n_heads=4, hidden_dim=48)
            )
    # Such small initial weights make all texts alike; larger ones distinguish them.
    for name, weight in made.named_parameters():
        if weight.ndim == 2 and "LayerNorm" not in name:
            torch.nn.init.normal_(weight, std=0.3)
    return made.eval()


def write_bare(folder: Path, family: str = "bert", **settings) -> Path:
    """A bare Hugging Face folder."""
    made = tokenizer(family)
    folder.mkdir(parents=True, exist_ok=True)
    backbone(family, tokens=made.get_vocab_size()).save_pretrained(folder)
    made.save(str(folder / "tokenizer.json"))
    pad, unknown, start, end, mask = _SPECIAL[family]
    roles = {"pad_token": pad, "unk_token": unknown, "cls_token": start, "sep_token": end, "mask_token": mask}
    values = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 10**30,
        # transformers 4 adds token_type_ids by itself, which few networks take.
        "model_input_names": [
            "input_ids",
            *(["token_type_ids"] if family == "bert" else []),
            "attention_mask",
        ],
        **roles,
        **settings,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(values))
    return folder


def write_theirs(
    folder: Path, family: str = "bert", *modules, max_length=None, pooling="mean", **options
) -> Path:
    """A folder that sentence-transformers saves, in its newest spelling."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    bare = write_bare(folder.with_name(f"{folder.name}-bare"), family)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {} if max_length is None else {"processor_kwargs": {"model_max_length": max_length}}
        first = Transformer(str(bare), **settings)
        torch.manual_seed(4)
        tail = [make() for make in modules]
        made = SentenceTransformer(modules=[first, Pooling(WIDTH, pooling), *tail], device="cpu", **options)
        made.save(str(folder), create_model_card=False)
    return folder


def theirs(folder: Path):
    """The folder as sentence-transformers opens it."""
    from sentence_transformers import SentenceTransformer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)

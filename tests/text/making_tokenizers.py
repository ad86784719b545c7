"""Tokenizers of a few pieces."""

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors


def wordpiece(*pieces: str) -> str:
    """The definition of a lower-casing WordPiece tokenizer, with BERT's [CLS] and [SEP]."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *pieces]
    made = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return str(made.to_str())

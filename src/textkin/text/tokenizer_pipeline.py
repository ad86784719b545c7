"""A Hugging Face tokenizer as a text pipeline: for static embeddings, and for transformers."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Ints, Ints32
from textkin.base.errors import ModelError, said
from textkin.base.files import write_text
from textkin.base.json_fields import AGAIN, read_text
from textkin.data.protocols import Side
from textkin.text.flat_ids import FlatIds, whole_ids
from textkin.text.fragmented_words import FEWEST_TOKENS, InPieces, may_be_in_pieces
from textkin.text.pair_template import frame_of
from textkin.text.token_offsets import Located
from textkin.text.token_spelling import TokenSpelling, spelling_from_dict, spelling_to_dict
from textkin.text.truncation import Truncate, check_length, kept
from textkin.text.unknown_tokens import TokenSpan, Unknown, UnknownOf, counts, is_suspect, retold, suspects
from textkin.text.unknown_words import BetweenBlanks, KnownTokens
from textkin.text.word_cache import WordCache, splits_like_bert

TOKENIZER_FILE = "tokenizer.json"

_SHORT = 100  # WordPiece treats longer words as unknown; most tokenizers have a higher limit or none
_LONG_WORD = re.compile(r"\S{100}")
_SPARSEST, _SPARE = 2, 1_000  # unused ids: at most as many as tokens, plus a margin
_UNHEARD_OF = "ꙮ \N{CJK UNIFIED IDEOGRAPH-9F98}"
_PAD_TOKENS = ("[PAD]", "<pad>", "<PAD>", "<|pad|>")


class TokenizerPipeline:
    """A Hugging Face tokenizer.

    For static embeddings, texts have no special tokens. Transformers need ``special_tokens``, such as [CLS]
    and [SEP], around every text: then the tokenizer's own template adds them, and ``max_length`` includes
    them.

    Args:
        definition: the text of a ``tokenizer.json``.
        max_length: maximum number of tokens of a text, unknown ones included; None for all.
        truncate: part of a longer text to keep.
        drop_unknown: True to drop unknown tokens, as static embeddings require.
        spelling: units to add to each token's id; not with special tokens.
        special_tokens: special tokens by role, such as ``pad_token``; if set, they are added to texts.
        prompts: prompt of each side; none for a missing side.
    """

    reads_pairs = False  # each text has its own limit

    def __init__(
        self,
        definition: str,
        *,
        max_length: int | None = None,
        truncate: Truncate = Truncate.HEAD,
        drop_unknown: bool = True,
        spelling: TokenSpelling | None = None,
        special_tokens: Mapping[str, str] | None = None,
        prompts: Mapping[Side, str] = MappingProxyType({}),
    ) -> None:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_str(definition)
            tokenizer.no_padding()
            tokenizer.no_truncation()
            tokenizer.encode(_UNHEARD_OF)  # some have no token for that, and fail on such texts
            before, after = ([], []) if special_tokens is None else frame_of(tokenizer)
        except Exception as error:  # the library raises nothing narrower
            raise ModelError(
                f"this is not a tokenizer: {said(error, whole=True)}",
                fix=f"give the text of a {TOKENIZER_FILE}",
            ) from error
        check_length(max_length, least=len(before) + len(after) + 1)
        self.definition = definition
        self.max_length = max_length
        self.truncate = truncate
        self.drop_unknown = drop_unknown
        self.special_tokens = special_tokens
        self.prompts = {side: prompts[side] for side in Side if prompts.get(side)}
        self._tokenizer = tokenizer
        self._frame = (np.array(before, dtype=np.int32), np.array(after, dtype=np.int32))
        parts = json.loads(definition)  # once: a large one takes tens of milliseconds
        self._words = WordCache(tokenizer) if splits_like_bert(parts) else None
        self._unknown_id = _unknown_id(tokenizer, parts["model"])
        parted = not any(" " in token["content"] for token in parts.get("added_tokens") or [])
        self._pieces = (
            BetweenBlanks(self._words.ids, self._unknown_id, self._spans)
            if self._words is not None and parted
            else None
        )
        self._continues = _continues(parts["model"])
        self._tokens = _rows(tokenizer, [*before, *after])
        pad = _pad_id(tokenizer, special_tokens or {})
        # Networks have no separate padding row; padding is masked, so any token will do.
        none = self._tokens if special_tokens is None else 0
        self._pad_id: int = none if pad is None else pad
        self._spelling = spelling
        self._spelt = None if spelling is None else np.stack([spelling.ids(token) for token in self.tokens])

    @property
    def size(self) -> int:
        """The number of the tokenizer's tokens, plus one if it has no padding token."""
        return max(self._tokens, self._pad_id + 1)

    @property
    def pad_id(self) -> int:
        """The id of the tokenizer's padding token, or the row after its last token."""
        return self._pad_id

    @property
    def unknown_id(self) -> int | None:
        """The tokenizer's id for unknown tokens."""
        return self._unknown_id

    @property
    def frame(self) -> tuple[Ints32, Ints32]:
        """The special tokens before and after every text; none if none are added."""
        return self._frame

    @property
    def token_count(self) -> int:
        """The number of ids that the tokenizer's tokens span."""
        return self._tokens

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokenizer's tokens by id; "" for an unused id."""
        found = [""] * self._tokens
        for token, number in self._tokenizer.get_vocab(with_added_tokens=True).items():
            found[number] = token
        return tuple(found)

    @property
    def spelling(self) -> TokenSpelling | None:
        """The spelling of tokens as units, or None."""
        return self._spelling

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of tokens of a text, without special ones; None for no limit."""
        before, after = self.frame
        return None if self.max_length is None else self.max_length - len(before) - len(after)

    def load_loops(self) -> None:
        """Load the compiled loops of :mod:`textkin.text.word_cache` now, not only once they pay off."""
        if self._words is not None:
            self._words.load_loops()

    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Ints:
        """The number of tokens of each text with its prompt, before truncation. Shape [texts]."""
        return self._whole(texts, side).lengths

    def ids(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Ints32]:
        """The ids of each text, shape [its tokens], or [its tokens, 1 + G] with a spelling."""
        return self.flat_ids(texts, side=side).rows()

    def flat_ids(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> FlatIds:
        """The ids of all texts in one array."""
        flat = self._whole(texts, side).cut(self.max_tokens, self.truncate)
        if self.special_tokens is not None:
            return flat.framed(*self.frame)
        return self._with_units(flat.without(self._unknown_id) if self.drop_unknown else flat)

    def located(self, texts: Sequence[str]) -> list[Located]:
        """The tokens of each text with their positions, without truncation, prompt and special tokens."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [self._located(text, one) for text, one in zip(texts, found, strict=True)]

    def decoded(self, ids: Sequence[Sequence[int]], *, skip_special: bool = True) -> list[str]:
        """The text of each list of token ids."""
        return [self._tokenizer.decode(list(one), skip_special_tokens=skip_special) for one in ids]

    @property
    def adds_unknown(self) -> bool:
        """True if unknown tokens are added by their spelling.

        False with special tokens, for a transformer.
        """
        return self.special_tokens is None

    def read(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> tuple[list[Ints32], UnknownOf]:
        """The known ids and the unknown tokens of each text, see :meth:`read_flat`."""
        flat, unknown = self.read_flat(texts, side=side)
        return flat.rows(), unknown

    def unknown(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> UnknownOf:
        """The unknown tokens of texts.

        ASCII texts that can't have any are not tokenised. Texts with a noticeable proportion of words known
        only in small pieces are reported, too.
        """
        asked = [place for place, text in enumerate(texts) if not self._surely_known(text)]
        found = self.read_flat([texts[place] for place in asked], side=side)[1]
        unknown = {asked[place]: one for place, one in found.items()}
        for place, one in self._known_in_pieces(texts).items():
            if place not in unknown or unknown[place].share < one.share:
                unknown[place] = one
        return unknown

    def _known_in_pieces(self, texts: Sequence[str]) -> UnknownOf:
        if self._in_pieces is None:
            return {}
        asked = [place for place, text in enumerate(texts) if may_be_in_pieces(text)]
        found = self._in_pieces.of(self._whole([texts[place] for place in asked], Side.TEXT))
        return {asked[place]: one for place, one in found.items()}

    @cached_property
    def _in_pieces(self) -> InPieces | None:
        """The detection of fragmented words.

        None for other tokenizers, and for vocabularies that have small pieces for all words.
        """
        if self._continues is None or self._tokens < FEWEST_TOKENS:
            return None
        return InPieces(self.tokens, self._continues)

    def read_flat(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> tuple[FlatIds, UnknownOf]:
        """The known ids and the unknown tokens of each text.

        Unknown tokens have no ids, and neither have pieces of a word in another script that is split into
        single letters: they carry no information. Unknown tokens are looked up again in the form of
        :func:`retold`. With special tokens, the ids are still those of :meth:`flat_ids`.
        """
        flat, unknown = self._read_flat(texts, side)
        if not self.adds_unknown:
            return flat, unknown
        again = {place: self._again(texts[place]) for place in unknown}
        again = {place: text for place, text in again.items() if text != texts[place]}
        if not again:
            return flat, unknown
        found, still = self._read_flat(list(again.values()), side)
        places = dict(enumerate(again))
        unknown = {place: one for place, one in unknown.items() if place not in again}
        unknown |= {places[number]: one for number, one in still.items()}
        return flat.replaced(dict(zip(again, found.rows(), strict=True))), dict(sorted(unknown.items()))

    def _again(self, text: str) -> str:
        return retold(text, lambda part: KnownTokens.of(part, self._spans(part)).unknown is not None)

    def _read_flat(self, texts: Sequence[str], side: Side) -> tuple[FlatIds, UnknownOf]:
        whole = self._whole(texts, side)
        flat = whole.cut(self.max_tokens, self.truncate)
        texts = self._prompted(texts, side)
        odd = set(suspects(texts))
        if self._unknown_id is not None and (there := np.flatnonzero(flat.ids == self._unknown_id)).size:
            odd.update(np.searchsorted(flat.ends, there, side="right").tolist())
        if not odd:
            return (self._with_units(flat) if self.adds_unknown else flat.framed(*self.frame)), {}
        known = np.ones(len(flat.ids), dtype=bool)
        unknown: dict[int, Unknown] = {}
        places = sorted(odd)
        cut = (whole.lengths > flat.lengths)[places].tolist()
        for place, read in zip(places, self._closely([texts[place] for place in places], cut), strict=True):
            known[flat.ends[place] - len(read.known) : flat.ends[place]] = read.known
            if read.unknown is not None:
                unknown[place] = read.unknown
        if not self.adds_unknown:
            return flat.framed(*self.frame), unknown
        return self._with_units(flat.where(known) if unknown else flat), unknown

    def _closely(self, texts: Sequence[str], cut: Sequence[bool]) -> list[KnownTokens]:
        """The known tokens of texts, some of them truncated, within the part that is read."""
        if self._pieces is None:
            return [self._by_token(text) for text in texts]
        read = iter(self._pieces.read([text for text, short in zip(texts, cut, strict=True) if not short]))
        return [self._by_token(text) if short else next(read) for text, short in zip(texts, cut, strict=True)]

    def _by_token(self, text: str) -> KnownTokens:
        spans = self._spans(text)
        read = spans[kept(self.max_tokens, self.truncate)]
        return KnownTokens.of(text, read, whole=len(read) == len(spans))

    def _whole(self, texts: Sequence[str], side: Side) -> FlatIds:
        """The ids of texts with their prompt, unknown ones included, before truncation and special tokens."""
        texts = self._prompted(texts, side)
        return whole_ids(self._tokenizer, texts) if self._words is None else self._words.ids(texts)

    def _prompted(self, texts: Sequence[str], side: Side) -> Sequence[str]:
        """The texts with their prompt."""
        prompt = self.prompts.get(side, "")
        return [prompt + text for text in texts] if prompt else texts

    def shortened(self, max_length: int) -> Self:
        """The same pipeline with another ``max_length``."""
        return type(self)(self.definition, **{**self._options(), "max_length": max_length})

    def without_prompts(self) -> Self:
        """The same pipeline without prompts."""
        return type(self)(self.definition, **{**self._options(), "prompts": {}})

    def save(self, folder: Path | str) -> None:
        """Write the tokenizer unchanged."""
        write_text(Path(folder) / TOKENIZER_FILE, self.definition)

    def to_dict(self) -> dict[str, Any]:
        """The configuration, for a manifest in JSON."""
        special = self.special_tokens
        return {
            "kind": "tokenizer",
            "max_length": self.max_length,
            "truncate": self.truncate.value,
            "drop_unknown": self.drop_unknown,
            **spelling_to_dict(self._spelling),
            **({} if special is None else {"special_tokens": dict(special)}),
            **(
                {"prompts": {side.value: text for side, text in self.prompts.items()}} if self.prompts else {}
            ),
        }

    @classmethod
    def load(cls, folder: Path | str, config: Mapping[str, Any]) -> Self:
        """Read what :meth:`save` and :meth:`to_dict` wrote."""
        return cls(
            read_tokenizer(Path(folder) / TOKENIZER_FILE),
            max_length=config["max_length"],
            truncate=Truncate(config["truncate"]),
            drop_unknown=config["drop_unknown"],
            spelling=spelling_from_dict(config),
            special_tokens=config.get("special_tokens"),
            prompts={Side(side): text for side, text in config.get("prompts", {}).items()},
        )

    def _located(self, text: str, read: Any) -> Located:
        ids = np.array(read.ids, dtype=np.int32)
        offsets = np.array(read.offsets, dtype=np.int64).reshape(-1, 2)
        for number, (start, end) in enumerate(offsets.tolist()):
            offsets[number, 0] += _blanks(text[start:end])
        if self.special_tokens is None and self.drop_unknown and self._unknown_id is not None:
            known = ids != self._unknown_id
            ids, offsets = ids[known], offsets[known]
        if self._spelt is not None:
            ids = np.concatenate([ids[:, None], self._spelt[ids]], axis=1)
        return Located(ids, offsets)

    def _surely_known(self, text: str) -> bool:
        return text.isascii() and self._knows_ascii and (len(text) <= _SHORT or not _LONG_WORD.search(text))

    @cached_property
    def _knows_ascii(self) -> bool:
        """True if each ASCII character has a token, at the start of a word and later."""
        visible = [chr(code) for code in range(33, 127)]
        flat = whole_ids(self._tokenizer, [*visible, *(f"a{one}" for one in visible)])
        return self._unknown_id is None or bool((flat.ids != self._unknown_id).all() and flat.lengths.all())

    def _with_units(self, flat: FlatIds) -> FlatIds:
        if self._spelt is None:
            return flat
        return FlatIds(np.concatenate([flat.ids[:, None], self._spelt[flat.ids]], axis=1), flat.ends)

    def _spans(self, text: str) -> list[TokenSpan]:
        """The tokens of a text with their positions, and flags for known ones."""
        read = self._tokenizer.encode(text, add_special_tokens=False)
        # Each of these properties builds a list.
        tokens, offsets, words = read.tokens, read.offsets, read.word_ids
        known = [token != self._unknown_id for token in read.ids]
        if self._continues is not None:
            for _, found in groupby(range(len(tokens)), key=words.__getitem__):
                pieces = list(found)
                letters = (len(tokens[piece].removeprefix(self._continues)) == 1 for piece in pieces)
                start, end = offsets[pieces[0]][0], offsets[pieces[-1]][1]
                if len(pieces) > 1 and all(letters) and is_suspect(text[start:end]):
                    known[pieces[0] : pieces[-1] + 1] = [False] * len(pieces)
        return [
            TokenSpan(start + _blanks(text[start:end]), end, there and not self._loses(text[start:end]))
            for (start, end), there in zip(offsets, known, strict=True)
        ]

    def _loses(self, span: str) -> bool:
        """True if a token contains a dropped character that counts, besides its letters."""
        normalizer = self._tokenizer.normalizer
        if normalizer is None or not is_suspect(span):
            return False
        return any(is_suspect(one) and counts(one) and not normalizer.normalize_str(one) for one in span)

    def _options(self) -> dict[str, Any]:
        names = ("max_length", "truncate", "drop_unknown", "spelling", "special_tokens", "prompts")
        return {name: getattr(self, name) for name in names}


def read_tokenizer(path: Path) -> str:
    """The content of a ``tokenizer.json``.

    Raises:
        ModelError: the file is missing, or not JSON.
    """
    text = read_text(path)
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"is not JSON: {said(error, whole=True)}", path=path, fix=AGAIN) from error
    return text


def _rows(tokenizer: Any, special: Sequence[int]) -> int:
    """The number of rows that the ids of a tokenizer need.

    Raises:
        ModelError: there are no tokens, most ids are unused, or a special token's id is beyond all others.
    """
    ids: list[int] = list(tokenizer.get_vocab(with_added_tokens=True).values())
    rows = max(ids, default=-1) + 1
    if not 0 < rows <= _SPARSEST * len(ids) + _SPARE:
        raise ModelError(f"the tokenizer has {len(ids)} tokens, and their ids need {rows} rows", fix=AGAIN)
    if special and max(special) >= rows:
        raise ModelError(f"the tokenizer adds the id {max(special)}, and has rows 0 to {rows - 1}", fix=AGAIN)
    return rows


def _pad_id(tokenizer: Any, special_tokens: Mapping[str, str]) -> int | None:
    named = special_tokens.get("pad_token")
    ids = [tokenizer.token_to_id(token) for token in ((named,) if named else _PAD_TOKENS)]
    return next((number for number in ids if number is not None), None)


def _continues(model: Mapping[str, Any]) -> str | None:
    """The prefix of the later pieces of a word, if the tokenizer is WordPiece."""
    found: str = model.get("continuing_subword_prefix", "##")
    return found if model.get("type") == "WordPiece" else None


def _blanks(text: str) -> int:
    """The number of leading spaces, which some tokenizers include in a token."""
    return len(text) - len(text.lstrip())


def _unknown_id(tokenizer: Any, model: Mapping[str, Any]) -> int | None:
    """The unknown token's id: given as a token in most models, as a number in the unigram model."""
    token = model.get("unk_token")
    return model.get("unk_id") if token is None else tokenizer.token_to_id(token)

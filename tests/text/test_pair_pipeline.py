"""Texts tokenised separately and joined equal the tokenizer's result for the pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, processors
from transformers import PreTrainedTokenizerFast

from tests.models.interop.tiny_pairs import PAIRS, tokenizer
from textkin.base.errors import UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.joined_pair import JoinedPair
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pair_template import joint_of
from textkin.text.pipeline import load_pipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline

pytestmark = pytest.mark.torch

ROLES = {"bert": ("[PAD]", "[CLS]", "[SEP]"), "roberta": ("<pad>", "<s>", "</s>")}


def pipeline(family, max_length=None):
    pad, start, end = ROLES[family]
    roles = {"pad_token": pad, "cls_token": start, "sep_token": end}
    whole = TokenizerPipeline(tokenizer(family).to_str(), max_length=max_length, special_tokens=roles)
    return PairPipeline(whole)


def joined(made, pairs, *, tail=False):
    """Ids and types of each pair, through a padded batch."""
    sides = (TextBatch.from_ids(made.ids(side), pad_id=made.pad_id) for side in zip(*pairs, strict=True))
    join = JoinedPair(**made.joint.to_dict(), pad_id=made.pad_id, max_length=made.max_length, tail=tail)
    ids, mask, types = join(*sides)
    assert (ids[~mask] == made.pad_id).all()
    assert not types[~mask].any()
    return [
        (row[keep].tolist(), kind[keep].tolist()) for row, kind, keep in zip(ids, types, mask, strict=True)
    ]


def expected(family, pairs, *, max_length=None, side="right"):
    pad, start, end = ROLES[family]
    theirs = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(family),
        pad_token=pad,
        cls_token=start,
        sep_token=end,
        truncation_side=side,
    )
    found = theirs(
        [a for a, _ in pairs],
        [b for _, b in pairs],
        truncation="longest_first" if max_length else False,
        max_length=max_length,
        return_token_type_ids=True,
    )
    return list(zip(found["input_ids"], found["token_type_ids"], strict=True))


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("max_length", [None, 5, 8, 13, 20, 21])
@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_pairs_are_the_tokenizers_own(family, max_length, side):
    found = joined(pipeline(family, max_length), PAIRS, tail=side == "left")
    assert found == expected(family, PAIRS, max_length=max_length, side=side)


TEXT = st.text(alphabet="ab çé漢.,?' \n[]<s>/", max_size=30) | st.sampled_from(
    ["[CLS]", "<s></s>", "reset my"]
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4),
    st.integers(4, 24),
    st.sampled_from(["bert", "roberta"]),
)
def test_any_pairs(pairs, max_length, family):
    assert joined(pipeline(family, max_length), pairs) == expected(family, pairs, max_length=max_length)


def test_what_stands_around_the_texts():
    bert, roberta = (pipeline(family).joint for family in ("bert", "roberta"))
    assert (bert.start, bert.middle, bert.end, bert.types) == (((2, 0),), ((3, 0),), ((3, 1),), (0, 1))
    assert (roberta.middle, roberta.types) == (((3, 0), (3, 0)), (0, 0))


def test_saved_and_loaded(tmp_path):
    made = pipeline("bert", 20).shortened(9)
    made.save(tmp_path)
    again = load_pipeline(tmp_path, made.to_dict())
    assert isinstance(again, PairPipeline)
    assert (again.to_dict(), again.joint, again.max_length) == (made.to_dict(), made.joint, 9)
    texts = [a for a, _ in PAIRS]
    for one, other in zip(again.ids(texts), made.ids(texts), strict=True):
        assert np.array_equal(one, other)


def test_a_tokenizer_that_turns_pairs_round():
    made = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    made.post_processor = processors.TemplateProcessing(single="$A", pair="$B $A", special_tokens=[])
    with pytest.raises(UsageError, match="puts the second text first"):
        joint_of(made.to_str())

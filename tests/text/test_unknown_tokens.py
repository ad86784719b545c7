"""Unknown parts of texts: parts, sizes, fractions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.text.static_folders import wordpiece
from textkin.base.hub import DEFAULT, located
from textkin.text.pipeline import WordPipeline
from textkin.text.static_embeddings import load_static
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate
from textkin.text.unknown_tokens import Unknown, part_of, retold
from textkin.text.vocabulary import Vocabulary, build_vocabulary

ENGLAND, SCOTLAND = (
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct")
)


@pytest.fixture(scope="module")
def box() -> TokenizerPipeline:
    return load_static(located(DEFAULT)).pipeline


@pytest.mark.parametrize(
    ("text", "parts", "sizes", "tokens"),
    [
        ("I \U0001f494 Berlin", ("\U0001f494",), (1,), 3),
        ("I \u2764\ufe0f Berlin", ("\u2764",), (1,), 3),  # how it is shown doesn't count
        ("\U0001f1eb\U0001f1f7", ("\U0001f1eb\U0001f1f7",), (1,), 1),
        ("\U0001f469\u200d\U0001f4bb works", ("\U0001f469\u200d\U0001f4bb",), (1,), 2),
        (ENGLAND, (ENGLAND,), (1,), 1),  # BERT's tokenizer drops the letters of the region
        ("超市什么时候开门", ("超市什么时候开门",), (8,), 8),
        ("привет мир", ("привет", "мир"), (1, 1), 2),
        ("ร้านเปิด", ("ร้านเปิด",), (1,), 1),
        ("क़ुतुब the", ("क़ुतुब",), (1,), 2),  # its vowel signs are dropped
        ("cat\u0378dog", ("cat\u0378dog",), (1,), 1),  # no character yet
        ("ca\ue000t", ("ca\ue000t",), (1,), 1),  # of private use
        ("x" * 101, ("x" * 101,), (1,), 1),
    ],
)
def test_parts_of_texts(box, text, parts, sizes, tokens):
    flat, unknown = box.read_flat([text, "a plain text"])
    assert unknown == {0: Unknown(parts, sizes, tokens)}
    assert flat.lengths.tolist() == [tokens - sum(sizes), 3]
    assert box.unknown(["a plain text", text]) == {1: unknown[0]}


@pytest.mark.parametrize(
    "text",
    ["", "a plain text", "Ça va, Zoë? Straße, łódź, naïve…", "5 € – “quoted”", "so\u00adft\u200b \ufeff"],
)
def test_what_is_known_is_no_part(box, text):
    flat, unknown = box.read_flat([text])
    assert not unknown and not box.unknown([text])
    assert flat.ids.tolist() == box.flat_ids([text]).ids.tolist()


def test_parts_are_compared_without_case_form_and_what_can_t_be_seen():
    assert part_of("Ⅷ\ufe0f") == part_of("viii")
    assert part_of("❤\ufe0f") == part_of("❤") != part_of("❤\u200d\U0001f525")
    assert part_of("\ufe0f") == "\ufe0f"


def test_a_share_is_noticeable_from_a_fifth_on():
    assert Unknown(("x",), (1,), 5).noticeable and not Unknown(("x",), (1,), 6).noticeable
    assert Unknown(("x", "y"), (1, 2), 6).share == 0.5


@pytest.mark.parametrize("truncate", list(Truncate))
def test_what_is_cut_is_neither_known_nor_unknown(truncate):
    pipeline = TokenizerPipeline(wordpiece().to_str(), max_length=3, truncate=truncate)
    _, unknown = pipeline.read_flat(["zebra the cat sat yak \ue000"])
    first, last = Unknown(("zebra",), (1,), 3), Unknown(("yak", "\ue000"), (1, 1), 4)
    assert unknown[0] in (first, Unknown(("yak",), (1,), 3), last)
    assert (unknown[0] == first) == (truncate is Truncate.HEAD)


def test_special_tokens_stay_where_a_network_wants_them():
    options = {"special_tokens": {"pad_token": "[PAD]"}}
    pipeline = TokenizerPipeline(wordpiece().to_str(), drop_unknown=False, **options)
    assert not pipeline.adds_unknown
    rows, unknown = pipeline.read(["the zebra"])
    assert rows[0].tolist() == pipeline.ids(["the zebra"])[0].tolist()
    assert unknown == {0: Unknown(("zebra",), (1,), 2)}


def test_a_tokenizer_that_is_not_bert_s():
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0), ("▁the", -1), ("▁cat", -1), ("▁", -2)], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    _, unknown = TokenizerPipeline(tokenizer.to_str()).read_flat(["the cat", "the \U0001f600 cat"])
    assert list(unknown) == [1] and unknown[1].parts == ("\U0001f600",)


def test_words_that_a_vocabulary_lacks():
    pipeline = WordPipeline(Vocabulary(("the", "cat"), train_words=2), steps=("nfkc", "lower"))
    texts = ["the CAT!", "the Zebra, the zebra?", "the cat \U0001f1e9\U0001f1ea ?!"]
    rows, unknown = pipeline.read(texts)
    assert [row.tolist() for row in rows] == [row.tolist() for row in pipeline.ids(texts)]
    assert unknown == {
        1: Unknown(("zebra", "zebra"), (1, 1), 4),
        2: Unknown(("\U0001f1e9\U0001f1ea",), (1,), 3),
    }


def test_a_step_that_leaves_letters_out_hides_nothing():
    pipeline = WordPipeline(Vocabulary(("the", "cat"), train_words=2), steps=("nfkc", "lower", "alnum"))
    assert pipeline.unknown(["the cat", "the cat 猫", "the cat 犬"]) == {
        1: Unknown(("猫",), (1,), 3),
        2: Unknown(("犬",), (1,), 3),
    }


def test_stop_words_are_known():
    pipeline = StopWordPipeline(["cat"], stop_words=["the"])
    assert pipeline.unknown(["the cat", "the (dog) cat"]) == {1: Unknown(("dog",), (1,), 2)}


@given(st.lists(st.text(max_size=12), max_size=4))
def test_every_token_is_known_or_counted(texts):
    pipeline = TokenizerPipeline(wordpiece().to_str())
    flat, unknown = pipeline.read_flat(texts)
    for place, length in enumerate(flat.lengths.tolist()):
        found = unknown.get(place)
        assert found is None or found.tokens == length + sum(found.sizes)
        assert found is None or all(found.parts)
    assert pipeline.unknown(texts) == unknown


def test_only_what_is_unknown_is_told_again():
    asked = []
    assert retold("ﬁne ²x ﬂood day", lambda part: asked.append(part) or part != "ﬂood") == "fine 2x ﬂood day"
    assert asked == ["ﬁne", "²x", "ﬂood"]
    assert retold("plain 中 é", lambda part: 1 / 0) == "plain 中 é"


def test_words_that_a_vocabulary_lacks_are_looked_up_again():
    words = WordPipeline(build_vocabulary([["office", "cat"]]), steps=["lower"])
    (plain, copy), unknown = words.read(["office ꙮ cat", "oﬃce ꙮ ｃａｔ"])
    assert plain.tolist() == copy.tolist() and unknown[0] == unknown[1]
    stops = StopWordPipeline(["office", "cat"], stop_words=[], lower=True)
    (plain, copy), unknown = stops.read(["office cat", "oﬃce ｃａｔ"])
    assert plain.tolist() == copy.tolist() == [0, 1] and not unknown

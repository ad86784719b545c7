"""Texts longer than an encoder's limit: no two of them are duplicates by their beginnings."""

import pytest

import textkin as tk
from tests.models.interop import tiny
from tests.verbs.making_long import documents, siamese
from textkin.models.inference.scorers import load_scorer
from textkin.vectors.groups.linkage import Linkage
from textkin.vectors.long_texts import LongTexts
from textkin.verbs.dedupe.checks import guarantee
from textkin.verbs.dedupe.deduped import DedupeOptions, dedupe_texts

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def transformer(tmp_path_factory):
    return load_scorer(tiny.write_theirs(tmp_path_factory.mktemp("tiny") / "theirs"))


@pytest.fixture(params=["default", "transformer", "siamese-lstm"])
def encoder(request):
    match request.param:
        case "default":
            return tk.load_encoder()
        case "transformer":
            return request.getfixturevalue("transformer")
        case _:
            return siamese()


def test_documents_with_a_common_head_are_not_the_same(encoder):
    texts = documents()
    found = dedupe_texts(texts, encoder, options=DedupeOptions(guards=()))
    assert found.kept.tolist() == list(range(20)) and guarantee(found).holds
    cut = encoder.max_tokens is not None
    assert found.truncation.cut == (20 if cut else 0)
    assert len(found.withheld) == (190 if cut else 0)


def test_a_user_may_accept_what_was_read():
    texts = documents(5)
    found = dedupe_texts(texts, siamese(), options=DedupeOptions(guards=(), long=LongTexts.ACCEPT))
    assert len(found.kept) == 1 and not len(found.withheld)
    assert found.truncation.cut == 5


@pytest.mark.parametrize("linkage", Linkage)
def test_equal_texts_are_one_however_long_they_are(linkage):
    (text,) = documents(1)
    options = DedupeOptions(linkage=linkage)
    found = dedupe_texts([text, text.upper(), text + " end", "a short text"], siamese(), options=options)
    assert found.removed.tolist() in ([0], [1]) and found.stays[0] == found.stays[1]
    assert len(found.withheld) == 1


def test_what_a_guard_forbids_is_not_withheld_too():
    (text,) = documents(1)
    options = DedupeOptions(guards=("numbers",))
    found = dedupe_texts([text, f"{text} 2", f"{text} end"], siamese(), options=options)
    assert (len(found.forbidden), len(found.withheld)) == (2, 1)


def test_texts_that_share_their_spelling_are_the_same():
    pytest.importorskip("datasketch")
    (text,) = documents(1)
    found = dedupe_texts([text, f"{text} end"], siamese(), options=DedupeOptions(lexical=0.9))
    assert found.removed.tolist() == [0] and not len(found.withheld) and guarantee(found).holds


def test_windows_compare_texts_to_their_ends():
    one, other = documents(2)
    texts = [one, f"{one} end", one[:5000] + other[5000:], "a short text", "A Short text"]
    found = dedupe_texts(texts, siamese(), options=DedupeOptions(threshold=0.995, long=LongTexts.WINDOWS))
    assert found.removed.tolist() == [0, 3] and guarantee(found).holds
    assert not len(found.withheld) and found.truncation.windows > 100
    lower = found.rethreshold(0.5)
    fresh = dedupe_texts(texts, siamese(), options=DedupeOptions(threshold=0.5, long=LongTexts.WINDOWS))
    assert lower.stays.tolist() == fresh.stays.tolist()


def test_a_transformer_reads_windows(transformer):
    (text,) = documents(1)
    options = DedupeOptions(threshold=0.5, long=LongTexts.WINDOWS)
    found = dedupe_texts([text[-3000:], f"{text[-3000:]} end"], transformer, options=options)
    assert found.truncation.windows > 50 and not found.distinct.unread.any() and guarantee(found).holds
    assert found.distinct.scores(*found.distinct.node[:, None])[0] < 1


def test_too_many_pairs_to_hold_are_decided_alike(monkeypatch):
    texts = [*documents(6), "how are you", "how are you today"]
    for long in LongTexts:
        options = DedupeOptions(threshold=0.95, long=long)
        expected = dedupe_texts(texts, siamese(), options=options)
        with monkeypatch.context() as patch:
            patch.setattr("textkin.vectors.similar_texts.MOST_PAIRS", 2)
            found = dedupe_texts(texts, siamese(), options=options)
        assert long is LongTexts.WINDOWS or not found.similar.complete
        assert found.stays.tolist() == expected.stays.tolist() and guarantee(found).holds

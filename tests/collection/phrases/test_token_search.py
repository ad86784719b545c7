"""Search by tokens against every phrase scored one by one."""

import json
import re
from collections import Counter
from math import log

import numpy as np
import pytest

from tests.collection.phrase_files.tiny import Tiny
from tests.collection.phrases.drawn_tokens import DrawnTokens
from textkin.base.errors import DataError, UsageError
from textkin.collection.phrases import build, token_search
from textkin.collection.phrases.build import PhraseData, build_phrases
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.search import PhraseIndex

WORDS = ["mill", "bridge", "hall", "built", "opened", "stone", "river", "old", "new", "mayor"]
WORDS += ["1850", "1987", "tower", "the", "of", "in"]


def drawn_passages(count, seed=0):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(0, 60, count)]
    return [(f"p{number}", text) for number, text in enumerate(texts)]


def drawn_questions(count, seed=1):
    rng = np.random.default_rng(seed)
    return [f"{' '.join(rng.choice(WORDS, 4))} {number}?" for number in range(count)]


def data_of(passages, *, data_hash="data", before=None):
    return PhraseData(lambda: iter(passages), len(passages), data_hash, "model", before=before)


def stems(text):
    """The words of these tests: no stem but these, and three stop words."""
    stemmed = {"opened": "open", "tower": "tower"}
    return [None if w in {"the", "of", "in"} else stemmed.get(w, w) for w in re.findall(r"\w+", text)]


def slow_scores(encoder, passages, question, *, weight):
    """Each phrase with its score, by the definition: (passage, start, end, score)."""
    row = encoder.questions([question])[0]
    texts = [stems(text) for _, text in passages]
    asked = {word for word in stems(question) if word}
    frequency = Counter(word for text in texts for word in set(text))
    mean = np.mean([len(text) for text in texts])
    idf = {w: log(1 + (len(texts) - frequency[w] + 0.5) / (frequency[w] + 0.5)) for w in asked}
    found = []
    for (name, passage), words in zip(passages, texts, strict=True):
        counts = Counter(words)
        norm = 1.5 * (0.25 + 0.75 * len(words) / mean)
        bm25 = sum(idf[w] * counts[w] / (counts[w] + norm) for w in asked)
        [phrases] = encoder.phrases([passage])
        for (start, end), vector in zip(phrases.offsets.tolist(), phrases.vectors, strict=True):
            before, after = stems(passage[:start])[-10:], stems(passage[end:])[:10]
            near = sum(idf.get(word, 0) for word in before + after)
            found.append((name, start, end, float(vector @ row) + weight * (near + 5 * bm25)))
    return found


@pytest.mark.parametrize("dim", [4, 5])
@pytest.mark.parametrize("weight", [0, 0.6])
@pytest.mark.parametrize("pieces", [7, 1 << 15])
def test_the_best_phrases_by_definition(tmp_path, monkeypatch, dim, weight, pieces):
    monkeypatch.setattr(token_search, "_TOKENS_AT_ONCE", pieces)
    monkeypatch.setattr(token_search, "_QUESTIONS_AT_ONCE", 3)
    encoder, passages, questions = DrawnTokens(dim), drawn_passages(12), drawn_questions(8)
    build_phrases(data_of(passages), tmp_path / "i", encoder, PhraseIndexOptions(words=weight))
    with PhraseIndex(tmp_path / "i") as index:
        assert (index.facts.passages, index.recall) == (12, ())
        found = index.search(encoder.questions(questions), 9, texts=questions)
    for question, one in zip(questions, found, strict=True):
        right = slow_scores(encoder, passages, question, weight=weight)
        assert len(right) == index.facts.phrases
        best = []
        for name, start, end, score in sorted(right, key=lambda each: -each[3]):
            if all(name != other or end <= low or start >= high for other, low, high, _ in best):
                best.append((name, start, end, score))
        np.testing.assert_allclose(
            [hit.score for hit in one.hits], [each[3] for each in best[:9]], rtol=1e-5, atol=1e-5
        )
        scores = {(name, start, end): score for name, start, end, score in right}
        texts = dict(passages)
        for hit in one.hits:
            assert hit.score == pytest.approx(scores[hit.passage_id, hit.start, hit.end], rel=1e-5, abs=1e-5)
            assert hit.phrase == texts[hit.passage_id][hit.start : hit.end]


def test_ties_go_to_the_first_phrase(tmp_path):
    encoder = DrawnTokens(longest=1)
    passages = [("a", "mill mill"), ("b", "mill")]
    build_phrases(data_of(passages), tmp_path / "i", encoder, PhraseIndexOptions(words=0))
    with PhraseIndex(tmp_path / "i") as index:
        [found] = index.search(encoder.questions(["?"]), 5)
    assert [(hit.passage_id, hit.start) for hit in found.hits] == [("a", 0), ("a", 5), ("b", 0)]


def test_words_count_by_default(tmp_path):
    """Their weight is in the manifest, and no words count where the texts are left out."""
    encoder, passages = DrawnTokens(), drawn_passages(12)
    manifest = build_phrases(data_of(passages), tmp_path / "i", encoder, PhraseIndexOptions())
    assert (manifest.made_of.options.words, manifest.stored.kind) == (0.6, "tokens")
    with PhraseIndex(tmp_path / "i") as index:
        [found] = index.search(encoder.questions(["mill?"]), 1)
    best = max(score for *_, score in slow_scores(encoder, passages, "mill?", weight=0))
    assert found.hits[0].score == pytest.approx(best, rel=1e-5)


def test_no_answer_is_decided_without_words(tmp_path):
    """Words raise the score of "no answer" as they raise that of the best phrase."""
    encoder, passages, questions = DrawnTokens(), drawn_passages(12), drawn_questions(20)
    encoder.nothing = np.array([4, 6, -5, 3, 9], dtype=np.float32)
    build_phrases(data_of(passages), tmp_path / "i", encoder, PhraseIndexOptions())
    rows = encoder.questions(questions)
    with PhraseIndex(tmp_path / "i") as index:
        found = index.search(rows, 1, texts=questions)
    for question, row, one in zip(questions, rows, found, strict=True):
        [hit] = one.hits
        products = {each[:3]: each[3] for each in slow_scores(encoder, passages, question, weight=0)}
        own = products[hit.passage_id, hit.start, hit.end]
        expected = encoder.nothing @ row + hit.score - own
        assert one.no_answer == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert {one.is_none for one in found} == {False, True}


@pytest.mark.parametrize("stop", [0, 5, 13])
def test_a_build_that_was_stopped_goes_on(tmp_path, monkeypatch, stop):
    monkeypatch.setattr(build, "_WINDOW", 4)
    data = data_of(drawn_passages(22))
    build_phrases(data, tmp_path / "whole", DrawnTokens(), PhraseIndexOptions())
    with pytest.raises(KeyboardInterrupt):
        build_phrases(data, tmp_path / "i", DrawnTokens(fail_at=stop), PhraseIndexOptions())
    again = DrawnTokens()
    build_phrases(data, tmp_path / "i", again, PhraseIndexOptions())
    assert again.seen == 22 - stop // 4 * 4
    names = {item.name for item in (tmp_path / "whole").glob("*.npy")}
    assert names == {"tokens.npy", "lengths.npy", "around.npy", "words.npy", "offsets.npy"}
    for name in names:
        assert (tmp_path / "i" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_passages_added_make_the_index_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "_WINDOW", 4)
    passages = drawn_passages(22)
    build_phrases(data_of(passages), tmp_path / "whole", DrawnTokens(), PhraseIndexOptions())
    build_phrases(
        data_of(passages[:13], data_hash="some"), tmp_path / "i", DrawnTokens(), PhraseIndexOptions()
    )
    encoder = DrawnTokens()
    data = data_of(passages, before=tmp_path / "i")
    build_phrases(data, tmp_path / "all", encoder, PhraseIndexOptions())
    assert encoder.seen == 9
    for item in (tmp_path / "whole").glob("*.npy"):
        assert item.read_bytes() == (tmp_path / "all" / item.name).read_bytes(), item.name


@pytest.mark.parametrize("given", [{"metric": "l2"}, {"cells": 2, "probe": 1}, {"per_passage": 3}])
def test_words_want_tokens(tmp_path, given):
    data = data_of(drawn_passages(3))
    with pytest.raises(UsageError) as error:
        build_phrases(data, tmp_path / "i", DrawnTokens(), PhraseIndexOptions(words=1, **given))
    assert error.value.params == ("words", next(iter(given)))
    with pytest.raises(UsageError) as error:
        build_phrases(data, tmp_path / "i", Tiny(), PhraseIndexOptions(words=1))
    assert error.value.params == ("words",)


def test_weights_that_are_none():
    for wrong in (-1, 1e39, float("inf"), float("nan")):
        with pytest.raises(UsageError) as error:
            PhraseIndexOptions(words=wrong)
        assert error.value.params == ("words",)


def test_phrases_longer_than_the_bits_are_stored_one_by_one(tmp_path):
    encoder = DrawnTokens(longest=65)
    manifest = build_phrases(data_of(drawn_passages(3)), tmp_path / "i", encoder, PhraseIndexOptions())
    assert (manifest.stored.kind, manifest.made_of.options.words) == ("dense", 0)


def test_passages_without_words(tmp_path):
    encoder = DrawnTokens()
    build_phrases(data_of([("a", "!!! ???"), ("b", "🙂")]), tmp_path / "i", encoder, PhraseIndexOptions())
    with PhraseIndex(tmp_path / "i") as index:
        [found] = index.search(encoder.questions(["who?"]), 5, texts=["who?"])
        assert {hit.passage_id for hit in found.hits} == {"a", "b"}


def test_equal_passages_and_questions_asked_alone_get_equal_scores(tmp_path, monkeypatch):
    monkeypatch.setattr(token_search, "_TOKENS_AT_ONCE", 50)
    text = drawn_passages(3)[2][1]
    passages = [(str(number), text) for number in range(40)]
    encoder, questions = DrawnTokens(dim=31), drawn_questions(5)
    build_phrases(data_of(passages), tmp_path / "i", encoder, PhraseIndexOptions())
    with PhraseIndex(tmp_path / "i") as index:
        together = index.search(encoder.questions(questions), 40, texts=questions)
        for question, found in zip(questions, together, strict=True):
            assert index.search(encoder.questions([question]), 40, texts=[question]) == [found]
            assert {hit.score for hit in found.hits} == {found.hits[0].score}
            places = [(int(hit.passage_id), hit.start) for hit in found.hits]
            assert places == sorted(places)


def test_more_phrases_are_looked_at_where_many_overlap(tmp_path):
    """All phrases of the first words score higher than any of the last one."""
    encoder = DrawnTokens(dim=2, longest=64)
    build_phrases(
        data_of([("a", "mill " * 90 + "river")]), tmp_path / "i", encoder, PhraseIndexOptions(words=0)
    )
    with PhraseIndex(tmp_path / "i") as index:
        [found] = index.search(np.ones((1, 2), dtype=np.float32), 3)
        assert len(found.hits) == 3
        [few] = index.search(np.ones((1, 2), dtype=np.float32), 200)
        assert 3 <= len(few.hits) <= 91


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(tmp_path, value):
    folder, encoder = tmp_path / "i", DrawnTokens()
    build_phrases(data_of(drawn_passages(12)), folder, encoder, PhraseIndexOptions())
    rows = np.load(folder / "tokens.npy")
    rows[5] = value
    np.save(folder / "tokens.npy", rows)
    with PhraseIndex(folder) as index, pytest.raises(DataError) as error:
        index.search(encoder.questions(["mill?"]), 1)
    assert error.value.path == folder


@pytest.mark.parametrize("passages", [11, 0, -1, 10**12])
def test_a_manifest_with_another_number_of_passages(tmp_path, passages):
    folder = tmp_path / "i"
    build_phrases(data_of(drawn_passages(12)), folder, DrawnTokens(), PhraseIndexOptions())
    path = folder / "textkin.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"passages": passages}))
    with pytest.raises(DataError) as error:
        PhraseIndex(folder)
    assert error.value.path == path


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("lengths.npy", lambda rows: rows.__setitem__(-1, 1 << 63)),
        ("lengths.npy", lambda rows: rows.__setitem__(0, 0)),
        ("around.npy", lambda rows: rows.__setitem__((0, 0), -1)),
        ("around.npy", lambda rows: rows.__setitem__((0, 1), 9_999)),
        ("around.npy", lambda rows: rows.__setitem__((-1, 2), 0)),
        ("around.npy", lambda rows: rows.__setitem__((-1, 2), 99)),
        ("words.npy", lambda rows: rows.__setitem__((0, 1), -1)),
        ("words.npy", lambda rows: rows.__setitem__((-1, 1), 0)),
        ("words.npy", lambda rows: rows.__setitem__((-1, 1), 12)),
    ],
)
def test_tokens_that_lead_nowhere(tmp_path, name, spoil):
    folder = tmp_path / "i"
    build_phrases(data_of(drawn_passages(12)), folder, DrawnTokens(), PhraseIndexOptions())
    rows = np.load(folder / name)
    spoil(rows)
    np.save(folder / name, rows)
    with pytest.raises(DataError) as error:
        PhraseIndex(folder)
    assert folder in (error.value.path, error.value.path.parent)

import json

import numpy as np
import pytest

from tests.collection.phrase_files.tiny import Tiny
from tests.collection.phrases.drawn import Drawn, clustered
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.collection.phrases.build import PhraseData, build_phrases
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.search import PhraseHit, PhraseIndex
from textkin.text.baselines.phrase_tfidf import TfidfPhrases

PASSAGES = [
    ("normans", "The Normans gave their name to Normandy, a region in France."),
    ("empty", ""),
    ("emma", "Emma of Normandy married King Æthelred in 1002."),
]


@pytest.fixture
def folder(tmp_path):
    data = PhraseData(lambda: iter(PASSAGES), 3, "data", "model")
    encoder = TfidfPhrases.fit([text for _, text in PASSAGES])
    build_phrases(data, tmp_path / "i", encoder, PhraseIndexOptions())
    return tmp_path / "i"


def test_hits_stand_in_their_passages(folder):
    with PhraseIndex(folder) as index:
        assert (index.model, index.model_hash, index.recall) == ("tfidf", "model", ())
        questions = TfidfPhrases().questions(["Who married King Æthelred?", "unheard"])
        answers, nothing = index.search(questions, 3)
    assert [hit.passage_id for hit in answers.hits] == ["emma"] * 3 and nothing.hits == ()
    texts = dict(PASSAGES)
    for hit in answers.hits:
        assert texts[hit.passage_id][hit.start : hit.end] == hit.phrase and hit.passage == texts["emma"]
    assert answers.hits[0].score >= answers.hits[2].score > 0
    assert answers.rows()[0]["where"] == answers.hits[0].marked()
    assert "exact search" in str(answers)


def test_marking():
    hit = PhraseHit("p", 100, 103, "the", 1.0, "a" * 100 + "the" + "b" * 100)
    assert hit.marked() == "..." + "a" * 60 + "[[the]]" + "b" * 60 + "..."
    assert hit.marked(around=None) == "a" * 100 + "[[the]]" + "b" * 100
    assert PhraseHit("p", 0, 3, "the", 1.0, "the end").marked() == "[[the]] end"


def test_scores_are_products_or_distances(tmp_path):
    encoder = Drawn(clustered(60, 8), each=7)
    question = clustered(1, 8, seed=5)
    for metric in ("ip", "l2"):
        build_phrases(encoder.data(), tmp_path / metric, encoder, PhraseIndexOptions(metric=metric))
        with PhraseIndex(tmp_path / metric) as index:
            [found] = index.search(question, 4)
        scores = encoder.rows @ question[0]
        if metric == "l2":
            scores = -np.linalg.norm(encoder.rows - question[0], axis=1)
        best = np.argsort(-scores)[:4]
        assert [hit.score for hit in found.hits] == pytest.approx(scores[best].tolist(), rel=1e-5)
        assert [hit.passage_id for hit in found.hits] == [f"p{number // 7}" for number in best]
        assert [hit.start for hit in found.hits] == [number % 7 for number in best]


def test_answers_carry_the_recall(tmp_path):
    pytest.importorskip("faiss")
    encoder = Drawn(clustered(2000, 16), each=100)
    options = PhraseIndexOptions(cells=20, probe=2, sample=100)
    build_phrases(encoder.data(), tmp_path / "i", encoder, options)
    with PhraseIndex(tmp_path / "i") as index:
        [found] = index.search(encoder.rows[:1], 2)
    assert [each.depth for each in found.recall] == [1, 10]
    assert "recall@10 0." in str(found) and "on 100 stored phrases" in str(found)
    content = bytearray((tmp_path / "i" / "cells.faiss").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "i" / "cells.faiss").write_bytes(content)
    with pytest.raises(DataError) as error:
        PhraseIndex(tmp_path / "i")
    assert str(error.value.path).endswith("cells.faiss")


def test_an_audit_is_the_share_of_the_best_that_is_found(tmp_path):
    pytest.importorskip("faiss")
    encoder, questions = Drawn(clustered(2000, 16), each=100), clustered(70, 16, seed=9)
    build_phrases(encoder.data(), tmp_path / "i", encoder, PhraseIndexOptions(cells=20, probe=1, sample=100))
    with PhraseIndex(tmp_path / "i") as index:
        first, tenth = index.audited(questions)
        answers = index.search(questions, 10)
        with pytest.raises(UsageError) as error:
            index.audited(questions[:0])
        assert error.value.params == ("questions",)
        with pytest.raises(DataError) as error:
            index.audited(questions[:, :8])
        assert error.value.value == (70, 8)
    best = np.argsort(-(questions @ encoder.rows.T), axis=1)[:, :10]
    got = [[100 * int(hit.passage_id[1:]) + hit.start for hit in one.hits] for one in answers]
    found = [len(set(right.tolist()) & set(own)) for right, own in zip(best, got, strict=True)]
    assert tenth.share.value == pytest.approx(sum(found) / 700) and 0.05 < tenth.share.value < 1
    assert first.share.value == np.mean([right[0] == own[0] for right, own in zip(best, got, strict=True)])
    assert (first.of, first.share.n, tenth.share.n) == ("questions", 70, 70)


def test_an_exact_search_has_nothing_to_audit(folder):
    with PhraseIndex(folder) as index:
        assert index.audited(TfidfPhrases().questions(["Who married?"])) == ()


def test_questions_of_another_model(folder):
    with PhraseIndex(folder) as index:
        with pytest.raises(DataError) as error:
            index.search(np.zeros((1, 4), "f4"))
        assert error.value.value == (1, 4)
        with pytest.raises(UsageError) as error:
            index.search(TfidfPhrases().questions(["a"]), 0)
        assert error.value.params == ("k",)


def test_a_folder_that_is_no_index(tmp_path):
    for content in (None, "{", "[]", "[" * 100_000, '{"made_of": {"holds": "questions", "format": 1}}'):
        if content is not None:
            (tmp_path / "textkin.json").write_text(content)
        with pytest.raises(DataError, match=r"no index of phrases|holds questions"):
            PhraseIndex(tmp_path)


@pytest.mark.parametrize("name", ["offsets.npy", "values.npy", "columns.npy", "ends.npy", "passages.sqlite"])
def test_files_that_were_cut_off_or_are_gone(folder, name):
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError) as error:
        PhraseIndex(folder)
    assert error.value.path == path
    path.unlink()
    with pytest.raises(DataError) as error:
        PhraseIndex(folder)
    assert error.value.path == path


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("phrases", 5),
        ("phrases", "x"),
        ("dim", 7),
        ("dim", 10**9),
        ("dim", 0),
        ("files", {"passages.sqlite": {}, "offsets.npy": {}, "\ud800": {"bytes": 0, "sha256": ""}}),
        ("stored", {"kind": "sparse", "rows": 4, "width": 1 << 20, "numbers": 3}),
        ("stored", {"kind": "other"}),
        ("recall", [1]),
        ("files", {}),
        ("short", 1),
    ],
)
def test_a_manifest_that_lies(folder, key, value):
    path = folder / "textkin.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {key: value}))
    with pytest.raises(DataError):
        PhraseIndex(folder)


@pytest.mark.parametrize(("metric", "sparse"), [("ip", False), ("l2", False), ("ip", True)])
def test_no_answer_has_a_score_beside_the_hits(tmp_path, metric, sparse):
    data = PhraseData(lambda: iter([("a", "one two three")]), 1, "data", "model")
    encoder = Tiny(sparse=sparse)
    encoder.nothing = np.array([1, 0, -2, 1], dtype=np.float32)
    build_phrases(data, tmp_path / "i", encoder, PhraseIndexOptions(metric=metric))
    questions, decided = ["a?", "b?", "c?", "d?", "e?", "f?"], set()
    with PhraseIndex(tmp_path / "i") as index:
        for found, row in zip(
            index.search(encoder.questions(questions), 2), Tiny().questions(questions), strict=True
        ):
            distance = -np.linalg.norm(encoder.nothing - row)
            expected = encoder.nothing @ row if metric == "ip" else distance
            assert found.no_answer == pytest.approx(expected, rel=1e-6)
            assert found.is_none == (not found.hits or expected >= found.hits[0].score)
            decided.add(found.is_none)
    assert decided == {False, True}


def test_no_answer_that_is_no_number(tmp_path):
    data = PhraseData(lambda: iter([("a", "one two")]), 1, "data", "model")
    encoder = Tiny()
    encoder.nothing = np.ones(4)
    with pytest.raises(DataError) as error:
        build_phrases(data, tmp_path / "i", encoder, PhraseIndexOptions())
    assert (error.value.params, error.value.value) == (("tiny",), np.float64)
    encoder.nothing = np.ones(4, dtype=np.float32)
    build_phrases(data, tmp_path / "i", encoder, PhraseIndexOptions())
    np.save(tmp_path / "i" / "nothing.npy", np.full(4, np.nan, dtype=np.float32))
    with PhraseIndex(tmp_path / "i") as index, pytest.raises(DataError) as error:
        index.search(encoder.questions(["?"]), 2)
    assert str(error.value.path).endswith("nothing.npy")


def test_an_index_without_no_answer_is_another_one(tmp_path):
    data = PhraseData(lambda: iter([("a", "one two")]), 1, "data", "model")
    encoder = Tiny()
    build_phrases(data, tmp_path / "i", encoder, PhraseIndexOptions())
    encoder.nothing = np.ones(4, dtype=np.float32)
    with pytest.raises(OutputError):
        build_phrases(data, tmp_path / "i", encoder, PhraseIndexOptions())


def test_phrases_that_share_no_word_have_an_index_too(tmp_path):
    data = PhraseData(lambda: iter([("a", "hello"), ("b", "world")]), 2, "data", "model")
    build_phrases(data, tmp_path / "i", TfidfPhrases.fit(["hello", "world"]), PhraseIndexOptions())
    with PhraseIndex(tmp_path / "i") as index:
        assert index.search(TfidfPhrases().questions(["hello"]), 2)[0].hits == ()


def test_vectors_that_are_not_finite(tmp_path):
    data = PhraseData(lambda: iter([("a", "one two")]), 1, "data", "model")
    build_phrases(data, tmp_path / "i", Tiny(), PhraseIndexOptions())
    vectors = np.load(tmp_path / "i" / "vectors.npy")
    vectors[1] = np.inf
    np.save(tmp_path / "i" / "vectors.npy", vectors)
    with pytest.raises(DataError) as error:
        PhraseIndex(tmp_path / "i")
    assert error.value.value == 1


def test_texts_that_are_none(folder):
    path = folder / "passages.sqlite"
    content = path.read_bytes()
    path.write_bytes(content.replace(b"married", b"\xff\xffrried"))
    assert path.read_bytes() != content
    with PhraseIndex(folder) as index, pytest.raises(DataError) as error:
        index.search(TfidfPhrases().questions(["who married"]), 5)
    assert str(error.value.path).endswith("passages.sqlite")


def test_offsets_that_lead_out_of_a_passage(tmp_path):
    data = PhraseData(lambda: iter([("a", "one two")]), 1, "data", "model")
    build_phrases(data, tmp_path / "i", Tiny(), PhraseIndexOptions())
    offsets = np.load(tmp_path / "i" / "offsets.npy")
    offsets[:, 1] = 99
    np.save(tmp_path / "i" / "offsets.npy", offsets)
    with PhraseIndex(tmp_path / "i") as index, pytest.raises(DataError, match="not in its passage"):
        index.search(Tiny().questions(["?"]), 1)

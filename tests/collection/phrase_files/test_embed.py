from __future__ import annotations

import json
import unicodedata
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collection.phrase_files.tiny import CONTEXTS, Tiny, write_parts
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.collection.phrase_files import embed
from textkin.collection.phrase_files.embed import (
    EmbedOptions,
    asked_paragraph_names,
    embed_contexts,
    embed_questions,
    paragraph_names,
    raw_paragraph_names,
    safe_names,
)
from textkin.data.readers.datasets.squad_parts import ContextPart, PlacedQuestion, QuestionPart


def files(folder):
    return {item.name: item.read_bytes() for item in folder.iterdir()}


def test_the_layout_of_the_original(tmp_path):
    write_parts(tmp_path)
    found = embed_contexts(tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="h")
    assert (found.items, found.vectors, found.empty, found.dim) == (25, 5 * 18, 5, 4)
    assert found.words == 5 * sum(len(text.split()) for text in CONTEXTS)
    names = sorted(item.name for item in (tmp_path / "c").glob("*.npz"))
    assert len(names) == 25 and {"AC%2FDC_0.npz", "ac%2Fdc%-2_0.npz", "%2E._4.npz", "_2.npz"} <= set(names)
    assert json.loads((tmp_path / "c" / "AC%2FDC_3.json").read_text()) == ["zwei", "drei", "vier"]
    with np.load(tmp_path / "c" / "AC%2FDC_3.npz") as rows:
        assert rows["arr_0"].shape == (3, 4)
    with np.load(tmp_path / "c" / "AC%2FDC_1.npz") as rows:
        assert rows["arr_0"].shape == (0, 4)
    size = sum(item.stat().st_size for item in (tmp_path / "c").iterdir() if item.name != "textkin.json")
    assert found.bytes == size and found.bytes_per_word == size / found.words
    asked = embed_questions(tmp_path / "q.json", tmp_path / "q", Tiny(), model_hash="h")
    assert (asked.items, asked.vectors) == (25, 25)
    with np.load(tmp_path / "q" / "0%2F0.npz") as rows:
        assert rows["arr_0"].shape == (1, 4)


def test_metadata(tmp_path):
    write_parts(tmp_path)
    embed_contexts(
        tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="h", options=EmbedOptions(with_texts=True)
    )
    assert json.loads((tmp_path / "c" / "AC%2FDC_3.json").read_text()) == {
        "phrases": ["zwei", "drei", "vier"],
        "context": "zwei drei vier",
        "answer_spans": [[0, 4], [5, 9], [10, 14]],
    }


def test_a_zip_file_has_the_same_files(tmp_path):
    write_parts(tmp_path)
    for out in ("c", "c.zip"):
        embed_contexts(tmp_path / "c.json", tmp_path / out, Tiny(), model_hash="h")
    with zipfile.ZipFile(tmp_path / "c.zip") as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == files(tmp_path / "c")


@pytest.mark.slow
def test_smaller_types_are_smaller(tmp_path):
    write_parts(tmp_path, repeat=2)
    sizes = []
    for dtype in ("float32", "float16", "int8"):
        options = EmbedOptions(dtype=dtype)
        found = embed_contexts(
            tmp_path / "c.json", tmp_path / dtype, Tiny(dim=512), model_hash="h", options=options
        )
        sizes.append(found.bytes_per_word)
    assert sizes[0] > 1.7 * sizes[1] > 1.7 * 1.5 * sizes[2]
    with pytest.raises(UsageError) as error:
        EmbedOptions(dtype="float8")
    assert error.value.params == ("dtype",)


def test_fewer_phrases(tmp_path):
    write_parts(tmp_path)
    found = embed_contexts(
        tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="h", options=EmbedOptions(per_passage=2)
    )
    assert found.vectors == 5 * sum(min(2, len(text.split())) for text in CONTEXTS)


@pytest.mark.parametrize("stop", [0, 40, 130])
def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, stop):
    write_parts(tmp_path, repeat=6)
    monkeypatch.setattr(embed, "_NOTED_EVERY", 64)
    whole = embed_contexts(tmp_path / "c.json", tmp_path / "whole", Tiny(), model_hash="h")
    with pytest.raises(KeyboardInterrupt):
        embed_contexts(tmp_path / "c.json", tmp_path / "c", Tiny(fail_at=stop), model_hash="h")
    assert not (tmp_path / "c").exists()
    again = Tiny()
    found = embed_contexts(tmp_path / "c.json", tmp_path / "c", again, model_hash="h")
    assert len(again.seen) == {0: 150, 40: 118, 130: 22}[stop]
    assert files(tmp_path / "c") == files(tmp_path / "whole")
    assert (found.vectors, found.words, found.empty) == (whole.vectors, whole.words, whole.empty)


def test_what_is_there_is_made_once_and_never_mixed(tmp_path):
    write_parts(tmp_path)
    first = embed_contexts(tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="h")
    idle = Tiny()
    again = embed_contexts(tmp_path / "c.json", tmp_path / "c", idle, model_hash="h")
    assert again.already and not first.already and not idle.seen and again.bytes == first.bytes
    with pytest.raises(OutputError):
        embed_contexts(tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="other")
    with pytest.raises(OutputError):
        embed_contexts(
            tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="h", options=EmbedOptions(dtype="int8")
        )
    write_parts(tmp_path, repeat=2)
    with pytest.raises(OutputError):
        embed_contexts(tmp_path / "c.json", tmp_path / "c", Tiny(), model_hash="h")
    with pytest.raises(OutputError):
        embed_questions(tmp_path / "q.json", tmp_path / "c", Tiny(), model_hash="h")


def test_neither_side_is_given_the_others_texts(tmp_path):
    asked = write_parts(tmp_path)
    contexts, questions = Tiny(), Tiny()
    (tmp_path / "q.json").rename(tmp_path / "away")
    embed_contexts(tmp_path / "c.json", tmp_path / "c", contexts, model_hash="h")
    (tmp_path / "away").rename(tmp_path / "q.json")
    (tmp_path / "c.json").unlink()
    embed_questions(tmp_path / "q.json", tmp_path / "q", questions, model_hash="h")
    assert set(contexts.seen) == set(CONTEXTS)
    assert set(questions.seen) == {question for question, _ in asked.values()}


def test_no_such_file(tmp_path):
    with pytest.raises(DataError) as error:
        embed_contexts(tmp_path / "none", tmp_path / "c", Tiny(), model_hash="h")
    assert str(error.value.path).endswith("none")
    assert not list(tmp_path.iterdir())


HOSTILE = ["AC/DC", "AC%2FDC", "..", ".", "", "", "a\0b", "x" * 400, "x" * 401, "É", "É", "éa", "ÉA", "nul\n"]


def test_safe_names_stay():
    names = ["Super_Bowl_50", "Beyonc%C3%A9", "Pub_rock_(Australia)", "Ω mega", "56be4db0acb8001400a502ec"]
    assert safe_names(names) == names


def test_what_is_said_of_others():
    assert safe_names(["AC/DC", "AC%2FDC", "it", "IT", "it", ".git"]) == [
        *("AC%2FDC", "AC%2FDC%-2", "it", "IT%-2", "it%-3", "%2Egit"),
    ]


def check(names):
    found = safe_names(names)
    assert len({unicodedata.normalize("NFC", name).casefold() for name in found}) == len(names)
    for name in found:
        assert not set(name) & set('/\\:*?"<>|\0\n') and not name.startswith(".")
        assert len(name.encode("utf-8", "surrogatepass")) <= 220


def test_hostile_names():
    check(HOSTILE)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=12))
def test_any_names(names):
    check(names)


@given(st.lists(st.sampled_from(["a", "A", "a%-2", "a%-3", "a/b", "a%2Fb", "ß", "ss"]), max_size=10))
def test_names_that_look_like_made_ones(names):
    check(names)


def test_both_sides_give_a_paragraph_one_name(tmp_path):
    titles = tuple(HOSTILE)
    contexts = ContextPart(titles, tuple(("one", "two") for _ in titles))
    places = [(article, place) for article in range(len(titles)) for place in range(2)]
    questions = QuestionPart(titles, tuple(PlacedQuestion(str(each), "?", *each) for each in places))
    names = [name for article in paragraph_names(contexts) for name in article]
    assert asked_paragraph_names(questions) == names and len(set(names)) == len(names)
    assert raw_paragraph_names(questions)[:2] == ["AC/DC_0", "AC/DC_1"]
    for name in names:
        (tmp_path / f"{name}.json").write_text("")
    assert len(list(tmp_path.iterdir())) == len(names)

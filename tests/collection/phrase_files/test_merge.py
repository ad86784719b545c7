from __future__ import annotations

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tests.collection.phrase_files.tiny import Tiny, vector, write_parts
from tests.reference.phrases import best_phrase
from textkin.base.errors import DataError
from textkin.collection.phrase_files.embed import EmbedOptions, embed_contexts, embed_questions
from textkin.collection.phrase_files.merge import decide, merge, open_entries

METRICS = ("ip", "l2", "l1")


def both(folder, encoder, options=None, ending=""):
    for function, name in ((embed_contexts, "c"), (embed_questions, "q")):
        function(
            folder / f"{name}.json", folder / f"{name}{ending}", encoder, model_hash="h", options=options
        )
    return folder / f"c{ending}", folder / f"q{ending}"


def expected(asked, metric):
    """The answer to each question by loops over both texts together, and the number of ties."""
    answers, ties = {}, 0
    for name, (question, context) in asked.items():
        words = context.split()
        if words:
            rows = [vector(word, 4).tolist() for word in words]
            best, tied = best_phrase(rows, vector(question, 4).tolist(), metric)
            answers[name] = words[best]
            ties += tied
    return answers, ties


@pytest.mark.parametrize("ending", ["", ".zip"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("metric", METRICS)
def test_answers_are_those_of_both_sides_together(tmp_path, metric, sparse, ending):
    asked = write_parts(tmp_path)
    found = merge(*both(tmp_path, Tiny(sparse=sparse), ending=ending), metric=metric)
    answers, ties = expected(asked, metric)
    assert found.answers == answers and found.tied == ties > 0
    assert (found.questions, found.without_phrases) == (25, 5)
    assert (found.without_contexts, found.without_vectors) == (0, 0)
    found.write(tmp_path / "pred.json")
    assert json.loads((tmp_path / "pred.json").read_text()) == answers


def test_metrics_differ():
    phrases, question = np.array([[4, 1], [3, 3], [9, 9]], "f4"), np.array([[1, 1]], "f4")
    assert [decide(phrases, question, metric)[0].tolist() for metric in METRICS] == [[2], [1], [0]]


ENCODE = """
import sys
from pathlib import Path
from tests.collection.phrase_files.tiny import Tiny
from textkin.collection.phrase_files import embed
side, data, out = sys.argv[1:]
assert len(list(Path(data).parent.iterdir())) == 1
getattr(embed, side)(data, out, Tiny(), model_hash="h")
"""


@pytest.mark.slow
def test_the_sides_in_processes_that_have_no_file_of_the_other(tmp_path):
    asked = write_parts(tmp_path)
    for name, side in (("c", "embed_contexts"), ("q", "embed_questions")):
        (tmp_path / side).mkdir()
        alone = (tmp_path / f"{name}.json").rename(tmp_path / side / f"{name}.json")
        subprocess.run([sys.executable, "-c", ENCODE, side, alone, tmp_path / name], check=True)
    found = merge(tmp_path / "c", tmp_path / "q")
    assert found.answers == expected(asked, "ip")[0]


rows = st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=9)


@given(rows, rows, st.sampled_from(METRICS), st.booleans())
def test_decisions_are_what_loops_give(phrases, questions, metric, sparse):
    kind = csr_array if sparse else np.array
    best, tied = decide(kind(np.array(phrases, "f4")), kind(np.array(questions, "f4")), metric)
    found = list(zip(best.tolist(), tied.tolist(), strict=True))
    assert found == [best_phrase(phrases, question, metric) for question in questions]


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_smaller_types_decide_nearly_the_same(tmp_path, dtype):
    asked = write_parts(tmp_path)
    found = merge(*both(tmp_path, Tiny(), EmbedOptions(dtype=dtype)))
    answers = expected(asked, "ip")[0]
    assert np.mean([found.answers[name] == answer for name, answer in answers.items()]) > 0.7


def test_files_of_another_program(tmp_path):
    document = {
        "data": [{"title": "Beyonc%C3%A9: a life?", "paragraphs": [{"qas": [{"id": "1", "question": "?"}]}]}]
    }
    (tmp_path / "q.json").write_text(json.dumps(document))
    for name in ("c", "q"):
        (tmp_path / name).mkdir()
    place = tmp_path / "c" / "Beyonc%C3%A9: a life?_0"
    np.savez(f"{place}.npz", np.eye(2))
    place.with_name(f"{place.name}.json").write_text('["a", "b"]')
    np.savez_compressed(tmp_path / "q" / "1.npz", np.array([[1, 3]]))
    assert merge(tmp_path / "c", tmp_path / "q", questions=tmp_path / "q.json").answers == {"1": "b"}


def test_what_is_missing_is_counted(tmp_path):
    asked = write_parts(tmp_path)
    files = both(tmp_path, Tiny())
    (tmp_path / "c" / "AC%2FDC_0.npz").unlink()
    (tmp_path / "c" / "AC%2FDC_0.json").unlink()
    (tmp_path / "q" / "0%2F2.npz").unlink()
    found = merge(*files)
    assert (found.without_contexts, found.without_vectors, found.without_phrases) == (1, 1, 5)
    assert len(found.answers) == len(asked) - 7
    assert found.rows()[0]["answers"] == 18


def test_two_models_are_not_mixed(tmp_path):
    write_parts(tmp_path)
    both(tmp_path, Tiny())
    embed_questions(tmp_path / "q.json", tmp_path / "q2", Tiny(name="tinier"), model_hash="other")
    with pytest.raises(DataError, match=r"made by tiny and .*tinier"):
        merge(tmp_path / "c", tmp_path / "q2", questions=tmp_path / "q.json")
    with pytest.raises(DataError) as error:
        merge(tmp_path / "c", tmp_path / "c", questions=tmp_path / "q.json")
    assert str(error.value.path).endswith("c")
    (tmp_path / "q2" / "textkin.json").unlink()
    np.savez(tmp_path / "q2" / "0%2F0.npz", np.ones((1, 5)))
    with pytest.raises(DataError, match="1 rows of 5, expected 1 of 4"):
        merge(tmp_path / "c", tmp_path / "q2", questions=tmp_path / "q.json")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("AC%2FDC_0.json", None, "one is missing"),
        ("AC%2FDC_0.npz", None, "one is missing"),
        ("AC%2FDC_0.json", b'["a"]', "6 rows for 1 phrases"),
        ("AC%2FDC_0.json", b'["a", 1]', "no list of phrases"),
        ("AC%2FDC_0.json", b"[", "is broken"),
        ("AC%2FDC_0.json", b'["\\ud800", "b", "c", "d", "e", "f"]', "no list of phrases"),
        ("textkin.json", b"[" * 100_000, "is broken"),
        ("AC%2FDC_0.npz", b"PK", "no rows of numbers"),
    ],
)
def test_broken_files_are_refused(tmp_path, name, content, told):
    write_parts(tmp_path)
    files = both(tmp_path, Tiny())
    if content is None:
        (tmp_path / "c" / name).unlink()
    else:
        (tmp_path / "c" / name).write_bytes(content)
    with pytest.raises(DataError, match=told):
        merge(*files)


@pytest.mark.parametrize("sparse", [False, True])
def test_no_answer_is_one_more_phrase_of_every_paragraph(tmp_path, sparse):
    asked = write_parts(tmp_path)
    encoder = Tiny(sparse=sparse)
    encoder.nothing = np.array([1, 2, 0, -1], dtype=np.float32)
    found = merge(*both(tmp_path, encoder)).answers
    answers = set()
    for name, (question, context) in asked.items():
        [phrases], vector = Tiny().phrases([context]), Tiny().questions([question])[0]
        scores = [encoder.nothing @ vector, *(phrases.vectors @ vector)]  # of equals none
        best = int(np.argmax(scores))
        texts = [context[start:end] for start, end in phrases.offsets.tolist()]
        answers.add(found[name] == "")
        assert found[name] == ["", *texts][best]
    assert answers == {False, True}
    stored = json.loads((tmp_path / "c" / "AC%2FDC_0.json").read_text())
    assert stored[0] == "" and "" not in stored[1:]


@pytest.fixture(params=["folder", "zip"])
def place(request, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.json").write_text("[]")
    (folder / "textkin.json").write_text('{"made_of": {}}')
    if request.param == "folder":
        return folder
    with zipfile.ZipFile(tmp_path / "files.zip", "w") as packed:
        for item in folder.iterdir():
            packed.write(item, item.name)
    return tmp_path / "files.zip"


def test_files_are_read(place):
    with open_entries(place) as found:
        assert found.read("a.json") == b"[]"
        assert found.manifest == {"made_of": {}}
        for name in ("b.json", "", "..", "../files/a.json", "a.json\0", "x" * 300):
            assert found.read(name) is None


def test_other_programs_write_no_manifest(tmp_path):
    with open_entries(tmp_path) as found:
        assert found.manifest is None


@pytest.mark.parametrize("content", ["[]", "{", "\udcff"])
def test_a_broken_manifest(tmp_path, content):
    (tmp_path / "textkin.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError) as error, open_entries(tmp_path):
        pass
    assert str(error.value.path).endswith("textkin.json")


def test_no_such_place(tmp_path):
    (tmp_path / "text").write_text("no zip file")
    for name, told in [("none", "no such folder"), ("text", "not a zip file that can be read")]:
        with pytest.raises(DataError, match=told), open_entries(tmp_path / name):
            pass


def test_a_broken_entry(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.json", "text that will be changed")
    path.write_bytes(path.read_bytes().replace(b"that will be", b"that was not"))
    with open_entries(path) as found, pytest.raises(DataError) as error:
        found.read("a.json")
    assert str(error.value.path).endswith("x.zip/a.json")


@pytest.mark.slow
def test_an_entry_that_unpacks_to_very_much(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.json", bytes(1 << 27))
    with open_entries(path) as found, pytest.raises(DataError) as error:
        found.read("a.json")
    assert str(error.value.path).endswith("x.zip/a.json")

"""Scores, matches, searches, documents, answers, choices and explanations, over HTTP."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import textkin as tk
from tests.server.asking import TEXTS, Client, another_folder, client_of
from textkin.base.errors import VerifyError
from textkin.server.open_service import Served, open_service
from textkin.server.served_model import ServedModel
from textkin.server.service import Service


@pytest.fixture
def changing(folder: Path, tmp_path: Path) -> Iterator[Client]:
    """A collection that a test may change."""
    place = tmp_path / "copy.kin"
    shutil.copytree(folder, place)
    service = open_service(Served(models=("default",), collections=(str(place),)))
    yield client_of(service)
    service.close()


def test_scores_come_with_the_passport(client: Client) -> None:
    pairs = [["Where can I park?", "where to park"], ["Where can I park?", "When do you open?"]]
    found = client.post("/score", {"pairs": pairs}).json()
    expected = tk.score([tuple(one) for one in pairs]).scores
    assert np.allclose([one["score"] for one in found["pairs"]], expected, atol=1e-6)
    model = client.service.models["default"]
    assert found["passport"] == model.passport.sha256 != "" and found["threshold"] is None
    assert "same" not in found["pairs"][0] and found["truncated"] == 0


@pytest.mark.parametrize("blank", ["", " ", "\u3000\n"])
def test_a_blank_text_has_no_score(client: Client, blank: str) -> None:
    pairs = [["a b", blank], ["Where can I park?", "where to park"], [blank, blank]]
    first, found, last = client.post("/score", {"pairs": pairs}).json()["pairs"]
    assert (
        first == last == {"score": None}
        and found == client.post("/score", {"pairs": pairs[1:2]}).json()["pairs"][0]
    )
    assert client.post("/score", {"pairs": pairs[:1]}).json()["pairs"] == [first]


@pytest.mark.torch
def test_a_threshold_that_travels_with_its_model_decides(tmp_path: Path) -> None:
    from textkin.data import samples

    pairs = samples.pairs("support-desk")
    model = tmp_path / "model"
    shutil.copytree(Path(tk.__file__).parent / "models" / "box" / "default", model)
    decision = tmp_path / "decision.json"
    tk.calibrate(pairs, model, out=decision)
    tk.verify(model, accept_drift=True, decision=decision, out=model)
    service = open_service(Served(models=(f"tuned={model}",)))
    found = client_of(service).post("/score", {"pairs": [["a b", "a b"], ["a b", "x y"]]}).json()
    service.close()
    assert [one["same"] for one in found["pairs"]] == [True, False]
    assert found["pairs"][0]["probability"] > found["pairs"][1]["probability"]
    assert found["threshold"] is not None and len(found["precision_interval"]) == 2
    shutil.copytree(Path(tk.__file__).parent / "models" / "box" / "minilm", tmp_path / "other")
    shutil.copy(model / "passport.json", tmp_path / "other")
    with pytest.raises(VerifyError):
        open_service(Served(models=(str(tmp_path / "other"),)))


def test_search_finds_and_says_by_what(client: Client) -> None:
    found = client.post("/search", {"query": "Where can we park?", "k": 2}).json()
    assert found["hits"][0]["id"] == "a" and len(found["hits"]) == 2
    assert found["collection"] == "notes" and found["model"] == "default" and found["passport"]
    both = client.post(
        "/search", {"queries": ["park", "open"], "mode": "words", "collection": "notes"}
    ).json()
    assert [one["hits"][0]["id"] for one in both["results"]] == ["a", "b"]
    assert client.post("/search", {"query": "a", "where": "n >= 1"}).json()["hits"][0]["id"] == "c"
    for wrong in ({}, {"query": "a", "queries": ["b"]}, {"query": "a", "where": "("}, {"query": "a", "k": 0}):
        assert client.post("/search", wrong).status_code == 422, wrong
    assert client.post("/search", {"query": "a", "collection": "other"}).status_code == 404


def test_search_says_what_it_could_not_look_for(client: Client) -> None:
    found = client.post("/search", {"query": "xyzzy", "mode": "words", "where": "m = 1"}).json()
    assert (found["hits"], found["unmatched"]) == ([], "unknown words")
    assert found["remark"] == "nothing found: no entry has any of the query's words"
    assert found["filter_notes"] == ["no entry has the metadata 'm', which the filter asks for"]
    near = client.post("/search", {"query": "park", "mode": "vectors"}).json()["hits"]
    least = {"query": "park", "mode": "vectors", "min_score": near[0]["score"]}
    assert [one["id"] for one in client.post("/search", least).json()["hits"]] == [near[0]["id"]]
    for wrong in ({"min_score": 0.5}, {"min_score": 2, "mode": "vectors"}):
        answer = client.post("/search", {"query": "park", **wrong})
        assert (answer.status_code, answer.json()["param"]) == (422, "min_score"), wrong


def test_match_tells_duplicates_from_new_texts_and_counts_verdicts(client: Client) -> None:
    texts = ["where can I park", "Do you sell tea?"]
    found = client.post("/match", {"texts": texts, "threshold": 0.8}).json()
    assert [one["verdict"] for one in found["matches"]] == ["duplicate", "new"]
    assert found["matches"][0]["nearest"] == {"id": "a", "text": TEXTS[0]} and found["rule"]
    assert (
        'textkin_match_verdicts_total{collection="notes",verdict="new"}' in client.ask("GET", "/metrics").text
    )
    unfitted = client.post("/match", {"texts": texts}).json()
    assert unfitted["fitted"] is False and "textkin calibrate" in unfitted["rule"][0]


def test_documents_come_go_and_are_found_at_once(changing: Client) -> None:
    new = {"id": "t", "text": "Do you sell tea?", "metadata": {"lang": "en"}}
    added = changing.post("/documents", {"documents": [new, {"text": "No id"}]}).json()
    assert added["new"] == 2 and added["ids"][0] == "t"
    assert changing.post("/search", {"query": "tea", "k": 1}).json()["hits"][0]["id"] == "t"
    got = changing.ask("GET", f"/documents?id=t&id={added['ids'][1]}&id=none").json()
    assert got["documents"][0] == new and got["missing"] == ["none"]
    assert changing.ask("GET", "/documents?id=none").status_code == 404
    assert changing.ask("GET", "/documents").status_code == 422
    assert changing.ask("DELETE", "/documents", json={"ids": ["t"]}).json()["removed"] == 1
    assert changing.ask("DELETE", "/documents", json={"where": "lang = 'en'"}).json()["removed"] == 0
    odd = changing.ask("DELETE", "/documents", json={"where": "m = 1"}).json()
    told = ["no entry has the metadata 'm', which the filter asks for"]
    assert (odd["removed"], odd["filter_notes"]) == (0, told)
    for wrong in ({}, {"ids": ["a"], "where": "n = 1"}):
        assert changing.ask("DELETE", "/documents", json=wrong).status_code == 422
    blank = changing.post("/documents", {"documents": [{"text": " "}]})
    assert blank.status_code == 422
    assert changing.ask("GET", "/collections").json()["collections"][0]["entries"] == 4


def test_documents_of_one_request_with_one_id_are_refused(changing: Client) -> None:
    twice = [{"id": "t", "text": "Do you sell tea?"}, {"id": "t", "text": "Do you sell coffee?"}]
    answer = changing.post("/documents", {"documents": twice})
    assert answer.status_code == 422 and "the id 't' comes twice" in answer.json()["error"]
    assert changing.ask("GET", "/documents?id=t").status_code == 404, "nothing is stored"
    same = changing.post("/documents", {"documents": [{"text": "No id"}, {"text": "No id"}]}).json()
    assert (same["given"], same["new"], same["unchanged"]) == (2, 1, 1)


def test_match_and_add_links_what_it_has_just_stored(changing: Client) -> None:
    body = {"texts": ["Do you sell tea?", "do you sell tea"], "threshold": 0.8}
    found = changing.post("/match/add", body).json()["matches"]
    assert [one["verdict"] for one in found] == ["new", "duplicate"] and all(one["stored"] for one in found)


def test_explain_two_texts_or_a_hit(client: Client) -> None:
    found = client.post("/explain", {"a": "park here", "b": "car park"}).json()
    assert found["method"] == "shares" and found["first_tokens"][0]["token"] == "park"
    hit = client.post("/explain", {"query": "park", "ids": ["a"]}).json()
    assert hit["explained"][0]["id"] == "a" and hit["missing"] == []
    some = client.post("/explain", {"query": "park", "ids": ["none", "b"]}).json()
    assert [one["id"] for one in some["explained"]] == ["b"] and some["missing"] == ["none"]
    assert client.post("/explain", {"query": "park", "ids": ["none"]}).status_code == 404
    for wrong in ({}, {"a": "x"}, {"query": "x"}, {"a": "x", "b": "y", "query": "z"}):
        assert client.post("/explain", wrong).status_code == 422


def test_choose_takes_the_likeliest_choice(client: Client) -> None:
    asked = {"question": "Which animal barks?", "choices": ["a cat", "a barking dog"]}
    found = client.post("/choose", {"questions": [asked]}).json()["questions"][0]
    assert (found["letter"], found["choice"]) == ("B", "a barking dog") and len(found["scores"]) == 2
    assert client.post("/choose", {"questions": [{"question": "a", "choices": ["b"]}]}).status_code == 422


class Years:
    """Answers with the first number of four digits, or nothing."""

    name = "years"

    def read(self, questions: Any, passages: Any, *, k: int = 1) -> Any:
        import re

        found = []
        for passage in passages:
            year = re.search(r"\d{4}", passage)
            spans = [tk.SpanAnswer(0, 0, "", 0.0, 0.1 if year else 0.9)]
            if year:
                spans.insert(0, tk.SpanAnswer(*year.span(), year[0], 2.0, 0.9))
            found.append(spans)
        return found


def test_answers_out_of_passages_and_collections(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr("textkin.server.served_model.open_model", lambda place: Years())
    reader = ServedModel("years", another_folder(tmp_path / "years"))
    monkeypatch.undo()
    with_collection = open_service(Served(models=("default",), collections=(str(folder),)))
    service = Service([reader], list(with_collection.collections.values()))
    asking = client_of(service)
    passages = ["Nothing here.", "The mill was built in 1911."]
    found = asking.post("/answer", {"question": "When was it built?", "passages": passages}).json()
    (best,) = found["answers"]
    assert best["text"] == "1911" == passages[1][best["start"] : best["end"]] and not found["is_none"]
    nothing = asking.post("/answer", {"question": "Where can I park?", "most_passages": 2}).json()
    assert nothing["is_none"] and nothing["answers"] == [] and nothing["no_answer"] == pytest.approx(0.9)
    assert nothing["filter_notes"] == []
    asked = {"question": "Where can I park?", "where": "m = 1"}
    odd = asking.post("/answer", asked).json()
    assert odd["is_none"] and odd["filter_notes"] == [
        "no entry has the metadata 'm', which the filter asks for"
    ]
    everything = asking.post("/answer", {"question": "Where can I park?", "most_passages": 0})
    assert (everything.status_code, everything.json()["param"]) == (422, "most_passages")
    assert asking.post("/score", {"pairs": [["a", "b"]]}).status_code == 424
    service.close()
    with_collection.batcher.close()


def test_what_hits_and_queries_share_is_marked_if_asked_for(client: Client) -> None:
    body = {"query": "to park", "k": 3}
    assert all(one["highlights"] is None for one in client.post("/search", body).json()["hits"])
    hits = client.post("/search", {**body, "highlight": True}).json()["hits"]
    marked = [[one["text"][start:end] for start, end in one["highlights"]] for one in hits]
    assert all((words != []) == (one["bm25"] is not None) for words, one in zip(marked, hits, strict=True))
    assert {word for words in marked for word in words} == {"park"}


def test_verdicts_come_with_limits_and_differences(client: Client) -> None:
    body = {"texts": ["Where can we park?", "zzz"], "threshold": 0.8}
    found = client.post("/match", body).json()
    assert found["limits"] == {"duplicate": 0.8, "ask": None} and found["matches"][0]["differences"] is None
    found = client.post("/match", {**body, "differences": True}).json()["matches"]
    one, other = found[0]["differences"]["text"], found[0]["differences"]["nearest"]
    nearest = found[0]["nearest"]["text"]
    assert ["Where can we park?"[start:end] for start, end in one] == ["we"]
    assert [nearest[start:end] for start, end in other] == ["I"]
    assert client.post("/match/add", {**body, "draft": True}).status_code == 422


def test_a_draft_is_neither_watched_nor_counted(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "copy.kin"
    shutil.copytree(folder, place)
    service = open_service(Served(models=("default",), collections=(str(place),)))
    client = client_of(service)
    for draft, counted in ((True, False), (False, True)):
        client.post("/match", {"texts": ["Where can I park?"], "threshold": 0.8, "draft": draft})
        assert (b"textkin_match_verdicts_total{" in service.metrics.text()) is counted
    service.close()


def test_an_empty_list_of_passages_is_no_question_to_the_collection(client: Client) -> None:
    found = client.post("/answer", {"question": "When?", "passages": []})
    assert found.status_code == 422 and found.json()["param"] == "passages"


@pytest.mark.parametrize("blank", ["", " ", "\u3000"])
def test_a_blank_text_is_refused_wherever_it_is_asked_for(client: Client, blank: str) -> None:
    asked = {
        "/search": {"query": blank},
        "/match": {"texts": [blank]},
        "/explain": {"a": "a text", "b": blank},
    }
    for path, body in asked.items():
        assert client.post(path, body).status_code == 422, path

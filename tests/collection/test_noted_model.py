"""Models that a collection accepts: its own and copies of it, by its passport."""

from __future__ import annotations

import json
import shutil
import sqlite3

import numpy as np
import pytest

import textkin as tk
from tests.models.interop import tiny
from tests.models.passports.copies import TAMPERED
from textkin.base.errors import DataError, VerifyError
from textkin.base.hub import located
from textkin.collection import noted_model
from textkin.collection.contents import passport_of_collection, repair
from textkin.collection.noted_model import CheckedModels, KnownModel
from textkin.kinds.systems.passports import make_passport, passport_of_opened
from textkin.measures.decisions.match_rule import MatchGoal
from textkin.vectors.groups.guards import STANDARD

pytestmark = pytest.mark.torch

TEXTS = ["Where can I park?", "When do you open?", "Do you lend laptops?"]


class Turned:
    """An encoder of letters that counts its calls, and can be made to fail."""

    name, dim = "turned", 26

    def __init__(self, shift=0, fails=False):
        self.shift, self.fails, self.asked = shift, fails, 0

    def encode(self, texts, *, side="document"):
        self.asked += len(texts)
        if self.fails and any(text not in TEXTS for text in texts):
            raise RuntimeError("these are no texts of mine")
        places = [97 + (n + self.shift) % 26 for n in range(26)]
        return np.array([[1 + text.lower().count(chr(one)) for one in places] for text in texts], np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    layers = (lambda: Dense(tiny.WIDTH, 12), Normalize)
    prompts = {"query": "query: ", "document": "passage: "}
    return tiny.write_theirs(
        tmp_path_factory.mktemp("model") / "tiny", "bert", *layers, max_length=32, prompts=prompts
    )


@pytest.fixture(scope="module")
def collection(folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("collection") / "c"
    with tk.open_collection(place, model=folder, create=True) as made:
        made.add(TEXTS)
    return place


def test_the_passport_of_a_collection_is_that_of_its_model(folder, collection):
    """The verdicts of textkin and the programs in examples/ on twenty copies then hold for both.

    tests/models/passports/test_tampered.py tests opening a collection with each of these copies.
    """
    of_collection, of_model = passport_of_collection(collection).to_dict(), make_passport(folder).to_dict()
    assert of_collection.pop("guards") and of_model.pop("guards"), "a collection has guards of its own"
    assert of_collection == of_model


def test_drift_is_accepted_and_told(folder, collection, tmp_path, capsys):
    other = TAMPERED["another checkpoint"](folder, tmp_path / "made")
    with tk.open_collection(collection, model=other, accept_drift=True) as opened:
        assert opened.model.checked is not None and not opened.model.checked.accepted
        assert opened.search("parking", k=1).hits[0]
    assert "mean cosine" in capsys.readouterr().err


def test_a_model_of_another_width_can_not_be_accepted(collection):
    with pytest.raises(VerifyError) as error, tk.open_collection(collection, model="minilm") as opened:
        opened.search("parking")
    assert error.value.fix == "give that model"


def test_canaries_are_encoded_once_for_the_same_files(folder, tmp_path, monkeypatch):
    with tk.open_collection(tmp_path / "c", model=folder, create=True) as made:
        made.add(TEXTS)
    copy = shutil.copytree(folder, tmp_path / "copy")
    asked = []

    def made_anew(*given, **more):
        asked.append(given)
        return passport_of_opened(*given, **more)

    monkeypatch.setattr("textkin.collection.collection_model.passport_of_opened", made_anew)
    (tmp_path / "c" / "cache" / "models.json").unlink()
    for _ in range(2):
        with tk.open_collection(tmp_path / "c", model=copy) as opened:
            opened.search("parking")
    assert len(asked) == 1
    config = copy / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()), indent=3))  # other bytes: the hash differs
    tk.open_collection(tmp_path / "c", model=copy).close()
    assert len(asked) == 2
    (tmp_path / "c" / "cache" / "models.json").write_text("{")  # unreadable values aren't trusted
    tk.open_collection(tmp_path / "c", model=copy).close()
    assert len(asked) == 3


def test_objects_are_known_by_what_they_say(places):
    with tk.open_collection(places / "c", model=Turned(), create=True) as made:
        made.add(TEXTS)
    with tk.open_collection(places / "c", model=Turned()) as opened:
        assert opened.search("park", k=1).hits[0]
    with pytest.raises(VerifyError):
        tk.open_collection(places / "c", model=Turned(shift=3))


def test_an_object_that_fails_on_canaries_is_known_by_its_name(places, capsys):
    with tk.open_collection(places / "c", model=Turned(fails=True), create=True) as made:
        assert made.add(TEXTS).new == 3
    assert "gets no passport" in capsys.readouterr().err
    assert tk.collection_info(places / "c").passport is None
    with tk.open_collection(places / "c", model=Turned(fails=True)) as opened:
        assert len(opened) == 3


def test_a_collection_without_a_passport_gets_one_at_the_next_add(tmp_path, capsys):
    with tk.open_collection(tmp_path / "c", create=True) as made:
        made.add(TEXTS)
        made.store.note_fact("passport", None)
    capsys.readouterr()
    copy = shutil.copytree(located("default"), tmp_path / "copy")
    (copy / "config.json").write_text((copy / "config.json").read_text() + " ")
    with pytest.raises(VerifyError):
        tk.open_collection(tmp_path / "c", model=copy, accept_drift=True)
    with tk.open_collection(tmp_path / "c") as opened:
        assert opened.search("parking").hits[0]
        assert tk.collection_info(tmp_path / "c").passport is None
        opened.add(["Is there a café?"])
    assert "had no passport of its model" in capsys.readouterr().err
    assert set(passport_of_collection(tmp_path / "c").guards) == set(STANDARD)
    tk.open_collection(tmp_path / "c", model=copy).close()


def test_who_opened_a_new_collection_beside_others_tells_of_no_missing_passport(tmp_path, capsys):
    with tk.open_collection(tmp_path / "c", create=True) as one, tk.open_collection(tmp_path / "c") as other:
        one.add(TEXTS)
        other.add(["Is there a café?"])
        assert len(one) == len(TEXTS) + 1
    assert "passport" not in capsys.readouterr().err


def test_a_damaged_passport_is_refused_and_made_again(tmp_path, capsys):
    with tk.open_collection(tmp_path / "c", create=True) as made:
        made.add(TEXTS)
        sealed = made.store.fact("passport")
        sealed["passport"]["says"]["document"]["shape"] = [128, 64]
        made.store.note_fact("passport", sealed)
    (tmp_path / "c" / "cache" / "models.json").unlink()
    with (
        pytest.raises(DataError, match="passport is not what was written"),
        tk.open_collection(tmp_path / "c") as c,
    ):
        c.search("parking")
    assert repair(tmp_path / "c").count == 3
    with tk.open_collection(tmp_path / "c") as opened:
        opened.add(["one more"])
    assert passport_of_collection(tmp_path / "c").model == "default"


def test_repair_of_a_damaged_database_keeps_the_passport(tmp_path):
    with tk.open_collection(tmp_path / "c", create=True) as made:
        made.add(TEXTS)
    before = passport_of_collection(tmp_path / "c").to_dict()
    base = sqlite3.connect(tmp_path / "c" / "collection.sqlite")
    base.execute("UPDATE texts SET checksum = 1 WHERE number = 2")
    base.commit()
    base.close()
    assert repair(tmp_path / "c").count == 2
    assert passport_of_collection(tmp_path / "c").to_dict() == before


def test_the_passport_holds_what_was_fitted_here(tmp_path):
    rooms = ["red", "blue", "green", "small", "cold", "big", "new", "old", "dark", "warm"]
    texts = [f"the {one} room" for one in rooms] + [f"a {one} room" for one in rooms]
    groups = [{"group": one} for one in [*rooms, *rooms[:5], *(f"other {one}" for one in rooms[5:])]]
    with tk.open_collection(tmp_path / "c", create=True) as made:
        made.add(texts, metadata=groups)
        assert passport_of_collection(tmp_path / "c").matches is None
        labels = made.fit_matching(groups="group", guards=("numbers",))
    found = passport_of_collection(tmp_path / "c")
    assert found.matching is not None and found.guards == ("numbers",)
    rule = labels.rule(MatchGoal())
    assert (found.matching.duplicate_from, found.matching.ask_from) == (rule.duplicate_from, rule.ask_from)
    assert found.matching.base_rate == labels.base_rate.value
    assert tk.collection_info(tmp_path / "c").passport["at base rate"] == labels.base_rate.value


@pytest.mark.parametrize(
    "facts", ["x", {"nam": "x", "sha256": None}, {"name": 3, "sha256": None}, {"name": "x"}]
)
def test_what_is_noted_of_the_model_may_be_damaged(tmp_path, facts):
    with tk.open_collection(tmp_path / "c", model=Turned(), create=True) as made:
        made.add(TEXTS)
        made.store.note_fact("model", facts)
    with pytest.raises(DataError, match="what is noted of the model is not what was written"):
        tk.open_collection(tmp_path / "c", model=Turned())
    assert repair(tmp_path / "c").count == 3


MODEL, ANOTHER = "a" * 64, "b" * 64


def test_a_model_counts_as_checked_while_texts_are_read_as_they_were(tmp_path, monkeypatch):
    """The same files give other vectors once unknown words are encoded differently."""
    known = KnownModel("default", MODEL, tmp_path)
    CheckedModels(known).add(MODEL)
    found = [CheckedModels(known).has(MODEL), CheckedModels(known).has(ANOTHER)]
    monkeypatch.setattr(noted_model, "READING", noted_model.READING + 1)
    assert [*found, CheckedModels(known).has(MODEL)] == [True, False, False]

"""Twenty faithful copies are accepted and all others rejected: by textkin, example programs, a collection.

``TEXTKIN_PASSPORT_MODEL=FOLDER`` runs the same on a transformer in a folder, such as MiniLM.
"""

import os
from pathlib import Path

import pytest

import textkin as tk
from tests.models.interop import tiny
from tests.models.passports.copies import HONEST, TAMPERED
from tests.models.passports.programs import programs_say
from textkin.base.errors import VerifyError
from textkin.kinds.systems.passports import make_passport
from textkin.models.passports.making import write_passport
from textkin.verbs.use.verified_model import verify_model

pytestmark = [pytest.mark.long, pytest.mark.torch]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    if found := os.environ.get("TEXTKIN_PASSPORT_MODEL"):
        return Path(found)
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    layers = (lambda: Dense(tiny.WIDTH, 12), Normalize)
    prompts = {"query": "query: ", "document": "passage: "}
    return tiny.write_theirs(
        tmp_path_factory.mktemp("model") / "tiny", "bert", *layers, max_length=32, prompts=prompts
    )


@pytest.fixture(scope="module")
def passport(folder, tmp_path_factory):
    made = make_passport(folder)
    path = write_passport(made, tmp_path_factory.mktemp("passport") / "passport.json")
    return made, path


@pytest.fixture(scope="module")
def collection(folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("collection") / "c"
    with tk.open_collection(place, model=folder, create=True) as made:
        made.add(["Where can I park?", "When do you open?", "Do you lend laptops?"])
    return place


def verdicts(system, passport, work: Path, *, as_lines: bool) -> tuple[bool, int, int | None]:
    """textkin's verdict, and the exit codes of both programs for the vectors that anybody would get."""
    made, path = passport
    try:
        accepted = verify_model(system, expect=made).check.accepted
    except VerifyError:
        accepted = False
    return accepted, *programs_say(system, path, work, as_lines=as_lines)


def expect(found, *, accepted: bool) -> None:
    code = 0 if accepted else 1
    assert found[:2] == (accepted, code)
    if found[2] is None:
        pytest.skip("node is not installed")
    assert found[2] == code


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_copy_is_accepted(name, folder, passport, collection, tmp_path):
    system = HONEST[name](folder, tmp_path)
    with tk.open_collection(collection, model=system) as opened:
        assert opened.search("parking", k=3).hits[0]
    expect(verdicts(system, passport, tmp_path, as_lines=len(name) % 2 == 0), accepted=True)


@pytest.mark.parametrize("name", TAMPERED)
def test_another_model_is_refused(name, folder, passport, collection, tmp_path):
    system = TAMPERED[name](folder, tmp_path / "made")
    with pytest.raises(VerifyError):
        tk.open_collection(collection, model=system)
    expect(verdicts(system, passport, tmp_path, as_lines=len(name) % 2 == 0), accepted=False)


def test_there_are_twenty_of_each():
    assert len(HONEST) >= 20 and len(TAMPERED) >= 20

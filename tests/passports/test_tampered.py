"""Twenty honest copies are accepted and all others refused, by textkin and by the programs in examples/.

``TEXTKIN_PASSPORT_MODEL=FOLDER`` runs the same on a transformer in a folder, such as MiniLM.
"""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.interop import tiny
from tests.passports.copies import HONEST, TAMPERED
from textkin.errors import VerifyError
from textkin.passports import passport_of, write_passport
from textkin.scorers.given import given
from textkin.tasks.deploy.passport import check_model, make_passport, open_model

EXAMPLES = Path(__file__).parents[2] / "examples"


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


def python_says(*arguments: str) -> int:
    kept, sys.argv = sys.argv, ["check_passport.py", *arguments]
    try:
        return int(runpy.run_path(str(EXAMPLES / "check_passport.py"))["main"]())
    finally:
        sys.argv = kept


def node_says(*arguments: str) -> int | None:
    """The exit code; None where there is no Node.js."""
    if (node := shutil.which("node")) is None:
        return None
    command = [node, str(EXAMPLES / "check_passport.mjs"), *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode


def verdicts(system, passport, work: Path, *, as_lines: bool) -> tuple[bool, int, int | None]:
    """What textkin says, and the exit codes of both programs for the vectors that anybody would get."""
    made, path = passport
    try:
        accepted = check_model(system, made).accepted
    except VerifyError:
        accepted = False
    opened = open_model(system) if isinstance(system, Path) else given(system)
    rows = dict(passport_of(opened, canaries=made.canaries).says)
    rows.setdefault("query", rows["document"])
    settings = opened.settings() if hasattr(opened, "settings") else {}
    if settings.get("arguments", {}).get("normalize") is False:  # textkin's own are of unit length always
        rows = {side: found * np.linspace(0.5, 3, len(found))[:, None] for side, found in rows.items()}
    arguments = [str(path)]
    for side, option in (("document", "--vectors"), ("query", "--queries")):
        if as_lines:
            place = work / f"{side}.jsonl"
            place.write_text("".join(f"{row.tolist()}\n" for row in rows[side]))
        else:
            place = work / f"{side}.npy"
            np.save(place, rows[side])
        arguments += [option, str(place)]
    return accepted, python_says(*arguments), node_says(*arguments)


def expect(found, *, accepted: bool) -> None:
    code = 0 if accepted else 1
    assert found[:2] == (accepted, code)
    if found[2] is None:
        pytest.skip("node is not installed")
    assert found[2] == code


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_copy_is_accepted(name, folder, passport, tmp_path):
    system = HONEST[name](folder, tmp_path)
    expect(verdicts(system, passport, tmp_path, as_lines=len(name) % 2 == 0), accepted=True)


@pytest.mark.parametrize("name", TAMPERED)
def test_another_model_is_refused(name, folder, passport, tmp_path):
    system = TAMPERED[name](folder, tmp_path / "made")
    expect(verdicts(system, passport, tmp_path, as_lines=len(name) % 2 == 0), accepted=False)


def test_there_are_twenty_of_each():
    assert len(HONEST) >= 20 and len(TAMPERED) >= 20

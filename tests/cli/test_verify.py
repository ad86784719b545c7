"""``textkin verify`` of models from the command line."""

import json

import numpy as np
import pytest

from tests.text.static_folders import table, write
from textkin.base.errors import VerifyError
from textkin.base.spelling import Spelling, spelling_as
from textkin.cli.command import run as run_command
from textkin.data import samples


@pytest.fixture
def run(capsys):
    def called(*arguments: str) -> str:
        with spelling_as(Spelling("command")):
            run_command(["verify", *arguments])
        return capsys.readouterr().out

    return called


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "bag", {"embeddings": table()}, normalize=True)


@pytest.fixture
def other(tmp_path):
    return write(tmp_path / "other", {"embeddings": table(seed=1)}, normalize=True)


@pytest.mark.slow
def test_a_passport_is_made_and_accepts_its_model(run, folder, tmp_path):
    out = tmp_path / "p.json"
    assert f"passport: {out}" in run(str(folder), "--out", str(out))
    said = run(str(folder), "--expect", str(out))
    assert "bag is the model that the passport of bag was made for" in said
    assert "they are one model for all purposes" in said


@pytest.mark.slow
def test_another_model_is_refused_or_said_to_drift(run, folder, other, tmp_path):
    out = tmp_path / "p.json"
    run(str(folder), "--out", str(out))
    with pytest.raises(VerifyError, match=r"other is not the model .*documents: mean .*file model\.saf"):
        run(str(other), "--expect", str(out))
    said = run(str(other), "--expect", str(out), "--accept-drift")
    assert "other is not the model that the passport of bag was made for" in said
    assert "why not: documents: mean cosine" in said


@pytest.mark.slow
def test_the_passport_in_the_folder_is_checked(run, folder, other):
    run(str(folder), "--out", str(folder))
    assert "bag is the model that the passport of bag was made for" in run(str(folder))
    (other / "passport.json").write_bytes((folder / "passport.json").read_bytes())
    with pytest.raises(VerifyError):
        run(str(other))
    # Outdated files are replaced only on request.
    run(str(other), "--out", str(other), "--accept-drift")
    assert "other is the model" in run(str(other))


@pytest.mark.slow
def test_json(run, folder, tmp_path):
    values = json.loads(run(str(folder), "--json"))
    assert values["check"] is None and values["passport"]["says"]["document"]["shape"] == [64, 6]
    run(str(folder), "--out", str(tmp_path / "p.json"))
    values = json.loads(run(str(folder), "--expect", str(tmp_path / "p.json"), "--json"))
    assert values["passport"] is None and values["check"]["accepted"] is True
    assert np.isclose(values["check"]["drifts"]["document"]["worst"], 1)


@pytest.mark.slow
def test_a_collection_at_an_address(run, textkin, postgres, tmp_path):
    address = postgres.address("passports")
    assert textkin("collection", "add", address, str(samples.path("inbox.txt"))).code == 0
    told = textkin("verify", address, "--out", str(tmp_path / "passport.json"))
    assert told.code == 0 and (tmp_path / "passport.json").is_file(), told.err
    checked = textkin("verify", "default", "--expect", address)
    assert checked.code == 0, checked.err
    grouped = textkin("cluster", address, "--threshold", "0.8", "--out", str(tmp_path / "groups.tsv"))
    assert grouped.code == 0 and (tmp_path / "groups.tsv").is_file(), grouped.err

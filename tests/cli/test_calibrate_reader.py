"""textkin calibrate of a reader, and the answers after it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from tests.making_spans import spans, write_squad

RECIPE = """
name = "small-spans"
task = "spans"
model.architecture = "bidaf"
model.arguments = {dim = 16, hidden = 8, train_embedding = true, most = 3, answers_none = true}
training = {epochs = 6, learning_rate = 0.02}

[[objectives]]
loss = "span-likelihood"
rows = "spans"
batch_size = 4
"""


@pytest.fixture
def reader(textkin: Textkin, tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(RECIPE)
    train = write_squad(tmp_path / "train.json", spans(3, impossible=True))
    dev = write_squad(tmp_path / "choose.json", spans(1, first=3, impossible=True))
    write_squad(tmp_path / "dev.json", spans(6, first=4, impossible=True))
    told = textkin(
        *("train", tmp_path / "small.toml", "--train", train, "--dev", dev),
        *("--out", tmp_path / "run"),
    )
    assert told.code == 0, told.err
    return tmp_path / "run" / "model"


@pytest.mark.torch
def test_a_reader_is_calibrated_and_asked(textkin: Textkin, reader: Path, tmp_path: Path) -> None:
    dev, decision = tmp_path / "dev.json", tmp_path / "decision.json"
    shown = textkin("calibrate", reader, dev, "--out", decision)
    assert shown.code == 0 and "expected on others" in shown.out, shown.err
    assert "No answer where its probability is above" in shown.out and str(decision) in shown.out
    told = textkin("calibrate", reader, dev, "--json").json
    assert told["questions"] == 18 and told["rule"]["goal"] == "f1"
    (tmp_path / "town.txt").write_text("Ada built the mill in 1911.\n")
    asked = ("answer", "Why is the mill blue?", tmp_path / "town.txt", "--model", reader, "--json")
    kept, other = textkin(*asked).json, textkin(*asked, "--decision", decision).json
    assert kept["questions"] == other["questions"]
    assert kept["questions"][0]["threshold"] == pytest.approx(told["rule"]["threshold"])
    measured = textkin("compare", dev, reader, "--resamples", "20", "--decision", decision)
    assert measured.code == 0 and "fitted on these very questions" in measured.out
    for arguments, words in (
        (("calibrate", reader, dev, "--recall", "0.9"), "expected precision=0.9, f1 or accuracy"),
        (("calibrate", reader, dev, "--fit", dev), "--fit doesn't apply to"),
        (("calibrate", "no-answer", dev, "--out", decision), "expected a model with a no-answer score"),
        (
            ("answer", "Why?", tmp_path / "town.txt", "--model", "no-answer", "--decision", decision),
            "--decision doesn't apply",
        ),
    ):
        failed = textkin(*arguments)
        assert failed.code != 0 and words in failed.err and "Traceback" not in failed.err

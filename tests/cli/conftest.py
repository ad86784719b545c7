from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.pins import json_keys
from textkin.base.spelling import spelt
from textkin.cli import main
from textkin.cli.command import _common_options, _parsed


@dataclass(frozen=True)
class Outcome:
    """The results of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as exactly one JSON object on one line."""
        assert self.out.endswith("\n") and self.out.count("\n") == 1
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def error(self) -> str:
        """The single line of a failed command, without the columns read."""
        assert self.out == ""
        (line,) = [one for one in self.err.splitlines() if ": texts: column " not in one]
        assert line.startswith("textkin: error: ")
        return line.removeprefix("textkin: error: ")


Textkin = Callable[..., Outcome]


def parse(line: str) -> None:
    """Read a command line as the program does, up to the command; its arguments must fit."""
    words, _ = _common_options(shlex.split(re.split(" [<>] ", line)[0])[1:])
    _parsed(words, None, {})


WIKIQA = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


@pytest.fixture
def wikiqa(tmp_path: Path) -> Path:
    """Three questions with four candidates."""
    rows = [("Q1", "who", "x", 1), ("Q1", "who", "y", 0), ("Q2", "what", "x", 1), ("Q3", "why", "z", 0)]
    path = tmp_path / "WikiQA-test.tsv"
    lines = [f"{key}\t{q}\tD\tt\tD-{n}\t{text}\t{label}\n" for n, (key, q, text, label) in enumerate(rows)]
    path.write_text(WIKIQA + "".join(lines))
    return path


@pytest.fixture
def textkin(capsys: pytest.CaptureFixture[str]) -> Textkin:
    """Run a command in this process."""

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        if "--json" not in arguments:
            assert spelt(captured.out) == captured.out, "what is printed is spelt"
        if "--json" in arguments and captured.out:
            json_keys.check(arguments, captured.out)
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Five texts, four of them distinct, and an empty line."""
    path = tmp_path / "texts.txt"
    path.write_text(
        "Can I pay by card?\nWhen do you open?\n\nCan I pay with a card?\nWhen do you open?\nWho was Emma?\n"
    )
    return path


THINGS = (
    "printer",
    "router",
    "invoice",
    "passport",
    "oven",
    "bicycle",
    "garden",
    "guitar",
    "laptop",
    "ticket",
)


def write_pairs(path: Path, *, start: int = 0, stop: int = 20) -> Path:
    """Labelled pairs determined by words; no text is in two ranges of numbers."""
    rows = ["question1\tquestion2\tis_duplicate"]
    for number in range(start, stop):
        thing, other = THINGS[number % 10], THINGS[(number + 3) % 10]
        rows.append(f"how do I repair {thing} {number}\tways of repairing {thing} {number}\t1")
        rows.append(f"where to buy {thing} {number}\twhere to sell {other} {number}\t0")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


RECIPE = """
name = "tiny"

[model]
architecture = "siamese"

[model.arguments]
cell = "mean"
dim = 8

[[objectives]]
loss = "logistic"
rows = "pairs"
batch_size = 16

[training]
epochs = 2
"""


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of a tiny model, with a threshold and a calibration."""
    from textkin.data.readers import load_pairs
    from textkin.measures.decisions.calibration import Platt
    from textkin.measures.decisions.fit_threshold import fit_threshold
    from textkin.measures.decisions.goal import Goal
    from textkin.measures.decisions.saved_thresholds import SavedThreshold
    from textkin.models.inference.scorers import load_scorer
    from textkin.models.model_folder import save_decision

    folder = tmp_path_factory.mktemp("trained")
    recipe = folder / "tiny.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    train, dev = (
        write_pairs(folder / "train.tsv"),
        write_pairs(folder / "dev.tsv", start=20, stop=30),
    )
    run = folder / "run"
    arguments = ["train", recipe, "--train", train, "--dev", dev, "--out", run, "--device", "cpu"]
    assert main([str(argument) for argument in arguments]) == 0
    data = load_pairs(dev).data
    threshold = fit_threshold(data.labels, load_scorer(run / "model").score(data.texts), Goal.parse("f1"))
    save_decision(
        run / "model",
        threshold=SavedThreshold(threshold, "dev.tsv"),
        calibration=Platt(slope=4.0, intercept=-1.0),
    )
    return run

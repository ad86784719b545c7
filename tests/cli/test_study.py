from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from tests.verbs.making_data import write_ranking, write_recipe
from textkin.base.errors import UsageError
from textkin.data.readers import Reading
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.train.dataset_splits import Sources


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ranking(tmp_path_factory.mktemp("data") / "wiki")


@pytest.mark.torch
def test_trained_then_read_from_the_folder_then_verified(
    textkin: Textkin, data: Path, tmp_path: Path
) -> None:
    recipe = write_recipe(tmp_path, "cosine")
    call = ("study", data, "--models", recipe, "--out", tmp_path / "out", "--device", "cpu")
    few = ("--seeds", 2, "--resamples", 30, "--rounds", 99, "-m", "MAP", "-m", "MRR")
    found = textkin(*call, *few)
    assert found.code == 0
    table = found.out.splitlines()
    assert table[0] == "Sample-test.tsv, questions with a right candidate"
    assert table[1].split()[:6] == ["system", "MAP", "95", "%", "interval", "MRR"]
    assert {line.split()[0].partition("(")[0] for line in table[3:11]} == {  # bm25 also tuned
        *("constant", "random", "order", "tfidf", "tfidf-char", "bm25", "cosine")
    }
    assert any(line.startswith("Against order, of 1 trained system: ") for line in table)
    assert table[-1] == f"report: {tmp_path / 'out' / 'report.html'}"
    told = [line.split(":")[1].strip() for line in found.err.splitlines() if line.startswith("textkin")]
    steps = [words for words in told if words != "warning"]  # a small vocabulary lacks many words
    assert steps == ["1/2 cosine, seed 0", "2/2 cosine, seed 1", "testing 14 differences, 99 rounds each"]
    again = textkin(*call, *few, "--json")
    assert again.err.count("trained before") == 2
    systems = again.json["report"]["systems"]
    assert systems["references"][1] == "order" and len(systems["rows"]) == 8
    assert again.json["failures"] == {}
    assert "228 scores again" in textkin("verify", tmp_path / "out").out
    assert textkin("verify", tmp_path / "out", "--json").json["scores"] == 228


def test_every_option_arrives(
    textkin: Textkin, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def study(sources: Sources, out: Path, *, options: StudyOptions) -> None:
        seen.append((sources, out, options))
        raise UsageError("seen")

    seen: list[tuple[Sources, Path, StudyOptions]] = []
    monkeypatch.setattr("textkin.verbs.experiments.study_sides.study_sides", study)
    assert textkin("study", data, "--out", "o").error == "seen"
    files = [data / f"Sample-{side}.tsv" for side in ("train", "dev", "test")]
    sources = ("--train", files[0], "--dev", files[1], "--test", files[2])
    call = ("study", "--models", "a,b,c.toml", *sources, "--out", tmp_path, "--seeds", 5)
    more = ("--jobs", 2, "--task", "classes", "--questions", "all", "--train-questions", "mixed", "-m", "MRR")
    rest = ("--decisions", "--device", "cpu", "--resamples", 7, "--rounds", 8, "--seed", 9)
    textkin(*call, *more, *rest, "--vectors", files[0], "--labels", "relatedness")
    assert seen[0][0] == seen[1][0] == Sources(files[0], files[2], files[1])
    plain, full = (options for *_, options in seen)
    assert plain == StudyOptions()
    assert full == StudyOptions(
        models=("a", "b", "c.toml"),
        seeds=5,
        task="classes",
        vectors=files[0],
        jobs=2,
        train_questions="mixed",
        measures=("MRR",),
        decisions=True,
        device="cpu",
        sampling=Sampling(7, 8, 9),
        reading=Reading(questions="all", labels="relatedness"),
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["DATA", "--train", "x", "--out", "o"], "PAIRS and --train can't be combined"),
        (["--train", "x", "--out", "o"], "a study with --train needs --test"),
        (["DATA", "--models", "RECIPE"], "--out is missing"),
        (["DATA", "--models", ",", "--out", "o"], "--models is '', expected names"),
        (["DATA", "--curve", "--out", "o"], "--curve doesn't apply to train, dev and test"),
        (["x.tsv", "DATA", "--out", "o"], "one argument too many: "),
        (["DATA", "--against", "order"], "no option --against"),
    ],
)
def test_wrong_arguments_are_told(
    textkin: Textkin,
    data: Path,
    arguments: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    places = {"DATA": str(data), "RECIPE": write_recipe(tmp_path, "cosine")}
    found = textkin("study", *(places.get(one, one) for one in arguments))
    assert found.code == 2 and found.error.startswith(expected)


def test_a_folder_without_test_is_bad_data(textkin: Textkin, tmp_path: Path) -> None:
    (tmp_path / "train.tsv").touch()
    found = textkin("study", tmp_path, "--out", tmp_path / "out")
    assert found.code == 3 and "expected one file for test" in found.error


@pytest.mark.torch
def test_all_failed_is_a_failure(textkin: Textkin, data: Path, tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path, "broken", loss="cosent")
    found = textkin("study", data, "--models", recipe, "--out", tmp_path / "out", "--seeds", 1)
    assert found.code == 4  # as of a wrong recipe
    assert found.err.splitlines()[-1].startswith(
        "textkin: error: none of 1 recipe could be trained; broken: seed 0"
    )

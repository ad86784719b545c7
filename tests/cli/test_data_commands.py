"""lint, split, measure, recipes: the commands that need no model."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import RECIPE, Textkin, write_pairs
from textkin.config import load_recipe
from textkin.recipe_files import bundled_recipes
from textkin.tasks.experiments.demo import write_pairs as write_sample

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n"
RUN = "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\nq9 Q0 d1 1 1.0 x\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


@pytest.fixture
def trec(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return tmp_path / "qrels.txt", tmp_path / "run.txt"


def broken(folder: Path) -> dict[str, Path]:
    """Files that no command can read."""
    contents = {
        "empty.tsv": b"",
        "nul.tsv": b"a\tb\x00\t1\n",
        "latin.tsv": b"caf\xe9\tb\t1\n",
        "cut.gz": b"\x1f\x8b\x08",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    return {name: folder / name for name in [*contents, "folder", "missing.tsv"]}


@pytest.mark.parametrize("kind", ["empty.tsv", "nul.tsv", "latin.tsv", "cut.gz", "folder", "missing.tsv"])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_broken_file_is_one_line_that_names_it(
    textkin: Textkin, tmp_path: Path, trec: tuple[Path, Path], kind: str, as_json: bool
) -> None:
    path, out = broken(tmp_path)[kind], tmp_path / "out"
    for command in (
        ["lint", path],
        ["split", path, "--out", out],
        ["measure", path, trec[1], "-m", "AP"],
        ["measure", trec[0], path, "-m", "AP"],
        ["train", "siamese-bag", "--train", path, "--dev", path, "--out", out],
        ["score", "tfidf", "--pairs", path],
        ["encode", "tfidf", path, "--out", out],
    ):
        found = textkin(*command, *(["--json"] if as_json else []))
        assert found.code == 3, command
        assert str(path) in found.error
        assert not out.exists()


def test_lint_of_the_sample(textkin: Textkin, tmp_path: Path) -> None:
    count = write_sample(tmp_path / "sample.tsv")
    found = textkin("lint", tmp_path / "sample.tsv", "--json")
    assert found.code == 0
    assert found.json["pairs"] == [[str(tmp_path / "sample.tsv"), count]]
    assert textkin("lint", tmp_path / "sample.tsv").out.startswith("file ")


def test_lint_says_what_must_be_repaired(textkin: Textkin, pairs: Path) -> None:
    text = pairs.read_text(encoding="utf-8")
    pairs.write_text(text + "how do I repair printer 0\tways of repairing printer 0\t0\n", encoding="utf-8")
    found = textkin("lint", pairs)
    assert found.code == 1 and found.err == ""
    assert "contradictory-label" in found.out and f"{pairs}:42" in found.out
    report = textkin("lint", pairs, "--json")
    assert report.code == 1
    assert "error" in {finding["severity"] for finding in report.json["findings"]}


def test_lint_finds_what_two_files_share(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    other = write_pairs(tmp_path / "other.tsv", start=19, stop=22)
    found = textkin("lint", pairs, other, "--json")
    assert {"shared-pair", "shared-text"} <= {finding["kind"] for finding in found.json["findings"]}


def test_lint_takes_the_columns_that_it_is_told(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("first,between,second,verdict\none two,three,four five,1\nsix,seven,eight,0\n")
    found = textkin("lint", path, "--columns", "a=first,b=3,label=verdict", "--json")
    assert found.code == 0 and found.json["pairs"][0][1] == 2
    assert textkin("lint", path, "--columns", "a").code == 2
    assert "no column 'nosuch'" in textkin("lint", path, "--columns", "a=nosuch,b=second").error
    assert textkin("lint", path, "--format", "nosuch").code == 2


def test_split_writes_the_sides_and_says_so(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "split"
    shown = textkin("split", pairs, "--out", out)
    assert shown.code == 0 and shown.out.startswith("pairs.tsv: 40 rows")
    sides = {name: (out / f"{name}.tsv").read_text() for name in ("train", "dev", "test")}
    told = textkin("split", pairs, "--out", out, "--json").json
    assert told == json.loads((out / "split.json").read_text())
    assert sum(side["pairs"] for side in told["sides"].values()) == 40
    assert all(text.startswith("question1\tquestion2\tis_duplicate\n") for text in sides.values())
    textkin("split", pairs, "--out", out, "--seed", 7)
    assert sides != {name: (out / f"{name}.tsv").read_text() for name in sides}


def test_split_takes_shares_rule_and_near_duplicates(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    options = ["--shares", "0.5,0.25,0.25", "--rule", "whole", "--near", "0.95"]
    told = textkin("split", pairs, "--out", tmp_path / "s", *options, "--json").json
    assert (told["rule"], told["similarity"], told["sides"]["train"]["pairs"]) == ("whole", 0.95, 20)


def test_split_by_the_quora_rules(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "quora.tsv"
    rows = ["id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"]
    rows += [f"{i}\t{2 * i}\t{2 * i + 1}\tquestion {i} here\tquery {i} there\t{i % 2}" for i in range(30)]
    path.write_text("\n".join(rows) + "\n")
    told = textkin("split", path, "--out", tmp_path / "s", "--scheme", "quora-ir", "--json").json
    assert told["scheme"] == "quora-ir" and "classification/train_pairs.tsv" in told["files"]
    shown = textkin("split", path, "--out", tmp_path / "s", "--scheme", "quora-ir")
    assert shown.code == 0 and "information-retrieval/corpus.tsv" in shown.out


@pytest.mark.parametrize("shares", ["1", "a,b,c", "0.5,0.5,0.5", "0.5,0.5,", "1,0,0"])
def test_split_refuses_other_shares(textkin: Textkin, pairs: Path, tmp_path: Path, shares: str) -> None:
    found = textkin("split", pairs, "--out", tmp_path / "s", "--shares", shares)
    assert found.code == 2 and "0.7, 0.15, 0.15" in found.error.replace(",0", ", 0")
    assert not (tmp_path / "s").exists()


def test_split_does_not_replace_its_input(textkin: Textkin, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "train.tsv")
    before = path.read_bytes()
    assert textkin("split", path, "--out", tmp_path).code == 2
    assert path.read_bytes() == before


def test_split_says_what_can_not_be_written(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert textkin("split", pairs, "--out", tmp_path / "file").code == 7


def test_measure_prints_exactly_what_it_promises(textkin: Textkin, trec: tuple[Path, Path]) -> None:
    found = textkin("measure", *trec, "-m", "AP", "-m", "ndcg_cut_10", "-m", "num_q", "--json")
    assert found.code == 0
    told = found.json
    assert set(told) == {"queries", "measures"} and told["queries"] == 2
    assert list(told["measures"]) == ["AP", "nDCG@10", "NumQ"]
    assert set(told["measures"]["AP"]) == {"value", "low", "high"}
    figure = told["measures"]["AP"]  # of two queries, one right and one wrong
    assert figure["value"] == 0.5 and 0 <= figure["low"] < 0.01 and 0.99 < figure["high"] <= 1


def test_measure_warns_of_missing_and_unjudged_queries(textkin: Textkin, trec: tuple[Path, Path]) -> None:
    warnings = textkin("measure", *trec, "-m", "AP", "--json").err.splitlines()
    assert warnings == [
        "textkin: warning: 1 judged queries are not in the run and score zero: q2",
        "textkin: warning: 1 queries of the run have no judgements and don't count: q9",
    ]


def test_measure_takes_the_official_set_by_default(textkin: Textkin, trec: tuple[Path, Path]) -> None:
    told = textkin("measure", *trec, "--json").json["measures"]
    assert {"NumQ", "AP", "GMAP", "Rprec", "Bpref", "RR", "IPrec@0", "P@1000"} - {"IPrec@0"} <= set(told)
    shown = textkin("measure", *trec).out
    assert "AP        " in shown and "0.0000 to 1.0000" in shown and shown.endswith("\n2 judged queries\n")


def test_measure_lists_the_queries(textkin: Textkin, trec: tuple[Path, Path]) -> None:
    shown = textkin("measure", *trec, "-q", "-m", "map", "-m", "num_rel")
    assert shown.out.splitlines() == [
        "measure\tquery\tvalue",
        *("AP\tq1\t1.0000", "NumRel\tq1\t1", "AP\tq2\t0.0000", "NumRel\tq2\t1"),
        *("AP\tall\t0.5000", "NumRel\tall\t2"),
    ]
    told = textkin("measure", *trec, "-q", "-m", "map", "--json").json
    assert told["per_query"] == {"q1": {"AP": 1.0}, "q2": {"AP": 0.0}}


def test_measure_resamples_as_it_is_told(textkin: Textkin, trec: tuple[Path, Path]) -> None:
    one, more = (
        textkin("measure", *trec, "-m", "AP", "--resamples", count, "--json").json["measures"]["AP"]
        for count in (1, 500)
    )
    assert one["low"] != more["low"]
    assert textkin("measure", *trec, "--resamples", 0).code == 2


def test_measure_refuses_an_unknown_measure(textkin: Textkin, trec: tuple[Path, Path]) -> None:
    found = textkin("measure", *trec, "-m", "nDGC@10")
    assert found.code == 2 and "nDGC@10" in found.error


def test_recipes_lists_all(textkin: Textkin) -> None:
    told = textkin("recipes", "--json").json["recipes"]
    assert [recipe["name"] for recipe in told] == list(bundled_recipes())
    shown = textkin("recipes").out
    assert all(name in shown for name in bundled_recipes())


def test_recipes_prints_one_as_toml_or_json(textkin: Textkin, tmp_path: Path) -> None:
    shown = textkin("recipes", "siamese-bag").out
    assert shown == load_recipe("siamese-bag").to_toml(stated=True)
    assert "base" not in tomllib.loads(shown) and 'optimiser = "adam"' in shown
    assert textkin("recipes", "siamese-lstm", "--json").json == load_recipe("siamese-lstm").to_dict()
    (tmp_path / "mine.toml").write_text(RECIPE)
    assert tomllib.loads(textkin("recipes", tmp_path / "mine.toml").out)["name"] == "tiny"
    (tmp_path / "longer.toml").write_text('base = "mine.toml"\ntraining.epochs = 77\n')
    longer = tomllib.loads(textkin("recipes", tmp_path / "longer.toml").out)
    assert (longer["name"], longer["training"]["epochs"]) == ("longer", 77)
    assert longer["objectives"] == tomllib.loads(RECIPE)["objectives"]


@pytest.mark.parametrize("text", ["name = 'x'\nepoch = 3", "name = ", "name = 'x'\nobjectives = []", "\x00"])
def test_recipes_checks_a_recipe(textkin: Textkin, tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    found = textkin("recipes", path)
    assert found.code == 4 and str(path) in found.error
    assert "did you mean 'siamese-lstm'" in textkin("recipes", "siamese-lstn").error

"""train, score, encode: the commands that make or take a model."""

from __future__ import annotations

import csv
import multiprocessing
import os
import socket
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import RECIPE, Textkin, write_pairs
from textkin.cli import main
from textkin.config import load_recipe
from textkin.inference import load_scorer


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_train_leaves_a_model_and_says_where(textkin: Textkin, recipe: Path, tmp_path: Path) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=20, stop=25)
    command = ["train", recipe, "--train", train, "--dev", dev, "--out", tmp_path / "run", "--device", "cpu"]
    shown = textkin(*command)
    assert shown.code == 0
    assert shown.out.splitlines()[-1] == f"model: {tmp_path / 'run' / 'model'}"
    assert "textkin: warning" not in shown.err
    assert load_scorer(tmp_path / "run" / "model").dim == 8
    told = textkin(*command, "--json").json
    assert told["model"] == str(tmp_path / "run" / "model")
    assert [epoch["epoch"] for epoch in told["epochs"]] == [1, 2] and told["measure"] == "AP"
    another = textkin(*command, "--seed", 1)
    assert another.code == 2 and "holds another run" in another.error


def test_a_run_keeps_the_whole_of_a_recipe_with_a_base(
    textkin: Textkin, recipe: Path, tmp_path: Path
) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=20, stop=25)
    own, run = tmp_path / "own.toml", tmp_path / "run"
    own.write_text(f'base = "{recipe.name}"\ntraining.epochs = 1\n')
    assert textkin("train", own, "--train", train, "--dev", dev, "--out", run, "--device", "cpu").code == 0
    assert "base" not in (run / "recipe.toml").read_text()
    wanted = load_recipe(own)
    assert load_recipe(run / "recipe.toml") == wanted
    recipe.write_text(RECIPE.replace("dim = 8", "dim = 4"))
    changed = textkin("train", own, "--train", train, "--dev", dev, "--out", run, "--device", "cpu")
    assert changed.code == 2 and "with other recipe.model" in changed.error


def one_of_two(rank: int, port: int, arguments: list[str], said: Path) -> None:
    """What torchrun would start."""
    import torch

    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    with (said / str(rank)).open("w") as stream, redirect_stdout(stream):
        code = main(arguments)
    torch.distributed.destroy_process_group()
    sys.exit(code)


def test_two_processes_train_one_model_and_one_of_them_speaks(recipe: Path, tmp_path: Path) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=20, stop=25)
    arguments = [
        "train",
        recipe,
        "--train",
        train,
        "--dev",
        dev,
        "--out",
        tmp_path / "run",
        "--device",
        "cpu",
    ]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    processes = multiprocessing.get_context("fork")
    children = [
        processes.Process(target=one_of_two, args=(rank, port, list(map(str, arguments)), tmp_path))
        for rank in (0, 1)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
        assert child.exitcode == 0
    assert (tmp_path / "0").read_text().splitlines()[-1] == f"model: {tmp_path / 'run' / 'model'}"
    assert (tmp_path / "1").read_text() == ""
    assert load_scorer(tmp_path / "run" / "model").dim == 8


def test_train_warns_of_texts_that_dev_shares(textkin: Textkin, recipe: Path, tmp_path: Path) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=19, stop=25)
    more = write_pairs(tmp_path / "more.tsv", start=24, stop=26)
    command = ["train", recipe, "--train", train, "--dev", dev, "--more", more, "--out", tmp_path / "run"]
    found = textkin(*command, "--device", "cpu", "--json")
    assert found.json["name"] == "tiny"
    warnings = [
        line for line in found.err.splitlines() if line.startswith("textkin: warning: 4 texts of dev.tsv")
    ]
    assert ["train.tsv" in warnings[0], "more.tsv" in warnings[1]] == [True, True]


def test_train_stops_before_it_starts(textkin: Textkin, recipe: Path, tmp_path: Path) -> None:
    train, out = write_pairs(tmp_path / "train.tsv"), tmp_path / "run"
    unknown = textkin("train", "nosuch", "--train", train, "--dev", train, "--out", out)
    assert unknown.code == 4 and not out.exists()
    missing = textkin("train", recipe, "--train", train, "--out", out)
    assert missing.code == 2 and "--dev" in missing.error
    one_kind = tmp_path / "dev.tsv"
    one_kind.write_text("question1\tquestion2\tis_duplicate\na b\tc d\t1\ne f\tg h\t1\n")
    assert textkin("train", recipe, "--train", train, "--dev", one_kind, "--out", out).code == 6
    (tmp_path / "file").touch()
    dev = write_pairs(tmp_path / "dev2.tsv", start=30, stop=33)
    assert textkin("train", recipe, "--train", train, "--dev", dev, "--out", tmp_path / "file").code == 7


def test_score_two_texts(textkin: Textkin, trained: Path) -> None:
    a, b = "how do I repair printer 1", "ways of repairing printer 1"
    told = textkin("score", trained / "model", a, b, "--json").json
    (score,) = load_scorer(trained / "model").score([(a, b)]).tolist()
    assert set(told) == {"model", "threshold", "truncation", "score", "probability", "same"}
    assert told["score"] == score
    assert told["probability"] == pytest.approx(1 / (1 + np.exp(1 - 4 * score)))
    assert told["same"] is (score >= told["threshold"])
    header, _, row = textkin("score", trained / "model", a, b).out.splitlines()
    assert header.split() == ["model", "score", "probability", "threshold", "decision"]
    assert row.split()[:2] == ["tiny", f"{score:.4f}"] and row.split()[-1] in ("same", "different")


def test_score_a_file_of_pairs(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.tsv", stop=3)
    with path.open("a") as stream:
        stream.write("\tno first text\t1\nlast\ttexts\t0\n")
    shown = textkin("score", trained / "model", "--pairs", path)
    rows = list(csv.DictReader(shown.out.splitlines(), delimiter="\t"))
    assert "skipped 1: 1 empty text (line 8)" in shown.err
    assert [row["row"] for row in rows] == ["1", "2", "3", "4", "5", "6", "8"]
    assert rows[-1]["text_a"] == "last" and {row["decision"] for row in rows} <= {"same", "different"}
    told = textkin("score", trained / "model", "--pairs", path, "--json").json["pairs"]
    assert [row["row"] for row in told] == [1, 2, 3, 4, 5, 6, 8]
    assert [float(row["score"]) for row in rows] == pytest.approx([row["score"] for row in told], abs=1e-6)
    out = tmp_path / "scored.tsv"
    assert textkin("score", trained / "model", "--pairs", path, "--out", out).code == 0
    assert out.read_text() == shown.out
    saved = textkin("score", trained / "model", "--pairs", path, "--out", out, "--json").json
    assert (saved["count"], saved["out"]) == (7, str(out))


def test_score_with_a_baseline(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("score", "tfidf", "green apple", "green pear", "--json")
    assert 0 < found.json["score"] < 1 and found.json["same"] is None
    assert (
        found.err
        == "textkin: tfidf takes its word frequencies from these two texts; name a file of texts with --fit\n"
    )
    texts = tmp_path / "texts.txt"
    texts.write_text("green apple\ngreen pear\ngreen\ngreen\n")
    fitted = textkin("score", "tfidf", "green apple", "green pear", "--fit", texts, "--json")
    assert fitted.err == "" and fitted.json["score"] < found.json["score"]
    constant = textkin("score", "constant", "a", "b").out.splitlines()
    assert constant[0].split() == ["model", "score"]


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["nosuch", "a", "b"], 2, "no model directory 'nosuch'"),
        (["tfidf"], 2, "give two texts, or --pairs FILE"),
        (["tfidf", "a"], 2, "give two texts, or --pairs FILE"),
        (["tfidf", "a", "b", "--pairs", "x.tsv"], 2, "both a text and --pairs"),
        (["constant", "a", "b", "--out", "x.tsv"], 2, "--out goes with --pairs"),
        (["mean-vectors", "a", "b"], 2, "pass --vectors"),
        ([".", "a", "b"], 5, "is not a textkin model"),
    ],
)
def test_score_refuses(
    textkin: Textkin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = textkin("score", *arguments)
    assert found.code == code and expected in found.error


def test_a_truncated_model_is_an_error_that_names_the_file(
    textkin: Textkin, trained: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for file in (trained / "model").iterdir():
        (model / file.name).write_bytes(file.read_bytes())
    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    found = textkin("score", model, "a", "b")
    assert found.code == 5 and str(weights) in found.error


def test_encode_writes_one_row_a_text_in_their_order(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "texts.txt", tmp_path / "vectors.npy"
    path.write_text("repair printer 1\n\nsell the oven\nways\n")
    shown = textkin("encode", trained / "model", path, "--out", out)
    assert shown.code == 0 and "skipped 1: 1 empty text (line 2)" in shown.err
    assert shown.out.splitlines()[-2].split() == ["tiny", "3", "8", str(out)]
    assert shown.out.splitlines()[-1] == "precision fp32, without a check"
    wanted = load_scorer(trained / "model").encode(["repair printer 1", "sell the oven", "ways"])
    np.testing.assert_array_equal(np.load(out, allow_pickle=False), wanted)
    told = textkin("encode", trained / "model", path, "--out", out, "--json").json
    ids = tmp_path / "vectors.ids.txt"
    assert ids.read_text() == "1\n3\n4\n"
    assert (told["model"], told["count"], told["dim"]) == ("tiny", 3, 8)
    assert (told["out"], told["ids"]) == (str(out), str(ids))
    assert textkin("encode", trained / "model", path, "--out", out, "--precision", "bf16").code == 2


def test_encode_takes_a_column_and_word_vectors(textkin: Textkin, tmp_path: Path) -> None:
    table, vectors = tmp_path / "table.csv", tmp_path / "glove.txt"
    table.write_text("id,subject,body\nx,green apple,one\ny,pear,two\n")
    vectors.write_text("green 1 0\napple 0 1\npear 1 1\n")
    command = ["encode", "mean-vectors", table, "--vectors", vectors, "--out", tmp_path / "v.npy"]
    told = textkin(*command, "--column", "subject", "--json").json
    assert (told["count"], told["dim"], Path(told["ids"]).read_text()) == (2, 2, "x\ny\n")
    assert np.load(tmp_path / "v.npy").shape == (2, 2)
    assert textkin(*command, "--column", "nosuch").code == 2


def test_encode_leaves_nothing_half_written(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("one text\n")
    assert "gives no vectors" in textkin("encode", "tfidf", path, "--out", tmp_path / "v.npy").error
    assert textkin("encode", trained / "model", path, "--out", path).code == 2
    assert (
        textkin("encode", trained / "model", path, "--out", tmp_path / "v.npy", "--precision", "x").code == 2
    )
    (tmp_path / "v.ids.txt").write_text("one text\n")
    assert textkin("encode", trained / "model", tmp_path / "v.ids.txt", "--out", tmp_path / "v.npy").code == 2
    assert (tmp_path / "v.ids.txt").read_text() == path.read_text() == "one text\n"
    (tmp_path / "v.ids.txt").unlink()
    assert textkin("encode", trained / "model", path, "--out", path / "v.npy").code == 7
    assert sorted(item.name for item in tmp_path.iterdir()) == ["texts.txt"]


def test_training_starts_from_the_encoder_in_the_box_by_its_name(textkin: Textkin, tmp_path: Path) -> None:
    rows = "".join(f"text {i}\tother {i}\t{i % 2}\n" for i in range(40))
    (tmp_path / "p.tsv").write_text("text_a\ttext_b\tlabel\n" + rows)
    others = rows.replace("text ", "dev ").replace("other", "further")
    (tmp_path / "d.tsv").write_text("text_a\ttext_b\tlabel\n" + others)
    command = ["train", "static", "--train", tmp_path / "p.tsv", "--dev", tmp_path / "d.tsv"]
    assert textkin(*command, "--start", "default", "--out", tmp_path / "run").code == 0
    missing = textkin(*command, "--start", "no-such-model", "--out", tmp_path / "other")
    assert missing.code == 5 and "no-such-model" in missing.error

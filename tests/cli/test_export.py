"""textkin export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

import textkin as tk
from tests.cli.conftest import Textkin
from tests.text.static_folders import table, write
from textkin.base.options import options_of
from textkin.verbs.deploy import export_folder

pytestmark = pytest.mark.torch


@pytest.fixture
def static(tmp_path: Path) -> Path:
    return write(tmp_path / "bag", {"embeddings": table()})


def test_it_prints_and_leaves_a_certificate(textkin: Textkin, static: Path, tmp_path: Path) -> None:
    sample = tmp_path / "texts.csv"
    sample.write_text('title\nthe cat sat\n"cats, the dog?"\ndog\nthe cat\n')
    arguments = ["export", static, "--to", "model2vec", "--texts", sample]
    shown = textkin(*arguments, "--out", tmp_path / "one")
    assert shown.code == 0
    first, second, third, fourth = shown.out.splitlines()
    assert first.startswith(f"{tmp_path / 'one'}: bag for model2vec in fp32, run by model2vec ")
    assert second.startswith("cosine to the original on 4 texts of texts.csv: mean 1.0000000, worst ")
    assert third == "same 10 nearest in the same order: 100.00 % of the texts; largest change of rank: 0"
    assert fourth.startswith("1 text has parts that bag doesn't know")
    told = textkin(*arguments, "--out", tmp_path / "two", "--json").json
    assert told["folder"] == str(tmp_path / "two")
    assert told["certificate"] == json.loads((tmp_path / "two" / "parity.json").read_text())
    assert told["certificate"]["kept"] is True and told["certificate"]["texts"] == 4


def test_errors_are_one_line(textkin: Textkin, static: Path, trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for code, arguments, said in (
        (2, [static, "--to", "openvino", "--dtype", "int8"], "--dtype is 'int8', expected fp32 or fp16"),
        (2, [static, "--to", "tensorflow"], "'tensorflow'"),
        (2, ["bm25", "--to", "onnx"], "MODEL is 'bm25'"),
        (5, [tmp_path / "nosuch", "--to", "onnx"], "there is no model"),
        (5, [trained / "model", "--to", "onnx"], "tiny can't be exported to onnx"),
        (5, [trained / "model", "--to", "sentence-transformers"], "no counterpart of its architecture"),
        (3, [static, "--to", "model2vec", "--texts", tmp_path / "nosuch.txt"], "nosuch.txt"),
    ):
        failed = textkin("export", *arguments, "--out", out)
        assert (failed.code, said in failed.error) == (code, True), failed.err
    assert not out.exists()


def test_a_collection_becomes_one_file(textkin: Textkin, tmp_path: Path) -> None:
    tk.add(tmp_path / "faq.kin", ["Where can I park?", "When do you open?"])
    out = tmp_path / "faq.html"
    shown = textkin("export", tmp_path / "faq.kin", "--to", "html", "--out", out)
    assert (shown.code, shown.out.splitlines()[0].partition(", ")[0]) == (0, f"{out}: 2 texts")
    told = textkin("export", tmp_path / "faq.kin", "--to", "html", "--out", out, "--json").json
    assert told["path"] == str(out) and told["entries"] == 2 and told["bytes"] == out.stat().st_size
    for code, arguments in (
        (2, ["default", "--to", "html", "--out", out]),
        (2, [tmp_path / "faq.kin", "--to", "onnx", "--out", tmp_path / "onnx"]),
        (2, [tmp_path / "faq.kin", "--to", "html", "--out", tmp_path / "faq"]),
    ):
        assert textkin("export", *arguments).code == code


def test_the_command_takes_what_can_be_written() -> None:
    choices = {one.name: one.choices for one in options_of(tk.export)}
    assert choices["to"] == (*get_args(export_folder.Target), "html")
    assert choices["dtype"] == get_args(export_folder.Precision)

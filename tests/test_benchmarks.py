"""Every benchmark runs, on little data: the meaning of its numbers isn't tested here."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from timeit import timeit
from typing import Any

import numpy as np
import pytest
from benchmarks import speed_table
from results.entries import WrongResult, read_results

import textkin as tk
from tests.models.interop.tiny import write_theirs
from tests.server.browsing import in_a_browser
from textkin.base.hub import MINILM, located
from textkin.data import samples
from textkin.data.readers.datasets.squad import read_squad
from textkin.kinds.registry import load_data
from textkin.models.light_transformer import LightTransformer

pytestmark = [pytest.mark.apart, pytest.mark.torch]

FOLDER = Path(__file__).parents[1] / "benchmarks"
NEEDS_DATA = {
    "bench_open_answers": "trained readers and SQuAD",
}
TAKE_LONG = {"sentence-transformers", "faiss flat"}
"""Peers in the join of vectors that are left out here."""


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    lines = dict.fromkeys(line for line in samples.path("inbox.txt").read_text().splitlines() if line)
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(list(lines)[:60]) + "\n")
    return path


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a benchmark in this process, without measuring the machine; further names are replaced.

    What it prints is returned, and has a figure for each of its lines that ``bench --all`` looks for, unless
    these are of another model.
    """
    pytest.importorskip("torch", reason="benchmarks stand beside networks")
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(FOLDER.parent))

    def run(name: str, *arguments: object, other_model: bool = False, **replaced: Any) -> str:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            pytest.skip(f"a peer is not installed: {error.name}")
        monkeypatch.setattr(module, "show_setting", lambda *packages: None, raising=False)
        for attribute, value in replaced.items():
            monkeypatch.setattr(module, attribute, value)
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        module.main()
        printed = capsys.readouterr().out
        for one in speed_table.runs():
            if one["bench"].split()[0] == name and not other_model:
                for row in speed_table.rows_of(one, printed, read_results()):
                    assert re.match(r"[\d.]+", row[2]) or row[1] in TAKE_LONG, row
        return printed

    return run


@pytest.fixture
def beir(tmp_path: Path, texts: Path) -> Path:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    lines = texts.read_text().splitlines()
    for name, some in (("corpus", lines), ("queries", lines[:5])):
        rows = (json.dumps({"_id": f"{name[0]}{place}", "text": text}) for place, text in enumerate(some))
        (folder / f"{name}.jsonl").write_text("".join(f"{row}\n" for row in rows))
    (folder / "qrels" / "test.tsv").write_text("".join(f"q{place}\tc{place + 1}\t1\n" for place in range(5)))
    return folder


def vectors(tmp_path: Path, rows: int) -> Path:
    found = np.random.default_rng(0).normal(size=(rows, 16)).astype(np.float32)
    path = tmp_path / "vectors.npy"
    np.save(path, found / np.linalg.norm(found, axis=1, keepdims=True))
    return path


def exam(tmp_path: Path, texts: Path) -> tuple[Path, Path]:
    lines = texts.read_text().splitlines()
    corpus, asked = tmp_path / "corpus.tsv", tmp_path / "exam.tsv"
    corpus.write_text("".join(f"{place}\t{text}\tanswer {place}\n" for place, text in enumerate(lines)))
    header = "id\tquestion\tcorrectAnswer\tanswerA\tanswerB\tanswerC\tanswerD\n"
    rows = (f"{place}\t{text} now\tA\tanswer {place}\tb\tc\td\n" for place, text in enumerate(lines[:5]))
    asked.write_text(header + "".join(rows))
    return corpus, asked


def test_words_and_spelling(bench: Any, texts: Path, beir: Path, tmp_path: Path) -> None:
    bench("bench_bands", texts, "--count", 40)
    bench("bench_baselines", beir, "--depth", 10, "--turns", 1)
    corpus, asked = exam(tmp_path, texts)
    bench("bench_lucene", "--corpus", corpus, "--questions", asked, asked, "--turns", 1)


def test_measuring(bench: Any) -> None:
    bench("bench_compare", "--rounds", 10, "--peer-rounds", 1, "--turns", 1)
    bench("bench_measure", "--queries", 20, "--docs", 60, "--turns", 1)
    bench("interval_coverage", "--samples", 1, "--groups", 10, "--kinds", "even")


def test_encoding(bench: Any, texts: Path) -> None:
    bench("bench_static", "--count", 60, "--turns", 1)
    options = ("--texts", texts, "--count", 8, "--turns", 1)
    assert "8 texts" in bench("bench_encode", *options, peak=lambda *_: 1e9)
    bench("bench_reader", "--count", 1, "--turns", 1)
    bench("many_passages", samples.path("town.json"), "--questions", 1)


def test_a_gpu_that_is_not_there(bench: Any) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    for name in ("bench_encode", "bench_training"):
        with pytest.raises(SystemExit, match="torch finds no GPU"):
            bench(name, "--device", "cuda")


def test_the_peak_of_a_device_is_that_of_its_products(bench: Any) -> None:
    torch = pytest.importorskip("torch")
    bench_encode = pytest.importorskip("bench_encode")
    seconds = timeit(lambda: torch.mm(*torch.ones(2, 256, 256)), number=50) / 50
    assert bench_encode.peak_of_stream(torch.float32, "cpu") > 0.2 * 2 * 256**3 / seconds


def test_encoding_beside_openvino(bench: Any, texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="the peer")
    tiny = write_theirs(tmp_path / "tiny")
    tk.export(tiny, to="openvino", out=tmp_path / "peer", texts=texts)
    options = ("--texts", texts, "--count", 8, "--turns", 1, "--model", tiny)
    printed = bench("bench_encode", *options, "--openvino", tmp_path / "peer", peak=lambda *_: 1e9)
    [line] = [line for line in printed.splitlines() if line.startswith("OpenVINO f32 ")]
    assert float(line.rpartition("worst ")[2]) > 0.9999


def test_questions_lose_their_answers(bench: Any, tmp_path: Path) -> None:
    town, out = samples.path("town.json"), tmp_path / "mixed.json"
    before = {one.question_id: one for one in read_squad(town).data.questions}
    answered = sum(bool(one.answers) for one in before.values())
    assert bench("unanswered", town, "--every", 3, "--out", out).startswith(f"{len(before):,} questions, ")
    mixed = read_squad(out).data
    moved = [one for one in mixed.questions if one.question_id.startswith("none-")]
    articles = {one.title for one in mixed.passages.values()}  # each begins to count anew
    assert answered // 3 - len(articles) <= len(moved) <= answered // 3 + len(articles)
    for one in moved:
        text = mixed.passages[one.passage_id].text.lower()
        own = before[one.question_id.removeprefix("none-")]
        assert own.question == one.question
        assert not any(answer.text.lower() in text for answer in own.answers)
        assert not one.answers
    count = len(moved) + len(before) - answered
    told = ("--only", "--version-2", town, "--out", out)
    assert bench("unanswered", town, "--every", 3, *told).startswith(
        f"{count:,} questions, {count:,} without"
    )


def test_encoding_beside_onnxruntime(bench: Any, tmp_path: Path) -> None:
    """The benchmark on a tiny export; and the figures of the model in the box, without exporting it."""
    pytest.importorskip("onnxruntime", reason="the peer")
    tiny = write_theirs(tmp_path / "tiny")
    bench("bench_onnx", "--model", tiny, "--texts", 3, "--turns", 1, other_model=True)
    box = LightTransformer(located(MINILM), name="peer")
    printed = bench(
        "bench_onnx",
        "--texts",
        60,
        "--turns",
        1,
        exported=lambda *_: tmp_path,
        by_onnxruntime=lambda *_: box.encode,
    )
    in_bf16 = "textkin with torch, bf16: " in printed  # only where its products are faster
    assert printed.count("60 texts: ") == 3 + in_bf16


@in_a_browser
def test_one_file(bench: Any, texts: Path) -> None:
    printed = bench("bench_one_file", "--texts", texts, "--entries", 40, "--queries", 20)
    assert "the same ten hits for 20 of 20 queries" in printed


def test_finding(bench: Any, texts: Path, tmp_path: Path) -> None:
    work = ("--work", tmp_path)
    bench("bench_find", "--texts", texts, "--queries", 5, "--vectors", 400, "--dim", 16, "--turns", 1, *work)
    bench("bench_store", "--rows", 200, "--dim", 8, "--queries", 3, *work)
    sizes = ("--phrases", 1000, "--dim", 16, "--cells", 4, "--probe", 2, "--code-bytes", 0, "--refine", 10)
    bench("bench_phrases", *sizes, *work)
    bench("bench_watch", tmp_path, "--calls", 2)


def test_joining(bench: Any, tmp_path: Path) -> None:
    path = vectors(tmp_path, 100)
    bench("bench_join", path, "--sizes", 100, "--turns", 1, "--contenders", "textkin", "faiss range")


def test_training(bench: Any) -> None:
    bench("bench_matching_speed", "--steps", 1, "--turns", 1)
    small = ("--steps", 1, "--turns", 1)
    assert "textkin fp32: " in bench("bench_training", *small, BATCH=2, peak=lambda *_: 1e9)


def test_servers(bench: Any, texts: Path) -> None:
    less = ("--clients", 2, "--each", 2, "--most", 40, "--seconds", 0.5, "--turns", 1, "--shares")
    bench("bench_serve", texts, *less)
    bench("bench_workers", texts, "--workers", 1, _ROUNDS=2)
    bench("bench_postgres", "--rows", 100, "--dim", 8, "--queries", 2, "--clusters", 5)
    bench("bench_start", "--turns", 1, "--texts", 10, "--first")


def test_ray(bench: Any, texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))  # workers import the objects sent to them
    bench("bench_ray", texts, "--count", 60, "--turns", 1, "--model-only")


def test_scale(bench: Any, texts: Path) -> None:
    told = bench("bench_scale", texts, "--sizes", 40, 60, "--held", 80, _FEW=20)
    assert "80 texts, mine: recall of planted pairs" in told


def test_none_is_forgotten() -> None:
    here = Path(__file__).read_text()
    known = {path.stem for path in FOLDER.glob("bench_*.py")}
    assert {name for name in known if f'bench("{name}"' not in here} == set(NEEDS_DATA)


RUN = {
    "bench": "bench_find",
    "peer": "bm25s",
    "row": [
        {"work": "together", "line": "words, together", "least": 1.5},
        {"work": "first", "line": "first search", "most": 3.0},
    ],
}


@pytest.mark.parametrize(
    ("printed", "cells"),
    [
        (
            "words, together: 30 and 20 queries a second, ratio 1.45 (1.2 to 1.6)\nfirst search 2.90 s",
            [("1.45 (1.2 to 1.6)", "at least 1.5, missed"), ("2.90 s", "at most 3.0 s")],
        ),
        ("ModuleNotFoundError: No module named 'bm25s'", [("bm25s is not installed", "at least 1.5")]),
        ("PackageNotFoundError: No package metadata was found for faiss-cpu", [("faiss-cpu is not", "")]),
        ("words, together:\nValueError: no query", [("failed: ValueError: no query", "at least 1.5")]),
    ],
)
def test_the_table_shows_figures_or_says_why_there_is_none(
    printed: str, cells: list[tuple[str, str]]
) -> None:
    rows = list(speed_table.rows_of(RUN, printed, ()))
    assert [row[:2] for row in rows] == [("together", "bm25s"), ("first", "bm25s")]
    for row, (here, goal) in zip(rows, cells, strict=False):
        assert row[2].startswith(here) and row[3].startswith(goal)


def test_the_table_runs_benchmarks_and_knows_what_is_on_record() -> None:
    results = read_results()
    for run in speed_table.runs():
        assert (FOLDER / f"{run['bench'].split()[0]}.py").is_file()
        for row in run["row"]:
            place = row.get("record", "")
            assert bool(speed_table.on_record(place, results)) == bool(place)
    with pytest.raises(WrongResult):
        speed_table.on_record("speed-join / A / b / c", results)


def test_the_table_prepares_what_commands_name(tmp_path: Path) -> None:
    texts = speed_table.made_up()[:60]
    assert len(set(texts)) == 60
    places = speed_table.prepared(tmp_path, texts)
    assert places["texts"].read_text().splitlines() == texts
    assert np.load(places["vectors"]).shape[0] == 60
    assert len(load_data(places["beir"])[1].data.queries) == 60
    assert speed_table.read(places["texts"]) == texts
    assert all(run["bench"].format(**places) for run in speed_table.runs())


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_all_can_be_imported(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pytest.importorskip("torch", reason="benchmarks stand beside networks")
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"not installed: {error.name}")


def test_fewer_candidates(bench: Callable[..., str], tmp_path: Path) -> None:
    head = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"
    of_questions = {"q1": "0100", "q2": "000", "q3": "11", "q4": "1000"}
    rows = [
        f"{name}\t{name}?\t\t\t{name}-{place}\tsentence {place}\t{label}"
        for name, labels in of_questions.items()
        for place, label in enumerate(labels)
    ]
    (tmp_path / "all.tsv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    out = tmp_path / "part.tsv"
    assert "2 questions, 6 candidates" in bench(
        "fewer_candidates", tmp_path / "all.tsv", "--wrong", 2, "--out", out
    )
    kept = out.read_text(encoding="utf-8").splitlines()
    assert kept[0] == head
    assert [row for row in rows if row in kept[1:]] == kept[1:]
    assert [row.split("\t")[4] for row in kept[1:] if row.endswith("\t1")] == ["q1-1", "q4-0"]
    assert "3 questions" in bench("fewer_candidates", tmp_path / "all.tsv", "--questions", 3, "--out", out)


def test_exam_triplets(bench: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "science-text").mkdir()
    (tmp_path / "qa-pairs").mkdir()
    head, fact = "id\tsplit\tquestion\tanswer\tchoices\tfact", "the sun warms the ground"
    rows = [
        f"1\ttrain\tWhat warms the ground?\tB\tthe moon|the sun|a cloud|rain\t{fact}",
        "2\ttest\tWhat cools it?\tA\train|sand|fire|oil\tthe rain cools the ground",
    ]
    table = "\n".join([head, *rows])
    (tmp_path / "science-text/openbookqa-with-fact.tsv").write_text(table + "\n", encoding="utf-8")
    asked = {
        "What falls from clouds?": "rain falls.",
        "what falls from CLOUDS?": "snow falls.",
        "What is ice?": "x",
    }
    for name in ("qasc", "scitail"):
        lines = [f"{place}\t{question}\t{answer}" for place, (question, answer) in enumerate(asked.items())]
        (tmp_path / f"qa-pairs/{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    bench("exam_triplets", tmp_path, "--out", tmp_path / "exam.tsv")
    with (tmp_path / "exam.tsv").open(encoding="utf-8") as lines:
        found = [line.rstrip("\n").split("\t") for line in lines]
    assert found[0] == ["anchor", "positive", "negative"]
    [of_choices] = [row for row in found[1:] if row[0] == fact]
    assert of_choices[1] == "What warms the ground? the sun"
    assert of_choices[2] in {f"What warms the ground? {one}" for one in ("the moon", "a cloud", "rain")}
    others = [row for row in found[1:] if row[0] != fact]
    assert {row[1]: row[0] for row in others}.items() <= asked.items()
    assert all(row[2] in asked and row[1].lower() != row[2].lower() for row in others)

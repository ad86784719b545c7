"""Commands without torch: every command on the samples, in processes that can't import it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from textkin.cli.commands import listed
from textkin.data import samples

pytestmark = pytest.mark.slow

ABSENT = ("torch", "transformers", "accelerate", "sentence_transformers", "peft")
RUN = """
import sys
sys.modules |= dict.fromkeys({absent!r})  # as if they were not installed
from textkin.cli import main
sys.exit(main(sys.argv[1:]))
"""

TOWN = samples.path("town.json")


def textkin(
    folder: Path,
    *arguments: str | Path,
    absent: Sequence[str] = ABSENT,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """A command without torch."""
    return subprocess.run(
        [sys.executable, "-c", RUN.format(absent=absent), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=env,
    )


def write_data(folder: Path) -> None:
    """The commands' input, from the samples."""
    pairs = samples.pairs("support-desk")
    for name, part in (("dev.tsv", pairs[::2]), ("test.tsv", pairs[1::2])):
        lines = ["question1\tquestion2\tis_duplicate", *(f"{a}\t{b}\t{label}" for a, b, label in part)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    texts = [row for row in samples.rows("questions.tsv") if row[0] == "support-desk"]
    labelled = ["text\tgroup", *(f"{row[-1]}\t{row[1]}" for row in texts)]
    (folder / "labelled.tsv").write_text("\n".join(labelled) + "\n", encoding="utf-8")
    for name, part in (("texts.txt", texts[:60]), ("more.txt", texts[60:])):
        (folder / name).write_text("\n".join(row[-1] for row in part) + "\n", encoding="utf-8")
    arrived = ["id\ttext", *(f"new{place}\t{row[-1]}" for place, row in enumerate(texts[:60]))]
    (folder / "arrived.tsv").write_text("\n".join(arrived) + "\n", encoding="utf-8")
    exam = [
        "question\tA\tB\tanswer",
        *(f"{row[-1]}\t{row[-1]} Please!\tNothing of it.\tA" for row in texts[:9]),
    ]
    (folder / "exam.tsv").write_text("\n".join(exam) + "\n", encoding="utf-8")
    (folder / "transformer").mkdir()
    (folder / "transformer/config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    (folder / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n", encoding="utf-8")
    (folder / "run.txt").write_text("q1 Q0 d1 1 2.0 x\nq2 Q0 d1 1 2.0 x\n", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a collection, codes and a decision, made by commands without torch."""
    made = tmp_path_factory.mktemp("light")
    write_data(made)
    for line in (
        "collection add c.kin labelled.tsv --text text --metadata group",
        "encode texts.txt --bits 64 --out codes.npy",
        "mine texts.txt --top 20 --out mined.tsv",
        "calibrate default dev.tsv --f1 --out cut.json",
        "verify default --out passport.json",
        "collection add near.kin labelled.tsv --text text",
        "collection index near.kin 4",
        "ensemble default tfidf --dev dev.tsv --out both",
        "match c.kin arrived.tsv --threshold 0.8 --out matches.tsv",
    ):
        done = textkin(made, *line.split())
        assert done.returncode == 0, (line, done.stderr)
    return made


LIGHT = {
    "data lint": ["dev.tsv test.tsv", "texts.txt --model default"],
    "data split": ["dev.tsv --out split", "dev.tsv --out near --near 0.9"],
    "data convert": [f"{TOWN} --out out.tsv"],
    "data negatives": ["dev.tsv --out triplets.tsv --model default"],
    "compare": [
        "test.tsv default bm25 --dev dev.tsv",
        "test.tsv default tfidf --dev dev.tsv --agreement",
        "test.tsv tfidf --fit texts.txt",
        f"{TOWN} sentence-bm25",
        f"{TOWN} reader",
        "--qrels qrels.txt run.txt -m AP",
    ],
    "ensemble": ["default bm25 --dev dev.tsv --combine sum --out sum"],
    "calibrate": ["default dev.tsv --f1 --out again.json", "c.kin --groups group --base-rate 0.1"],
    "score": [
        "one two",
        "one two --model minilm",
        "one two --model both",
        "one two --model ranker",
        "one two --model nli",
        "--pairs test.tsv --threshold 0.5 --out scored.tsv",
        "--pairs test.tsv --explain --sample 10",
        "reset password --explain --out why.html",
    ],
    "classify": ["texts.txt labelled.tsv --label group"],
    "answer": [f"When? {TOWN}", "exam.tsv --model default --out chosen.csv"],
    "encode": ["texts.txt --out vectors.npy"],
    "mine": [
        "texts.txt --out mined.tsv",
        "texts.txt --against more.txt --per-text 3 --out against.tsv",
    ],
    "dedupe": ["texts.txt --out deduped --threshold 0.8", "texts.txt --out sampled --sample 20"],
    "cluster": ["texts.txt --threshold 0.8 --out groups.tsv", "c.kin --threshold 0.8 --out kin.tsv"],
    "collection add": ["new.kin texts.txt --windows 8"],
    "collection remove": ["c.kin --where 'group=\"none\"'"],
    "runs": [". --out runs.html"],
    "search": [
        "c.kin password",
        "c.kin password --mode words --explain",
        "c.kin password --rerank ranker",
        "near.kin password --probe 2",
        "texts.txt password",
        "codes.npy texts.txt -k 2 --out found.tsv",
    ],
    "match": ["c.kin password --base-rate 0.1"],
    "collection check": ["c.kin"],
    "collection watch": ["c.kin --against matches.tsv"],
    "collection export": ["c.kin --out c.jsonl"],
    "train": ["--list", "siamese-lstm --show"],
    "label": ["mined.tsv --precision 0.5"],
    "verify": ["default --expect passport.json"],
    "doctor": [""],
    "models": [""],
    "phrases index": [f"{TOWN} --model tfidf --out phrases"],
}
HEAVY = {
    "train": "siamese-lstm --train dev.tsv --dev test.tsv --out run",
    "study": "dev.tsv --out study",
    "distil": "default --out distilled",
    "export": "default --to model2vec --out exported",
    "demo": "",
    "compare": "test.tsv siamese-lstm --untrained",
    "score": "one two --attention seen.html",
    "encode": "texts.txt transformer --out vectors.npy",
}
# Servers, see tests/server, and tables, which train only if a recipe lies in their folder.
ELSEWHERE = {"serve", "table"}


def test_every_command_is_tried() -> None:
    tried = {name.split()[0] for name in (*LIGHT, *HEAVY, *ELSEWHERE)}
    assert tried == set(listed())


@pytest.mark.parametrize(("command", "line"), [(name, one) for name, lines in LIGHT.items() for one in lines])
def test_a_command_runs_without_torch(command: str, line: str, folder: Path) -> None:
    done = textkin(folder, *command.split(), *shlex.split(line))
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(("command", "line"), [*HEAVY.items()])
def test_what_needs_torch_says_so_in_one_line_and_leaves_nothing(
    command: str, line: str, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    done = textkin(folder, command, *line.split())
    assert (done.returncode, done.stdout) == (9, "")
    (said,) = done.stderr.splitlines()
    assert "'torch', which is not installed; run: pip install 'textkin[train]'" in said
    assert sorted(folder.iterdir()) == before


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment where torch is installed and can't be imported, like CUDA's build without CUDA."""
    place = tmp_path_factory.mktemp("broken")
    for name in ("torch", "transformers", "accelerate"):
        (place / name).mkdir()
        (place / name / "__init__.py").touch()
    (place / "torch/__init__.py").write_text('raise OSError("libcudart.so.12: no such file")')
    above = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(place), *above])}


@pytest.mark.parametrize(
    "line",
    [
        "train siamese-lstm --train dev.tsv --dev test.tsv --out run",
        "study dev.tsv --out study",
        "distil default --out distilled",
        "export minilm --to onnx --out exported",
        "encode texts.txt transformer --out vectors.npy",
        "demo --out demo",
    ],
)
def test_a_broken_torch_is_named_in_one_line(line: str, folder: Path, broken: dict[str, str]) -> None:
    before = sorted(folder.iterdir())
    done = textkin(folder, *line.split(), absent=(), env=broken)
    assert (done.returncode, done.stdout) == (9, "")
    told = (
        "'torch', which can't be imported: libcudart.so.12: no such file; run: pip install --force-reinstall"
    )
    assert told in done.stderr.splitlines()[-1]
    assert sorted(folder.iterdir()) == before


def test_what_needs_no_torch_runs_beside_a_broken_one(folder: Path, broken: dict[str, str]) -> None:
    for line in ("encode texts.txt minilm --out minilm.npy", "mine texts.txt --top 20 --out near.tsv"):
        done = textkin(folder, *line.split(), absent=(), env=broken)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        ("onnx", "export minilm --to onnx --out exported"),
        ("openvino", "export minilm --to openvino --out exported"),
        ("tensorboard", "train siamese-lstm --train dev.tsv --dev test.tsv --out run --tensorboard"),
        ("lora", "train lora.toml --train dev.tsv --dev test.tsv --out run"),
    ],
)
def test_the_extra_that_brings_all_is_named_at_once(extra: str, line: str, folder: Path) -> None:
    (folder / "lora.toml").write_text('base = "pairs-encoder"\n\n[model.lora]\n', encoding="utf-8")
    done = textkin(folder, *line.split())
    assert (done.returncode, done.stdout) == (9, "")
    assert f"'torch', which is not installed; run: pip install 'textkin[{extra}]'" in done.stderr


@pytest.mark.parametrize("model", ["default", "minilm"])
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            f"answer When? {TOWN} --model {{model}}",
            "is an encoder of texts, which points at no answers; take reader, or train a recipe for spans",
        ),
        (
            f"phrases index {TOWN} --model {{model}} --out none",
            "encodes no phrases; take phrases, or train a recipe for them, such as spans-piqa",
        ),
    ],
)
def test_no_torch_is_asked_for_where_it_would_not_help(
    line: str, told: str, model: str, folder: Path
) -> None:
    done = textkin(folder, *line.format(model=model).split())
    assert done.returncode == 5
    assert f"error: {model} {told}" in done.stderr


@pytest.mark.parametrize("package", ["orjson", "uvicorn", "prometheus_client", "starlette"])
@pytest.mark.parametrize(
    "line",
    [
        "serve",
        "serve --new-key me --api-key-file keys.toml",
        "serve --mcp c.kin",
        "label mined.tsv --precision 0.5 --page --answers new.tsv",
    ],
)
def test_what_serves_says_which_extra_is_missing(line: str, package: str, folder: Path) -> None:
    if "--mcp" in line:
        pytest.importorskip("mcp")
    done = textkin(folder, *line.split(), absent=(package,))
    assert (done.returncode, done.stdout) == (9, "")
    assert "not installed; run: pip install 'textkin[server]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import textkin as tk
from textkin.base.cpu import ProductSpeeds
from textkin.base.extras import has_torch
from textkin.verbs.use import doctor as module
from textkin.verbs.use.doctor import doctor

pytestmark = pytest.mark.torch


def told(found):
    return {row["what"]: row["found"] for row in found.rows()}


def test_it_tells_versions_processor_and_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "ALL")
    found = doctor()
    assert found.textkin == tk.__version__
    assert found.python.startswith(".".join(map(str, sys.version_info[:3])))
    assert {"numpy", "numba", "cyclopts"} <= found.packages.keys() and None not in found.packages.values()
    assert {
        "torch",
        "transformers",
        "peft",
        "datasketch",
        "onnxruntime",
        "tensorboard",
    } <= found.extras.keys()
    assert not {"pytest", "ruff", "mypy", "beir", "haystack-ai"} & (
        found.extras.keys() | found.packages.keys()
    )
    assert found.limits["ONEDNN_MAX_CPU_ISA"] == "ALL"
    assert [one.name for one in found.models[:5]] == ["default", "minilm", "reader", "ranker", "nli"]
    assert told(found)["model default"] == "vectors, without torch; STS Benchmark .769"
    assert found.cores >= 1 and found.threads >= 1
    assert found.folders["folder of Python"] == Path(sys.prefix)
    names = [one.name for one in found.paths]
    assert names == ["torch's kernels", "layers in fp32", "layers in bf16", "bf16", "loops"]
    rows = told(found)
    assert f"numpy {found.packages['numpy']}" in rows["packages"]
    assert "ONEDNN_MAX_CPU_ISA=ALL" in rows["environment"]


@pytest.mark.parametrize(
    ("bf16", "words"),
    [
        (30.0, "fast path: its products are 1.50 times as fast"),
        (5.0, "slow path: its products are 0.25 times"),
    ],
)
def test_what_pays_is_measured(bf16: float, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "product_speeds", lambda: ProductSpeeds(20.0, bf16))
    assert told(doctor())["bf16"].startswith(words)


@pytest.mark.apart
def test_a_warm_up_compiles_what_commands_use(tmp_path: Path) -> None:
    code = "from textkin.cli import main; raise SystemExit(main(['doctor', '--warm-up', '--json']))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert "compiling loops for this machine" in done.stderr
    kept = {path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert kept >= {
        "bm25_loops.best_of",
        "scan_loops.scan_windows",
        "word_loops.cut_words",
        "score_loops.sift",
        "score_loops.keep_best",
        "attention_loops.attend_fp32",
        "softmax_loops.softmax_bf16",
    }


def test_loops_that_cant_be_kept_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_folder_of_loops", lambda: None)
    found = doctor()
    assert found.folders["compiled loops"] is None
    assert told(found)["loops"] == "slow path: compiled anew by each process: no folder can be written"


EMPTY = "import sys, types; sys.modules[{name!r}] = types.ModuleType({name!r})"
ABSENT = "import sys; sys.modules[{name!r}] = None"
BROKEN = """
import sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise RuntimeError("operator does not exist. See elsewhere")
sys.meta_path.insert(0, Broken())
"""
DOCTOR = "\nfrom textkin.cli import main; raise SystemExit(main(['doctor', '--json']))"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how", "words"),
    [
        ("torch", EMPTY, "(empty)"),
        ("torch", ABSENT, "(not installed)"),
        ("torch", BROKEN, "(can't be imported: operator does not exist)"),
        ("numba", BROKEN, "(can't be imported: operator does not exist)"),
    ],
)
def test_a_broken_installation_is_no_obstacle(name: str, how: str, words: str) -> None:
    script = how.format(name=name) + DOCTOR
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["extras" if name == "torch" else "packages"][name].endswith(words)
    assert found["packages"]["numpy"].count(".") >= 1 and "(" not in found["packages"]["numpy"]
    taken = {one["name"]: one["taken"] for one in found["paths"]}
    assert "loops" in taken and not (name == "numba" and taken["loops"])
    works = name != "torch" and has_torch()
    assert ("torch's kernels" in taken) == works
    assert (found["speeds"] is not None) == works


def test_what_surrounds_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*names: object) -> None:
        raise RuntimeError("Could not determine home directory.")

    def unknown(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "cache", nowhere)
    monkeypatch.setattr(module, "list_models", nowhere)
    monkeypatch.setattr(module, "requires", unknown)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    found = doctor()
    assert found.folders["downloaded models"] is None and (found.packages, found.models) == ({}, ())
    assert told(found)["loops"] == "slow path: interpreted, since NUMBA_DISABLE_JIT is set"
    assert found.limits["NUMBA_DISABLE_JIT"] == "1"


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    from textkin.cli import main

    assert main(["doctor"]) == 0
    assert "textkin           " in capsys.readouterr().out

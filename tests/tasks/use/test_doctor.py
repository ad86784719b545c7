import json
import subprocess
import sys
from pathlib import Path

import pytest

import textkin as tk
from textkin.processor import ProductSpeeds
from textkin.tasks.use import doctor as module
from textkin.tasks.use.doctor import doctor


def test_it_tells_versions_processor_and_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "ALL")
    found = doctor()
    assert found.textkin == tk.__version__
    assert found.python.startswith(".".join(map(str, sys.version_info[:3])))
    assert {"numpy", "torch", "typer"} <= found.packages.keys() and None not in found.packages.values()
    assert {"peft", "datasketch", "onnxruntime", "tensorboard"} <= found.extras.keys()
    assert not {"pytest", "ruff", "faiss-cpu"} & (found.extras.keys() | found.packages.keys())
    assert found.limits["ONEDNN_MAX_CPU_ISA"] == "ALL"
    assert found.cores >= 1 and found.threads >= 1
    assert found.folders["Python"] == Path(sys.prefix)
    names = [one.name for one in found.paths]
    assert names == ["torch's kernels", "layers in fp32", "layers in bf16", "bf16", "loops"]
    rows = dict(found.rows())
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
    assert dict(doctor().rows())["bf16"].startswith(words)


def test_loops_that_cant_be_kept_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_folder_of_loops", lambda: None)
    found = doctor()
    assert found.folders["compiled loops"] is None
    assert dict(found.rows())["loops"] == "slow path: compiled anew by each process: no folder can be written"


def test_a_broken_installation_is_no_obstacle(tmp_path: Path) -> None:
    """A patient without torch and numba is still examined."""
    script = (
        "import sys; sys.modules |= {'torch': None, 'numba': None}\n"
        "from importlib import metadata; real = metadata.version\n"
        "def version(name):\n"
        "    if name in ('torch', 'numba'): raise metadata.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "metadata.version = version\n"
        "from textkin.cli import main; raise SystemExit(main(['doctor', '--json']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert (found["packages"]["torch"], found["speeds"], found["paths"]) == (None, None, [])
    assert found["packages"]["numpy"]


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    from textkin.cli import main

    assert main(["doctor"]) == 0
    assert "textkin           " in capsys.readouterr().out

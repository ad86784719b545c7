"""The cost of imports, and the names that the package offers."""

from __future__ import annotations

import ast
import json
import os
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import textkin as tk
from tests.import_graph import circles, import_graph
from textkin.data import samples

ROOT = Path(__file__).parents[1]
NEURAL = {"torch", "accelerate"}
HEAVY = {*NEURAL, "numpy", "scipy", "pydantic", "tokenizers", "safetensors"}
HELP = "import sys; from textkin.cli import main; sys.stdout = open(os.devnull, 'w'); main(['--help'])"
WALK = """
import importlib, pkgutil
for room in {rooms!r}:
    module = importlib.import_module(room)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), room + "."):
        importlib.import_module(found.name)
"""


def loaded_by(code: str) -> set[str]:
    """The top-level packages in memory after ``code``, without the standard library and start-up."""
    report = (
        "\nimport json, sys; sys.stderr.write(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    )
    found = [
        subprocess.run([sys.executable, "-c", f"import os\n{each}{report}"], capture_output=True, check=True)
        for each in ("", code)
    ]
    before, after = (set(json.loads(one.stderr)) for one in found)
    return after - before - sys.stdlib_module_names


def torchless_rooms() -> list[str]:
    """The packages that the import contract keeps free of torch, and the commands."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (rooms,) = (one["source_modules"] for one in contracts if one["type"] == "forbidden")
    return [*rooms, "textkin.base", "textkin.networks.recipes", "textkin.cli"]


@pytest.mark.slow
def test_the_package_loads_nothing_but_the_standard_library() -> None:
    assert loaded_by("import textkin") == {"textkin"}


@pytest.mark.slow
def test_help_loads_nothing_heavy() -> None:
    found = loaded_by(HELP)
    assert "cyclopts" in found and not found & HEAVY


@pytest.mark.slow
def test_the_rooms_below_the_neural_ones_load_no_torch() -> None:
    rooms = torchless_rooms()
    assert {"textkin.data", "textkin.text", "textkin.report"} < set(rooms)
    found = loaded_by(WALK.format(rooms=rooms))
    assert "numpy" in found and not found & NEURAL


@pytest.mark.slow
def test_lexical_tasks_load_no_torch() -> None:
    tasks = [
        "textkin.verbs.data.lint",
        "textkin.verbs.data.split_file",
        "textkin.verbs.evaluate.measure_run",
        "textkin.verbs.use.scored",
    ]
    score = (
        "\nfrom textkin.verbs.use.score import score"
        "\nscore('green apple', 'green pear', 'tfidf', fit=['green apple'])"
    )
    assert not loaded_by(WALK.format(rooms=tasks) + score) & NEURAL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "late"),
    [
        (["score", "one", "two"], {"scipy", "numba"}),
        (["mine", "texts.txt", "--out", "mined.tsv"], {"scipy.stats", "scipy.optimize", "scipy.special"}),
    ],
)
def test_small_work_loads_no_more_than_it_needs(command: list[str], late: set[str], tmp_path: Path) -> None:
    texts = [row[-1] for row in samples.rows("questions.tsv")][:300]
    (tmp_path / "texts.txt").write_text("\n".join(texts), encoding="utf-8")
    code = "import sys; from textkin.cli import main; sys.exit(main(sys.argv[1:]) or print(*sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "textkin.text.baselines.static_encoder" in loaded
    assert not loaded & {"torch", "transformers", "accelerate", "sklearn", *late}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["numpy", "rich", "pydantic"])
def test_these_checks_can_fail(name: str) -> None:
    assert name in loaded_by(f"import textkin, {name}")


@pytest.mark.slow
def test_a_walk_that_meets_torch_is_seen() -> None:
    pytest.importorskip("torch")
    assert NEURAL & loaded_by(WALK.format(rooms=["textkin.networks.nn"]))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="no processor time of children on this system")
def test_help_is_fast() -> None:
    # Processor time beside that of the library that parses the command line, in turns: machines differ.
    commands = (["-c", "import cyclopts, rich.console"], ["-m", "textkin", "--help"])
    seconds: list[list[float]] = [[], []]
    for turn in range(22):
        process = subprocess.Popen([sys.executable, *commands[turn % 2]], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        seconds[turn % 2].append(usage.ru_utime + usage.ru_stime)
    library, whole = (statistics.median(one[1:]) for one in seconds)
    assert whole < 2 * library


@pytest.mark.torch
def test_the_public_names() -> None:
    assert len(set(tk.__all__)) == len(tk.__all__)
    assert set(tk.__all__) <= set(dir(tk))
    for name in tk.__all__:
        assert getattr(tk, name).__name__.rpartition(".")[2] == name
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = tk.nosuch  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        exec("from textkin import nosuch")


def test_type_checkers_see_the_same_names() -> None:
    stub = Path(tk.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    assert [alias.asname for node in imports for alias in node.names if alias.asname == alias.name] == [
        *tk._PUBLIC
    ]


def test_a_name_that_is_no_name_leads_to_the_one_that_is() -> None:
    for name, near in (("dedup", "dedupe"), ("paraphrase_mining", "mine"), ("SemHash", "dedupe")):
        with pytest.raises(AttributeError, match=rf"tk\.{near}\?"):
            getattr(tk, name)


@pytest.mark.slow
def test_no_files_import_each_other() -> None:
    """Imports inside functions count: they are dependencies, too."""
    assert circles(import_graph()) == []


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"e"}, "f": {"g"}, "g": {"f"}}
    assert circles({name: frozenset(others) for name, others in graph.items()}) == [
        ["a", "b", "c"],
        ["f", "g"],
    ]


def test_the_package_is_typed() -> None:
    assert Path(tk.__file__).with_name("py.typed").exists()

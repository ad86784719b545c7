"""dev.py: what a developer's commands run."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTEST = ["python", "-m", "pytest"]
APART = [
    *("-m", "ray or servers or site", "-n", "0"),
    *("tests/vectors/on_ray", "tests/test_benchmarks.py", "tests/test_site.py"),
]


@pytest.fixture
def dev(monkeypatch):
    """The script as a module, which notes what it would run, and the notes."""
    spec = importlib.util.spec_from_file_location("dev_script", ROOT / "dev.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "dev_script", module)
    spec.loader.exec_module(module)
    ran = []
    codes = {"apart": 0}

    def run(*command, **environment):
        ran.append([str(part) for part in command])
        return codes["apart"] if APART[-1] in ran[-1] else 0

    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module, "tool", lambda name, of=None: name)
    return module, ran, codes


def test_test_leaves_out_what_takes_long_and_all_runs_it_afterwards(dev):
    module, ran, codes = dev
    assert module.test(["-k", "join"]) == 0
    assert ran == [[*PYTEST, "-k", "join"]]
    ran.clear()
    assert module.test(["--all", "-x"]) == 0
    assert ran == [[*PYTEST, "-x"], [*PYTEST, *APART]]
    codes["apart"] = 1
    assert module.test(["--all"]) == 1


def test_bench_hands_options_to_the_benchmarks_that_are_named(dev):
    module, ran, _ = dev
    assert module.bench(["bench_start", "bench_join", "--turns", "7", "VECTORS.npy"]) == 0
    assert ran == [
        ["python", str(ROOT / "benchmarks" / f"{name}.py"), "--turns", "7", "VECTORS.npy"]
        for name in ("bench_start", "bench_join")
    ]
    with pytest.raises(SystemExit, match=r"no benchmark 'bench_strat'; choose from: bench_"):
        module.bench(["bench_strat"])


def test_ci_runs_all_tests():
    assert "dev.py test --all\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_oldest_packages_are_the_lower_ends_of_all_ranges(dev):
    module, _, _ = dev
    bounds = module.lower_bounds()
    names = [line.partition("==")[0] for line in bounds]
    assert {"numpy", "torch", "onnxscript", "psycopg", "uvicorn"} <= set(names)
    assert len(names) == len(set(names)) and not any(one in "".join(bounds) for one in ("[", ">", "textkin"))

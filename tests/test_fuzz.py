"""A short run of benchmarks/fuzz.py; a long one finds more than these few hundred cases."""

import os
import signal

import pytest
from benchmarks.fuzzing.runner import Finding, Hang, State, generator, one_case, run
from benchmarks.fuzzing.targets import TARGETS, Target, harmful

from textkin.base.errors import DataError

pytestmark = pytest.mark.torch

CASES = {
    "readers": 225,
    "models": 75,
    "indexes": 25,
    "collections": 25,
    "recipes": 125,
    "cli": 50,
}  # the targets of the long run, in about its proportions
SEED = 20_261_122


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_goes_in_textkins_own_errors_come_out(name, work):
    target = TARGETS[name]()
    target.prepare(work / f"{name}-material")
    seen = set()
    for case in range(CASES[name]):
        try:
            seen.add(one_case(target, name, SEED, case, work / f"{name}-case"))
        except Exception as error:
            pytest.fail(f"python benchmarks/fuzz.py --target {name} --seed {SEED} --case {case}: {error!r}")
    assert len(seen) > 10


class Broken(Target):
    """A target that violates every invariant in turn."""

    def prepare(self, place):
        pass

    def run(self, draw, place):
        case = int(place.with_name("count").read_text()) if place.with_name("count").exists() else 0
        place.with_name("count").write_text(str(case + 1))
        match case:
            case 0:
                raise KeyError("a defect")
            case 1:
                os.kill(os.getpid(), signal.SIGKILL)
            case 2:
                while True:
                    pass
            case 4:
                _ = b"x" * (1 << 40)
            case 5:
                raise Finding("a promise", "broken")
        return "fine"


def test_every_sort_of_finding_is_found_and_the_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setitem(TARGETS, "broken", Broken)
    monkeypatch.setattr("benchmarks.fuzzing.runner.SECONDS", 2.0)
    monkeypatch.setattr("benchmarks.fuzzing.runner._GRACE", 60.0)  # a busy machine isn't a hang
    keep = tmp_path / "state.json"
    run("broken", State.read(keep, "broken", 0), 6, tmp_path, keep)
    run("broken", State.read(keep, "broken", 0), 8, tmp_path, keep)
    state = State.read(keep, "broken", 0)
    assert state.done == 8
    kinds = ["KeyError in", "killed by 9", "Hang in", "MemoryError in", "a promise"]
    assert [next(kind for kind in kinds if where.startswith(kind)) for where in state.findings] == kinds


def test_a_case_follows_from_its_number():
    assert generator("readers", 1, 5).random() == generator("readers", 1, 5).random()
    assert generator("readers", 1, 5).random() != generator("readers", 2, 5).random()
    assert issubclass(Hang, BaseException) and not issubclass(Hang, Exception)


def test_what_acts_on_a_terminal_is_seen():
    assert harmful("fine\n\t") == ""
    assert harmful("a\x1b[2J").startswith("U+001B")
    assert harmful("a\u202e").startswith("U+202E")
    assert not harmful(str(DataError("a\x1b[2J\u202e")))

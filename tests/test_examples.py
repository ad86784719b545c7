"""The example of every public name runs, and gives the shown output."""

import doctest
import inspect
from importlib.util import find_spec

import pytest

import textkin as tk
from tests.public_names import NAMES, public
from textkin.data import samples
from textkin.verbs.experiments import study as study_module

SLOW = {"ExportedPage"}

# Their examples train, or open a trained model.
NEURAL = {
    *(
        "Answers",
        "Calibrated",
        "Certificate",
        "Diagnosis",
        "Exported",
        "StudyResult",
        "TrainingRun",
        "Verified",
    ),
    *(
        "Matcher",
        "Tower",
        "answer",
        "calibrate",
        "distil",
        "doctor",
        "export",
        "load_reader",
        "study",
        "train",
        "verify",
    ),
}


# One folder for all: a study or a training that another example has made is not made again.
@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("examples")


def examples(name: str) -> list[doctest.DocTest]:
    thing = public(name)
    found = doctest.DocTestFinder(recurse=isinstance(thing, type)).find(thing, name, globs={})
    return [one for one in found if one.examples]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.torch if name in NEURAL else pytest.mark.slow)
        if name in NEURAL | SLOW
        else name
        for name in NAMES
    ],
)
def test_its_example_runs(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = examples(name)
    assert found, f"{name} has no example"
    for one in found:
        failures: list[str] = []
        doctest.DocTestRunner().run(one, out=failures.append)
        assert not failures, "".join(failures)


def test_help_shows_an_example():
    assert ">>> found = tk.study(" in inspect.getdoc(tk.study)
    assert tk.study is study_module.study


def test_no_name_is_also_that_of_a_room():
    # Otherwise the package, once imported, would replace it.
    assert [name for name in NAMES if find_spec(f"textkin.{name.partition('.')[0]}")] == []


def test_a_misspelt_option_is_an_error():
    with pytest.raises(TypeError, match="treshold"):
        tk.mine(["a", "b"], treshold=0.9)
    with pytest.raises(TypeError, match="treshold"):
        tk.dedupe(["a", "b"], treshold=0.9)
    with pytest.raises(TypeError, match="sides"):
        tk.encode(["a", "b"], sides="query")
    with pytest.raises(TypeError, match="per_quest"):
        tk.negatives(samples.pairs("support-desk"), out="none.tsv", per_quest=1)
    with pytest.raises(TypeError, match="threshold"):
        tk.mine(["a", "b"], treshold=0.9)

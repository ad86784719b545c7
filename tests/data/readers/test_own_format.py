"""Users' own readers by import path."""

import sys

import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.data.readers import Reading, load, load_candidates, load_pairs

READERS = """
import textkin as tk

def rows(path):
    for line in path.read_text().splitlines():
        a, b, label = line.split("|")
        yield a, b, label

def ranked(path, questions="answered"):
    return tk.CandidateSet((tk.Candidates("q", questions, ("1", "2"), ("x", "y"), (1, 0)),))

def wrong(path): return 3
def failing(path): yield 1 / 0
def labelled(path): return [("a", "b", 1), ("a", "b")]
"""


@pytest.fixture
def readers(own_module, tmp_path):
    (tmp_path / "pairs.txt").write_text("a|b|1\nc|d|0\n")
    name = own_module(READERS)
    return lambda part, read=load, **more: read(
        tmp_path / "pairs.txt", reading=Reading(format=f"{name}:{part}", **more)
    )


def test_rows_are_pairs(readers):
    loaded = readers("rows", load_pairs)
    assert [(pair.a, pair.b, pair.label) for pair in loaded.data] == [("a", "b", 1), ("c", "d", 0)]
    assert (loaded.data.name, loaded.report.kept) == ("pairs.txt", 2)


def test_options_are_those_that_it_takes_by_name(readers):
    assert readers("ranked", load_candidates, questions="all").data.queries[0].query == "all"
    with pytest.raises(UsageError) as error:
        readers("rows", questions="all")
    assert error.value.params == ("questions",)


def test_records_of_another_kind_are_refused(readers):
    with pytest.raises(UsageError):
        readers("ranked", load_pairs)
    with pytest.raises(UsageError):
        readers("rows", load_candidates)


@pytest.mark.parametrize("part", ["wrong", "failing", "labelled", "tk", "nothing"])
def test_what_gives_no_records_is_refused(readers, part):
    with pytest.raises(UsageError) as error:
        readers(part)
    assert error.value.params == ("format",)


def test_a_command_reads_by_it(readers, own_module, tmp_path):
    name = own_module(READERS)
    assert len(tk.load_pairs(tmp_path / "pairs.txt", reading=tk.Reading(format=f"{name}:rows")).data) == 2
    found = tk.lint(tmp_path / "pairs.txt", format=sys.modules[name].rows)
    assert found.as_dict() == tk.lint(tmp_path / "pairs.txt", format=f"{name}:rows").as_dict()

"""Plots with MovieQA's questions."""

import gzip

import pytest

from textkin.base.errors import DataError
from textkin.data.readers.datasets.movieqa import has_plots, read_plots


@pytest.fixture
def movies(tmp_path):
    (tmp_path / "qa.json").write_text("[]")
    plots = tmp_path / "story" / "plot"
    plots.mkdir(parents=True)
    (plots / "tt1.wiki").write_text("A man wakes.  \n\nHe sleeps – again.\r\n", encoding="utf-8")
    (plots / "tt2.wiki").write_bytes(gzip.compress("\ufeffPacked.\n".encode()))
    (plots / "tt3.wiki").write_text("")
    (plots / "tt4.wiki").write_text(" \n\n")
    return tmp_path


def test_a_text_a_line_and_missing_plots_counted(movies):
    for path in (movies, movies / "qa.json", str(movies)):
        found = read_plots(path, ["tt1", "tt2", "tt3", "tt1", "tt4", "tt5"])
        assert found.texts == {"tt1": ("A man wakes.", "He sleeps – again."), "tt2": ("Packed.",)}
        assert found.missing == ("tt3", "tt4", "tt5")
        assert found.sentence() == f"{movies / 'story'}: no plot of 3 of 5 films (tt3, tt4, tt5)"
    assert read_plots(movies, ["tt1"]).sentence() == ""
    many = read_plots(movies, [f"none{n}" for n in range(9)]).sentence()
    assert many.endswith("no plot of 9 of 9 films (none0, none1, none2, ...)")


def test_sentences_come_before_paragraphs(movies):
    split = movies / "story" / "split_plot"
    split.mkdir()
    (split / "tt1.split.wiki").write_text("A man wakes.\nHe sleeps.\nAgain.\n")
    (split / "tt2.split.wiki").write_text("")
    found = read_plots(movies, ["tt1", "tt2"])
    assert found.texts == {"tt1": ("A man wakes.", "He sleeps.", "Again."), "tt2": ("Packed.",)}


def test_a_key_leads_nowhere_else(movies):
    (movies / "secret.wiki").write_text("not a plot\n")
    keys = ["../../secret", str(movies / "secret"), "", "..", "a\0b", "tt1\n", "x" * 5000, "tt1/../tt1"]
    found = read_plots(movies, keys)
    assert (dict(found.texts), list(found.missing)) == ({}, keys)


def test_no_folder_of_plots(movies, tmp_path_factory):
    empty = tmp_path_factory.mktemp("empty")
    assert has_plots(movies / "qa.json") and not has_plots(empty)
    with pytest.raises(DataError) as error:
        read_plots(empty, ["tt1"])
    assert str(error.value.path).endswith("empty0")


def test_a_plot_that_is_no_text_is_an_error(movies):
    (movies / "story" / "plot" / "tt6.wiki").write_bytes(b"caf\xe9\n")
    with pytest.raises(DataError) as error:
        read_plots(movies, ["tt6"])
    assert error.value.line == 1

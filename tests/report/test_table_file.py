import csv
import json

import pytest

from tests.report.example import systems
from textkin.base.errors import OutputError, UsageError
from textkin.report.table_file import TitledSystems, check_table_file, write_tables
from textkin.report.tables import system_rows, systems_grid


def titled(title="test.tsv"):
    return TitledSystems(title, "AP", systems(), "TF-IDF")


def test_latex_has_a_line_for_each_system_and_as_many_cells_as_columns(tmp_path):
    write_tables(tmp_path / "t.tex", [titled()])
    text = (tmp_path / "t.tex").read_text(encoding="utf-8")
    grid = systems_grid(systems(), "AP")
    body = text.split("\\midrule\n")[1].split("    \\bottomrule")[0].splitlines()
    assert len(body) == len(grid.rows)
    assert all(line.endswith(r" \\") and line.count(" & ") == len(grid.header) - 1 for line in body)
    assert f"\\begin{{tabular}}{{{'l' * 2}{'r' * (len(grid.header) - 2)}}}" in text
    assert text.index("\\toprule") < text.index("\\midrule") < text.index("\\bottomrule")


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("50 % & more_", r"50 \% \& more\_"),
        ("a\\b{c}$d#e~f^g", r"a\textbackslash{}b\{c\}\$d\#e\textasciitilde{}f\textasciicircum{}g"),
        ("x -0.5", "x $-$0.5"),
        ("WikiQA-2", "WikiQA-2"),
    ],
)
def test_latex_escapes_its_signs(tmp_path, title, shown):
    write_tables(tmp_path / "t.tex", [titled(title)])
    assert f"\\caption{{{shown}: " in (tmp_path / "t.tex").read_text(encoding="utf-8")


def test_markdown_has_the_figures_of_reports_and_what_must_be_known(tmp_path):
    write_tables(tmp_path / "t.md", [titled(), titled("other|one")])
    text = (tmp_path / "t.md").read_text(encoding="utf-8")
    assert text.count("| system | kind | AP |") == 2
    assert text.count("Differences are from TF-IDF") == 2
    assert "0.742 (0.731 to 0.753)" in text


def test_rows_for_programs_have_every_digit(tmp_path):
    write_tables(tmp_path / "t.jsonl", [titled()])
    read = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()]
    assert read == list(system_rows(systems(), "AP"))


def test_rows_of_several_tables_say_which(tmp_path):
    write_tables(tmp_path / "t.csv", [titled("=one"), titled("two")])
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    count = len(list(system_rows(systems(), "AP")))
    assert [row["data"] for row in rows] == ["'=one"] * count + ["two"] * count  # no formula


@pytest.mark.parametrize("name", ["t.pdf", "t", "t.TEX.gz"])
def test_other_endings_are_refused(tmp_path, name):
    with pytest.raises(UsageError) as error:
        check_table_file(tmp_path / name)
    assert error.value.params == ("table",)


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        write_tables(tmp_path / "file" / "t.md", [titled()])

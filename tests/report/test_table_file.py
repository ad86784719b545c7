import csv
import json
import shutil
import subprocess

import pytest

from tests.report.example import systems
from textkin.base.errors import OutputError, UsageError
from textkin.report.table_file import TitledSystems, WantedTable, write_tables
from textkin.report.tables import system_rows


def titled(title="test.tsv"):
    return TitledSystems(title, "AP", systems(), "TF-IDF")


def latex(tmp_path, *tables, columns=()):
    write_tables(tmp_path / "My table.tex", tables or [titled()], columns)
    return (tmp_path / "My table.tex").read_text(encoding="utf-8")


def rows_of(text):
    return text.split("\\midrule\n")[1].split("    \\bottomrule")[0].splitlines()


def test_latex_has_a_line_for_each_system_and_the_columns_of_a_paper(tmp_path):
    text = latex(tmp_path)
    assert "    system & AP & against TF-IDF & p \\\\\n" in text and "\\begin{tabular}{lrrr}" in text
    assert len(rows_of(text)) == len(systems().rows)
    assert all(line.endswith(r" \\") and line.count(" & ") == 3 for line in rows_of(text))
    assert rows_of(text)[0].startswith(r"    siamese-lstm & \textbf{0.742} {\tiny [0.731, 0.753]} & +0.041")
    assert text.count(r"\textbf") == 1


def test_latex_has_a_label_by_the_file_s_name_and_a_short_caption(tmp_path):
    assert r"\label{tab:my-table}" in latex(tmp_path) and r"\caption[{AP, test.tsv}]" in latex(tmp_path)
    two = latex(tmp_path, titled(), titled("other"))
    assert r"\label{tab:my-table-1}" in two and r"\label{tab:my-table-2}" in two


def test_columns_are_chosen_in_their_order(tmp_path):
    text = latex(tmp_path, columns=("system", "F1", "measure", "training"))
    assert "    system & F1 & AP & training \\\\\n" in text
    assert text.count(r"\textbf") == 2
    write_tables(tmp_path / "t.jsonl", [titled()], ("system", "AP", "p"))
    row = json.loads((tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(row) == ["system", "AP", "AP low", "AP high", "p against TF-IDF"]
    with pytest.raises(UsageError) as error:
        latex(tmp_path, columns=("system", "speed"))
    assert error.value.params == ("table_columns",) and error.value.value == "speed"


def test_columns_of_no_file_are_refused():
    with pytest.raises(UsageError) as error:
        WantedTable(None, ("AP",))
    assert error.value.params == ("table",)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
@pytest.mark.parametrize("columns", [(), ("system", "accuracy", "AP", "ROC AUC", "F1", "against", "p")])
def test_latex_fits_a_column(tmp_path, columns):
    table = latex(tmp_path, columns=columns)
    source = (
        f"\\documentclass[twocolumn]{{article}}\\usepackage{{booktabs,adjustbox}}\\begin{{document}}{table}"
    )
    (tmp_path / "paper.tex").write_text(source + "\\listoftables\\end{document}", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


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
    assert f"]{{{shown}: " in latex(tmp_path, titled(title))


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
        WantedTable(tmp_path / name)
    assert error.value.params == ("table",)


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        write_tables(tmp_path / "file" / "t.md", [titled()])

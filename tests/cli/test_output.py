from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from textkin.base.printable import HARMFUL
from textkin.base.text_table import text_table
from textkin.cli import main
from textkin.cli.output import (
    emit_json,
    emit_text,
    emit_tsv,
    jsonable,
    note,
    write_tsv,
)
from textkin.data.readers.read_report import SkipCounter, note_read
from textkin.data.records import LabelKind, Pair


def test_json_is_one_object_of_plain_values(capsys: pytest.CaptureFixture[str]) -> None:
    emit_json(
        {
            "pair": Pair("é", "[b]x[/b]", float("nan")),
            1: (np.float32(0.5), np.array([[1, 2]]), np.inf),
            "kind": LabelKind.BINARY,
            "path": Path("a/b"),
            "names": {"b", "a"},
            "none": None,
        }
    )
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out, parse_constant=pytest.fail) == {
        "pair": {"a": "é", "b": "[b]x[/b]", "label": None, "id_a": "", "id_b": "", "row": -1, "pair_id": ""},
        "1": [0.5, [[1, 2]], None],
        "kind": "binary",
        "path": "a/b",
        "names": ["a", "b"],
        "none": None,
    }


def test_what_json_has_no_type_for_is_refused() -> None:
    with pytest.raises(TypeError):
        emit_json({"x": object()})
    assert jsonable(Pair) is Pair


def test_a_table_aligns_numbers_and_shows_markup_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    emit_text(
        text_table(("name", "value", "[i]n[/i]"), [("[b]x[/b]", "0.5", "yes"), ("日本", "+10.25", "no")])
    )
    assert capsys.readouterr().out.splitlines() == [
        "name        value   [i]n[/i]",
        "────────────────────────────",
        "[b]x[/b]      0.5   yes",
        "日本       +10.25   no",
    ]


def test_a_table_that_is_piped_is_never_folded(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 300
    emit_text(text_table(("text",), [(long + "end",)], title="a [red]title"))
    assert capsys.readouterr().out.splitlines() == ["a [red]title", "text", "─" * 100, long + "end"]


def test_tab_separated_values_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["a\tb", 'say "x"', "two\nlines"], ["", "é", "1"]]
    stream = io.StringIO()
    write_tsv(stream, ("x", "y", "z"), rows)
    assert list(csv.reader(io.StringIO(stream.getvalue()), delimiter="\t")) == [["x", "y", "z"], *rows]
    emit_tsv(("x", "y", "z"), rows)
    assert capsys.readouterr().out == stream.getvalue()


def test_skipped_rows_are_noted_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    counter = SkipCounter("f.tsv")
    counter.rows = 2
    note_read(counter.report())
    assert capsys.readouterr() == ("", "")
    counter.skip(2, "empty text")
    note_read(counter.report())
    assert capsys.readouterr() == ("", "textkin: f.tsv: 2 rows, 1 kept; skipped 1: 1 empty text (line 2)\n")


HOSTILE = "\x1b[2J\x9b31m\u202eabc"
SHOWN = r"\x1b[2J\x9b31m\u202eabc"


def test_no_text_acts_on_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    emit_text(HOSTILE)
    emit_text(text_table((HOSTILE,), [(HOSTILE + "\n",)], title=HOSTILE))
    note(HOSTILE)
    emit_json({HOSTILE: HOSTILE})
    captured = capsys.readouterr()
    assert not HARMFUL.search(captured.out + captured.err)
    assert captured.out.count(SHOWN) == 4 and captured.err == f"textkin: {SHOWN}\n"
    assert json.loads(captured.out.splitlines()[-1]) == {HOSTILE: HOSTILE}
    emit_tsv((HOSTILE,), [(HOSTILE,)])  # for another program, unchanged
    assert HARMFUL.search(capsys.readouterr().out)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    emit_tsv((HOSTILE,), [(HOSTILE,)])
    assert capsys.readouterr().out == f"{SHOWN}\n{SHOWN}\n"
    emit_tsv(("id", "score"), [("a", None)])
    assert capsys.readouterr().out == "id\tscore\na\t\n"


def test_lint_and_errors_show_hostile_names_and_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{HOSTILE}.tsv"
    path.write_text(f"question1\tquestion2\tis_duplicate\n{HOSTILE}\tb\t1\n{HOSTILE}\tb\t0\n")
    for arguments in (
        ["data", "lint", str(path)],
        ["data", "lint", str(path) + "x"],
        ["score", "--model", HOSTILE, "--pairs", str(path)],
    ):
        main(arguments)
        captured = capsys.readouterr()
        assert not HARMFUL.search(captured.out + captured.err), arguments
        assert SHOWN in captured.out + captured.err

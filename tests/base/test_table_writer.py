import io
import json
from pathlib import Path

import pytest

from textkin.base.errors import UsageError
from textkin.base.table_writer import RowWriter, check_ending


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("x.tsv", 'n\ttext\n1\t"a\tb"\n2\tc,d\n'),
        ("x.csv", 'n,text\n1,a\tb\n2,"c,d"\n'),
        ("x.jsonl", '{"n": 1, "text": "a\\tb"}\n{"n": 2, "text": "c,d"}\n'),
    ],
)
def test_rows_in_three_formats(name: str, wanted: str) -> None:
    stream = io.StringIO()
    check_ending(Path(name))
    writer = RowWriter(stream, Path(name), ("n", "text"))
    writer.write([(1, "a\tb")])
    writer.write([(2, "c,d")])
    assert stream.getvalue() == wanted


def test_other_letters_are_written_as_they_are() -> None:
    stream = io.StringIO()
    RowWriter(stream, Path("x.jsonl"), ("text",)).write([("naïve",)])
    assert "naïve" in stream.getvalue() and json.loads(stream.getvalue()) == {"text": "naïve"}


def test_other_endings_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        check_ending(Path("pairs.xlsx"))
    assert error.value.params == ("out",)

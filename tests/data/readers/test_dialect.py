import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.data.readers.dialect import Cut, SpanningRecord, cut, guess_delimiter, guess_quoting

fields = st.lists(st.text(st.sampled_from('a ,;"\t\n\r\u2028é'), max_size=6), min_size=1, max_size=5)


@settings(deadline=None)
@given(fields, st.sampled_from("\t,;"), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_cut_reads_what_a_csv_writer_writes(row: list[str], delimiter: str, quoting: int) -> None:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="").writerow(row)
    assert cut(stream.getvalue(), delimiter) == Cut(tuple(row))


@settings(deadline=None)
@given(st.text(st.sampled_from('ab,"'), max_size=12))
def test_cut_agrees_with_strict_csv(record: str) -> None:
    reading = cut(record, ",")
    try:
        (expected,) = csv.reader([record], strict=True) if record else ([""],)
    except csv.Error:
        assert reading.open_at is not None or reading.stray_at is not None
    else:
        assert reading == Cut(tuple(expected))


@pytest.mark.slow
@settings(deadline=None, max_examples=500)
@given(st.text(st.sampled_from('ab,"\n\r'), max_size=16), st.sampled_from(",\t"))
def test_a_record_cut_line_by_line_is_cut_as_a_whole(text: str, delimiter: str) -> None:
    """The oracle: join all lines so far, and parse them from the beginning."""
    spanning, pending = SpanningRecord(delimiter), list[str]()
    for line in text.split("\n"):
        pending.append(line)
        spanning.add(line)
        record = "\n".join(pending).removesuffix("\r")
        whole = cut(record, delimiter)
        broken = whole.open_at if whole.stray_at is None else whole.stray_at
        assert spanning.is_open == (whole.open_at is not None)
        assert spanning.is_stray == (whole.stray_at is not None)
        assert tuple(spanning.fields) == whole.fields
        assert broken is None or spanning.begun == record.count("\n", 0, broken)
        if not spanning.is_open:
            return


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        (["a\tb", "c, d\te"], "\t"),
        (["a,b", "c,d"], ","),
        (["question;answer", "Well, yes;no", "a;b"], ";"),
        (['a,"b;c"', '"d,\te",f'], ","),
        (["one column", "of text"], None),
    ],
)
def test_delimiter(lines: list[str], delimiter: str | None) -> None:
    assert guess_delimiter(lines) == delimiter


@pytest.mark.parametrize(
    ("lines", "quoting"),
    [
        (["a\tb", 'x\t"The ""Wow"" signal"', "y\tz"], "csv"),
        (["a\tb", 'x\tThe "Wow" signal', '"Yes" he said\tz'], "none"),
        (["a\tb", '5" pipe\tx'], "none"),
        (["a\tb", '"tab\there"\tx'], "csv"),
        (["a\tb", '"two', 'lines"\tx', "x\ty"], "csv"),
        (['"two', 'lines"\tx\t1', "x\ty\t0", "y\tz\t1"], "csv"),
        (['"two', 'lines"\t"x"\t"1"', '"x"\t"y"\t"0"'], "csv"),
        (['"opens\there\t1', "x\ty\t0", 'y\tends"\t1'], "none"),
        (["a\tb", '"Yes"\tno', "x\ty"], "none"),
        (["a\tb", '"opens\there', 'x"\tends', "x\ty"], "none"),
        (['"a"\t"b"', '"Yes"\t"no"'], "csv"),
        (["a\tb", '"opens\there"'], "none"),
        (["a\tb", "x\ty"], "none"),
        (["a\tb", 'x\t"says ""one"""', 'x\t"says ""two"""', '"stray\tx'], "csv"),
    ],
)
def test_quoting_with_tabs_goes_by_majority(lines: list[str], quoting: str) -> None:
    assert guess_quoting(lines, "\t") == quoting


def test_commas_always_quote() -> None:
    assert guess_quoting(['5" pipe,x'], ",") == "csv"


def test_bars_part_columns_where_nothing_better_does():
    assert guess_delimiter(["id|text", "1|a", "2|b"]) == "|"
    assert guess_delimiter(["id\ttext", "1\ta | b", "2\tc | d"]) == "\t"
    assert guess_delimiter(["text", "a | b", "c | d"]) is None

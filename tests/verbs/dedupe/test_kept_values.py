"""The values of a column by which a text is kept."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError

BIG = 2**53
EAST = timezone(timedelta(hours=9))


def reasons(values, *, texts=("one text", "One text")):
    found = tk.dedupe(list(texts), threshold=0.9, keep=values)
    return found.kept.tolist(), [row.why for row in found]


@pytest.mark.parametrize(
    ("values", "kept", "why"),
    [
        ([BIG, BIG + 1], 1, f"{BIG + 1} against {BIG}"),
        ([10**40, 10**40 + 1], 1, f"{10**40 + 1} against {10**40}"),
        ([BIG + 1, float(BIG)], 0, f"{BIG + 1} against {float(BIG):.15g}"),
        (np.array([BIG + 1, BIG], dtype=np.uint64), 0, f"{BIG + 1} against {BIG}"),
        ([Decimal("0.1"), Decimal("0.10000000000000000001")], 1, "0.10000000000000000001 against 0.1"),
        ([date(2026, 1, 31), date(2025, 12, 31)], 0, "2026-01-31 against 2025-12-31"),
        ([date(2026, 1, 31), datetime(2026, 1, 31, 12)], 1, "2026-01-31 12:00:00 against 2026-01-31"),
        (
            [datetime(2026, 1, 1, 8, tzinfo=EAST), datetime(2026, 1, 1, 0, tzinfo=UTC)],
            1,
            "2026-01-01 00:00:00+00:00 against 2026-01-01 08:00:00+09:00",
        ),
        (["2025-12-31", "2026-01-01T00:00"], 1, "2026-01-01T00:00 against 2025-12-31"),
        (np.array(["2026-01-02", "2026-01-01"], dtype="datetime64[ns]"), 0, None),
        (np.array(["2026-01-02", "NaT"], dtype="datetime64[D]"), 0, "2026-01-02 against no value"),
        (np.array([2.8, 1.1], dtype=np.float32), 0, "2.8 against 1.1"),
        ([np.float32(1.1), np.float32(2.8)], 1, "2.8 against 1.1"),
        ([None, float("-inf")], 1, "-inf against no value"),
        ([3, 2.5], 0, "3 against 2.5"),
    ],
)
def test_the_highest_is_kept_and_told_as_it_was_written(values, kept, why):
    found, [told] = reasons(values)
    assert found == [kept]
    assert why is None or told == f"highest: {why}"


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_single_precision(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    made = {"text": ["one text", "One text"], "worth": np.array([2.8, 1.1], dtype=np.float32)}
    frame = frames.table(made) if library == "pyarrow" else frames.DataFrame(made)
    found = tk.dedupe(frame, text="text", threshold=0.9, keep="worth")
    assert [row.why for row in found] == ["highest: 2.8 against 1.1"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_dates(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    times = [datetime(2026, 1, 31, 12), None, datetime(2026, 2, 1)]
    frame = frames.DataFrame({"text": ["one text", "One text", "one  text"], "seen": times})
    found = tk.dedupe(frame, text="text", threshold=0.9, keep="seen")
    assert found.kept.tolist() == [2]
    assert [row.why for row in found] == [
        "highest: 2026-02-01 against 2026-01-31 12:00:00",
        "highest: 2026-02-01 against no value",
    ]


@pytest.mark.parametrize(
    ("cells", "kept", "why"),
    [
        ((BIG, BIG + 1), 1, f"{BIG + 1} against {BIG}"),
        (("2026-01-31", "2025-12-31"), 0, "2026-01-31 against 2025-12-31"),
        (("2026-01-31", "unknown"), 0, "2026-01-31 against no value"),
        (("5.0", "05"), 1, None),
    ],
)
def test_columns_of_files(tmp_path, cells, kept, why):
    path = tmp_path / "texts.csv"
    path.write_text(f"text,seen\none text,{cells[0]}\nOne text,{cells[1]}\n")
    found = tk.dedupe(path, text="text", threshold=0.9, keep="seen")
    assert found.kept.tolist() == [kept]
    assert why is None or [row.why for row in found] == [f"highest: {why}"]
    done = tk.dedupe(path, text="text", threshold=0.9, keep="seen", out=tmp_path / "out")
    assert done.counts.removed == 1 and (why is None or why in (tmp_path / "out/removed.tsv").read_text())


def test_a_column_of_neither(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("text,seen\none text,yes\nOne text,31.1.2026\n")
    with pytest.raises(DataError) as error:
        tk.dedupe(path, text="text", threshold=0.9, keep="seen")
    assert "2026-01-31" in error.value.fix


@pytest.mark.parametrize("values", [["a", 1], [1, "12"], [1, date(2026, 1, 1)], ["31.1.2026"] * 2, [1, b"1"]])
def test_other_values_are_refused(values):
    with pytest.raises(UsageError) as error:
        tk.dedupe(["one text", "One text"], threshold=0.9, keep=values)
    assert error.value.params == ("keep",) and error.value.fix == "write dates as 2026-01-31"

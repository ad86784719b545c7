"""``tk.add`` and ``tk.remove``."""

from datetime import date, datetime, time
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError

TEXTS = ["Where can I park my car?", "When do you open?"]


def test_texts_with_ids_and_metadata(tmp_path):
    made = tk.add(tmp_path / "c", TEXTS, id=["a", "b"], metadata=[{"lang": "en"}, {"lang": "de"}])
    assert (made.added.new, made.entries, made.has_ids) == (2, 2, True)
    assert tk.add(tmp_path / "c", TEXTS[:1], ids=["a"], metadata=[{"lang": "en"}]).added.unchanged == 1
    assert tk.search(tmp_path / "c", "open", where='lang = "de"')[0].id == "b"
    gone = tk.remove(tmp_path / "c", ids=["a", "none"])
    assert (gone.removed, gone.missing, gone.entries) == (1, 1, 1)
    assert tk.remove(tmp_path / "c", where='lang = "de"').entries == 0


@pytest.mark.parametrize("name", ["id", "metadata"])
def test_a_column_with_the_rows_in_another_order_is_refused(tmp_path, name):
    frame = pd.DataFrame({"text": TEXTS, "id": ["a", "b"], "metadata": [{"n": 0}, {"n": 1}]})
    with pytest.raises(UsageError):
        tk.add(tmp_path / "c", frame["text"], **{name: frame[name][::-1]})
    with tk.open_collection(tmp_path / "d", create=True) as kept, pytest.raises(UsageError):
        kept.add(frame["text"], **{"ids" if name == "id" else name: frame[name][::-1]})
    assert tk.add(tmp_path / "c", frame["text"], **{name: frame[name]}).added.new == 2


def test_ids_are_without_blanks_around_them_as_those_of_files(tmp_path):
    frame = pd.DataFrame({"id": ["7 ", " 8"], "text": TEXTS})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert tk.add(tmp_path / "c", tmp_path / "rows.csv", id="id").entries == 2
    assert tk.add(tmp_path / "c", frame, id="id").added.unchanged == 2
    assert tk.add(tmp_path / "c", TEXTS, id=["7 ", " 8"]).added.unchanged == 2
    assert tk.add(tmp_path / "c", [tk.Entry(" 7", TEXTS[0])]).added.unchanged == 1
    assert tk.remove(tmp_path / "c", ids=["8 "]).entries == 1


def test_a_frame_and_an_open_collection(tmp_path):
    frame = pd.DataFrame({"key": [1, 2], "said": TEXTS, "year": [2019, 2021]})
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        made = tk.add(kept, frame, text="said", id="key", metadata="year")
        assert made.added.new == 2
        assert kept.store.rows(["2"])[0].metadata == {"year": 2021}
        assert tk.remove(kept, ids=[1]).removed == 1
        with pytest.raises(UsageError) as error:
            tk.add(kept, TEXTS, "minilm")
        assert error.value.params == ("model",)


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"id": [7, 8], "text": TEXTS}),
        pd.DataFrame({"id": [7, 8], "text": TEXTS}).to_dict("records"),
        pd.DataFrame({"text": TEXTS}, index=pd.Index([7, 8], name="ticket")),
        dict(zip([7, 8], TEXTS, strict=True)),
    ],
    ids=["column", "records", "index", "mapping"],
)
def test_ids_of_the_data_are_the_entries(tmp_path, data):
    tk.add(tmp_path / "c", data)
    assert tk.search(tmp_path / "c", "open", k=1)[0].id == "8"


def test_cells_of_a_frame_are_metadata_as_those_of_a_file(tmp_path):
    """What is missing or empty isn't there, dates are texts, and single precision has its own digits."""
    frame = pd.DataFrame(
        {
            "said": TEXTS,
            "votes": [1.0, None],
            "rank": pd.array([None, 2], dtype="Int64"),
            "day": pd.to_datetime(["2026-01-01", None]),
            "at": pd.to_datetime(["2026-01-01 00:00", "2026-01-02 12:30"]),
            "price": [Decimal("1.50"), None],
            "opens": [time(9, 30), None],
            "took": pd.to_timedelta([90, None], unit="min"),
            "code": [UUID(int=1), None],
            "tags": [np.array(["a", "b"]), None],
            "note": ["x", ""],
            "share": np.array([0.1, np.nan], dtype=np.float32),
            "weight": pd.array([0.3, None], dtype="Float32"),
        },
        index=pd.Index(["a", "b"], name="key"),
    )
    names = list(frame.columns[1:])
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        tk.add(kept, frame, text="said", metadata=names)
        one, other = (kept.store.rows([name])[0].metadata for name in "ab")
    numbers = {"votes": 1.0, "share": 0.1, "weight": 0.3}
    texts = {
        "day": "2026-01-01",
        "at": "2026-01-01 00:00:00",
        "price": "1.50",
        "opens": "09:30:00",
        "took": "0 days 01:30:00",
    }
    assert one == texts | {"code": str(UUID(int=1)), "tags": ["a", "b"], "note": "x"} | numbers
    assert other == {"rank": 2, "at": "2026-01-02 12:30:00"}
    with tk.open_collection(tmp_path / "d", create=True) as kept:
        kept.add(TEXTS, ids=["a", "b"], metadata=[{"share": np.float32(0.1), "day": date(2026, 1, 1)}, {}])
        assert kept.store.rows(["a"])[0].metadata == {"share": 0.1, "day": "2026-01-01"}
        times = [{"at": datetime(2026, 1, 1)}, {"at": datetime(2026, 1, 1, 9, 30)}]
        kept.add(TEXTS, ids=["a", "b"], metadata=times)
        found = [kept.store.rows([name])[0].metadata["at"] for name in "ab"]
        assert found == ["2026-01-01 00:00:00", "2026-01-01 09:30:00"]


def test_an_index_without_a_name_is_no_id(tmp_path):
    tk.add(tmp_path / "c", pd.DataFrame({"text": TEXTS}))
    assert tk.add(tmp_path / "c", pd.DataFrame({"text": TEXTS[::-1]})).added.unchanged == 2


def test_without_ids_the_same_text_is_one_entry(tmp_path):
    made = [tk.add(tmp_path / "c", pd.Series(TEXTS)).entries for _ in range(2)]
    assert made == [2, 2]


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"text": "said"}, ("text",)),
        ({"id": "key"}, ("id",)),
        ({"metadata": "lang"}, ("metadata",)),
        ({"windows": -1}, ("windows",)),
    ],
)
def test_options_of_add_that_are_refused(tmp_path, options, params):
    with pytest.raises(UsageError) as error:
        tk.add(tmp_path / "c", TEXTS, **options)
    assert error.value.params == params
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("options", [{}, {"ids": ["a"], "where": "x exists"}])
def test_ids_or_a_filter_are_given(tmp_path, options):
    tk.add(tmp_path / "c", TEXTS)
    with pytest.raises(UsageError) as error:
        tk.remove(tmp_path / "c", **options)
    assert error.value.params[0] == "ids"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (TEXTS, {"id": ["t1", "t1"]}),
        (TEXTS, {"id": [1, "1"]}),
        (pd.DataFrame({"id": [7, 7], "text": TEXTS}), {}),
    ],
)
def test_an_id_that_comes_twice_is_refused(tmp_path, data, options):
    """The later text would take the place of the earlier one."""
    with pytest.raises(UsageError, match="are the same id"):
        tk.add(tmp_path / "c", data, **options)


def test_missing_metadata_are_left_out(tmp_path):
    with tk.open_collection(tmp_path / "c", create=True) as kept:
        tk.add(kept, TEXTS, id=["a", "b"], metadata=[{"x": None, "n": {"y": None}}, {"x": 3}])
        assert kept.store.rows(["a"])[0].metadata == {"n": {"y": None}}
        assert [hit.id for hit in kept.search("open", where="x exists")] == ["b"]


def test_a_lone_text_is_told_to_stand_in_a_list(tmp_path):
    with pytest.raises(DataError) as error:
        tk.add(tmp_path / "c", "a single text")
    assert "in a list" in str(error.value)

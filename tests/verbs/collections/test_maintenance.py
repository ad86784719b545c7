import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError


@pytest.fixture
def place(tmp_path):
    tk.add(tmp_path / "c.kin", [f"note number {number}" for number in range(100)])
    return tmp_path / "c.kin"


def test_an_open_collection_is_taken_and_stays_open(place, tmp_path):
    with tk.open_collection(place) as opened:
        assert tk.collection_info(opened).entries == tk.check_collection(opened).count == 100
        opened.remove(where="year < 2000")
        assert tk.compact_collection(opened).folder == place
        assert tk.export_collection(opened, out=tmp_path / "all.jsonl").entries == len(opened)


def test_an_index_in_memory_is_as_large_as_one_in_a_folder():
    with tk.open_collection("memory://", create=True) as opened:
        opened.add([f"text number {place}" for place in range(400)])
        assert tk.index_collection(opened).cells == 20


def test_an_index_has_about_the_square_root_of_the_entries_as_cells(place):
    made = tk.index_collection(place)
    assert made.cells == 10 and made.as_dict()["recall"][max(made.recall)].share.value == 1
    assert tk.collection_info(place).approximate == made.about
    with pytest.raises(UsageError) as error:
        tk.index_collection(place, 26)
    assert (error.value.params, error.value.value) == (("cells",), 26)
    assert tk.index_collection(place, 0).recall == {} and not tk.collection_info(place).approximate


def test_damage_has_an_exit_code(place):
    assert tk.check_collection(place).exit_code == 0
    (place / "collection.sqlite").write_bytes(b"no database")
    assert tk.check_collection(place).exit_code == 8


def test_the_export_needs_a_known_ending(place, tmp_path):
    with pytest.raises(UsageError) as error:
        tk.export_collection(place, out=tmp_path / "all.txt")
    assert error.value.params == ("out",)


VALUES = [2003.0, 2003, "2003", "2003.0", 0.1 + 0.2, 1e16, -0.0, 2**53 + 1, True, "True", "007", "", " x "]
VALUES += [["a", 2.0, None, 1], {"x": {"y": [1]}}, "[1]", "a\u2028b", "null"]


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "arrow"])
def test_what_was_exported_comes_back(tmp_path, ending):
    ids = [
        " lead",
        "a,b",
        "007",
        "\ufeffx",
        "e\u0301",
        "\u00e9",
        *(f"i{place}" for place in range(len(VALUES))),
    ]
    about = [{}] * 6 + [{"v": value} for value in VALUES]
    texts = [" same ", "same", "crlf\r\nline\ttab", "\ufeffbom", '"quoted"', *ids[5:]]
    with tk.open_collection(tmp_path / "one", create=True) as one:
        one.add(texts, ids=ids, metadata=about)
        tk.export_collection(one, out=tmp_path / f"all.{ending}")
        expected = list(one.store.entries())
    with tk.open_collection(tmp_path / "again", create=True) as again:
        tk.add(again, tmp_path / f"all.{ending}")
        found = list(again.store.entries())
    assert repr(found) == repr(expected)


def test_later_rows_without_metadata_are_told(tmp_path):
    rows = ['{"id": "a", "text": "one", "metadata": {"v": 1}}'] * 150
    rows = [row.replace('"a"', f'"a{place}"') for place, row in enumerate(rows)]
    (tmp_path / "all.jsonl").write_text("\n".join([*rows, '{"id": "b", "text": "two", "metadata": 3}']))
    with pytest.raises(DataError) as error:
        tk.add(tmp_path / "c", tmp_path / "all.jsonl")
    assert error.value.line == 151


def test_a_table_with_a_column_of_this_name_is_one_like_any(tmp_path):
    (tmp_path / "all.csv").write_text("id,text,metadata\na,one,en\nb,two,{}\n")
    with tk.open_collection(tmp_path / "c", create=True) as made:
        tk.add(made, tmp_path / "all.csv")
        assert [one.metadata for one in made.store.entries()] == [{}, {}]


def test_there_is_no_collection(tmp_path):
    for verb in (tk.collection_info, tk.check_collection, tk.repair_collection):
        with pytest.raises(UsageError) as error:
            verb(tmp_path / "none")
        assert error.value.params == ("collection",)

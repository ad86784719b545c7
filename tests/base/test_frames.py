from collections import namedtuple

import pytest

from textkin.base.errors import UsageError
from textkin.base.frames import Records, column_names, known_column, require_order, tabular, taken
from textkin.data.readers.read_report import Loaded, SkipCounter

ROWS = [{"text": "Hello!", "votes": 3}, {"text": "Bye!"}]


class Lazy:
    """A frame whose rows are computed when it is collected, as polars has them."""

    def collect(self):
        return Records(ROWS)

    def collect_schema(self):
        return {}


@pytest.mark.parametrize("given", [ROWS, Lazy()])
def test_records_and_lazy_frames_become_tables(given):
    table = tabular(given)
    assert (column_names(table), table["votes"], table[1]) == (["text", "votes"], [3, None], ROWS[1])


def test_what_is_loaded_gives_its_data_and_a_column_of_that_name_stays():
    loaded = Loaded(ROWS, SkipCounter("rows").report(), "rows")
    assert tabular(loaded) == loaded.data
    table = Records([{"held": 1}])
    assert tabular(table) is table
    frame = pytest.importorskip("pandas").DataFrame({"held": [1]})
    assert tabular(frame) is frame


def test_named_tuples_become_records():
    Row = namedtuple("Row", "text votes")
    table = tabular([Row("Hello!", 3), Row("Bye!", None)])
    assert (column_names(table), table["votes"]) == (["text", "votes"], [3, None])


def test_a_corpus_of_beir_becomes_records_with_its_ids():
    table = tabular({"d1": {"title": "Parking", "text": "where"}, 2: {"text": "when"}})
    assert (table["_id"], table["title"], table["text"]) == (["d1", 2], ["Parking", None], ["where", "when"])
    run = {"q": {"text": 0.5}}
    assert tabular(run) is run


@pytest.mark.parametrize("given", [[], ["text"], [{"a": 1}, "b"], {"a": [1]}, "text", None])
def test_other_data_stay_as_they_are(given):
    assert tabular(given) is given


def test_a_column_is_known_by_its_label_and_by_the_words_of_it():
    assert (known_column([0, "b"], "0", "text"), known_column([0, "b"], "b", "text")) == (0, "b")
    with pytest.raises(UsageError) as error:
        known_column([0, "b"], "c", "text")
    assert (error.value.params, error.value.value) == (("text",), "c")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_rows_are_taken_in_the_form_of_the_data(library):
    module = pytest.importorskip(library)
    if library == "numpy":
        assert taken(module.array([[1, 2], [3, 4], [5, 6]]), [2, 0]).tolist() == [[5, 6], [1, 2]]
        return
    rows = [{"a": 1}, {"a": 2}, {"a": 3}]
    table = module.Table.from_pylist(rows) if library == "pyarrow" else module.DataFrame(rows)
    found = taken(table, [2, 0])
    assert type(found) is type(table)
    assert list(map(int, found["a"].to_numpy())) == [3, 1]
    assert len(taken(table, [])) == 0


def test_rows_of_lists_and_of_columns_are_taken():
    assert taken(Records(ROWS), [1]) == [ROWS[1]]
    assert taken({"a": [1, 2], "b": [3, 4]}, [1]) == {"a": [2], "b": [4]}


def test_a_column_with_the_rows_in_another_order_is_refused():
    frames = pytest.importorskip("pandas")
    data = frames.DataFrame({"text": list("abc")}, index=[5, 3, 9])
    for other in (data["text"], data, data["text"].set_axis([1, 2, 3]), data["text"].iloc[:2], ["x"]):
        require_order(data, other, "gold")
    require_order(list("abc"), data["text"], "gold")
    with pytest.raises(UsageError) as error:
        require_order(data, data["text"].sort_index(), "gold")
    assert error.value.params == ("gold",)

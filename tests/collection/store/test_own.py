"""Users' own back ends: errors of each wrong part, and what is left to them."""

import pytest

import textkin as tk
from tests.collection.store.conftest import guide_store
from tests.collection.store.making import vectors_of
from textkin.base.errors import OutputError, UsageError
from textkin.collection.store.back_end import BackEnd, Change, Retold, State, StoredRow
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Entry

LINES = guide_store().Lines


def opened(monkeypatch, tmp_path, **methods):
    """A collection in the guide's back end, with other methods."""
    module = type("Module", (), {"Own": type("Own", (LINES,), methods)})()
    monkeypatch.setitem(__import__("sys").modules, "own_store", module)
    return open_store(f"own_store:Own://{tmp_path}/lines", create={})


def add(store):
    return list(store.add([Entry("a", "ice")], vectors_of))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (None, "a module wrong_store that Python finds"),
        ("1 / 0", "a module that can be imported"),
        ("Other = 1", "a name in the module wrong_store"),
        ("def Own(path): pass", "a class derived from textkin.verbs.BackEnd"),
        ("class Own: pass", "a class derived from textkin.verbs.BackEnd"),
        (
            "from textkin.verbs import BackEnd\nclass Own(BackEnd):\n    def close(self): pass",
            "a class that also has begin, end, facts, is_created, removed, rows, state, write",
        ),
    ],
)
def test_what_is_no_back_end(tmp_path, monkeypatch, code, expected):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "wrong_store", raising=False)
    if code is not None:
        (tmp_path / "wrong_store.py").write_text(code)
    with pytest.raises(UsageError) as error:
        tk.open_collection("wrong_store:Own://x", create=True)
    assert (error.value.params, error.value.value) == (("collection",), "wrong_store:Own")
    assert error.value.expected == expected


def failing(*_, **__):
    raise KeyError("oh no")


def full(*_, **__):
    raise OSError(28, "No space left")


@pytest.mark.parametrize("method", ["__init__", "is_created", "write", "facts", "state", "begin"])
def test_what_a_back_end_raises_names_it(monkeypatch, tmp_path, method):
    with pytest.raises(UsageError) as error, opened(monkeypatch, tmp_path, **{method: failing}) as store:
        store.counter(), store.words(["ice"], 1)
    assert (error.value.params, error.value.value) == (("collection",), "own_store:Own")
    assert isinstance(error.value.__cause__, KeyError)


@pytest.mark.parametrize("method", ["write", "begin"])
def test_what_a_system_refuses_is_an_error_of_output(monkeypatch, tmp_path, method):
    with pytest.raises(OutputError), opened(monkeypatch, tmp_path, **{method: full}) as store:
        store.words(["ice"], 1)


@pytest.mark.parametrize(
    "methods",
    [
        {"rows": lambda self, which, columns: iter([(1,)])},
        {"rows": lambda self, which, columns: map(failing, [1])},
        {"check": lambda self: map(failing, [1])},
        {"count": failing},
        {"compact": failing},
    ],
)
def test_wrong_rows_and_iterators_that_raise(monkeypatch, tmp_path, methods):
    from textkin.collection.store.check_and_repair import check_collection

    with opened(monkeypatch, tmp_path) as store:
        add(store)
    with pytest.raises(UsageError) as error, opened(monkeypatch, tmp_path, **methods) as store:
        store.rows(["a"])
        store.newer(0)
        store.compact()
        check_collection(store.place)
    assert error.value.params == ("collection",)


def test_a_write_says_whether_it_was_done(monkeypatch, tmp_path):
    with pytest.raises(UsageError) as error:
        opened(monkeypatch, tmp_path, write=lambda self, change: LINES.write(self, change) and None)
    assert isinstance(error.value.__cause__, TypeError)


def test_a_back_end_that_creates_nothing_is_told(monkeypatch, tmp_path):
    with pytest.raises(UsageError) as error:
        opened(monkeypatch, tmp_path, write=lambda self, change: True)
    assert error.value.params == ("collection",)
    assert error.value.expected == "a back end that has a collection once it was created"


def test_errors_of_an_encoder_are_not_the_back_ends(monkeypatch, tmp_path):
    with opened(monkeypatch, tmp_path) as store, pytest.raises(KeyError):
        list(store.add([Entry("a", "ice")], failing))


@pytest.mark.slow
def test_cache_files_of_a_back_end(monkeypatch, tmp_path):
    monkeypatch.setattr("textkin.collection.store.segment_file.WORTH_A_FILE", 3)
    entries = [Entry(str(number), f"ice {number}") for number in range(9)]
    with opened(monkeypatch, tmp_path, cache=tmp_path / "cache") as store:
        list(store.add(entries, vectors_of))
        found = store.words(["ice 3"], 3), store.nearest(vectors_of(["x"]), 3)
        assert store.sizes()[1] > 0
    assert len(list((tmp_path / "cache").glob("*.segment"))) == 1
    with opened(monkeypatch, tmp_path, cache=tmp_path / "cache") as store:
        assert (store.words(["ice 3"], 3), store.nearest(vectors_of(["x"]), 3)) == found
        assert store._session.view.parts()[0].file is not None


def test_a_line_that_was_cut_is_none(monkeypatch, tmp_path):
    with opened(monkeypatch, tmp_path) as store:
        add(store)
    with (tmp_path / "lines").open("a") as file:
        file.write('{"before": 1')
    with opened(monkeypatch, tmp_path) as store:
        assert len(store) == 1 and add(store)[0].unchanged == 1
        assert store.remove(["a"]) == 1
    with opened(monkeypatch, tmp_path) as store:
        assert len(store) == 0


def test_a_change_comes_back_from_its_line():
    rows = [
        StoredRow(3, "ä", "{}", "ice", 1, 2, b"\0\1", 3, b"\2", 4),
        StoredRow(4, "b", "{}", "\n", 1, -2, b"\0", 3),
    ]
    change = Change(2, State(5, 2, 0), (1,), rows, (Retold(2, '{"a": 1}', 7),), {"dim": "4"})
    again = BackEnd.read_change(change.to_json())
    assert "\n" not in change.to_json()
    assert (again.state, list(again.removed), again.added) == (change.state, [1], rows)
    assert (again.retold, again.facts, again.journal) == ([*change.retold], change.facts, [(3, 1)])

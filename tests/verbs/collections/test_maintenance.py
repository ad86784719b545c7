import pytest

import textkin as tk
from textkin.base.errors import UsageError


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


def test_there_is_no_collection(tmp_path):
    for verb in (tk.collection_info, tk.check_collection, tk.repair_collection):
        with pytest.raises(UsageError) as error:
            verb(tmp_path / "none")
        assert error.value.params == ("collection",)

"""A collection whose folder is deleted, replaced or overwritten is neither written to nor read."""

import shutil
import subprocess
import sys

import pytest

import textkin as tk
from tests.collection.store.making import vectors_of
from textkin.base.errors import DataError, OutputError
from textkin.collection.store.check_and_repair import check_collection, repair_collection
from textkin.collection.store.open_store import open_store
from textkin.collection.store.replaced_folder import acknowledged, beside
from textkin.collection.store.sqlite import DATABASE
from textkin.data.entry_records import Added, Entry


def stored(store, *ids):
    return sum(store.add([Entry(name, f"text {name}") for name in ids], vectors_of), Added())


@pytest.fixture
def folder(tmp_path):
    with open_store(tmp_path / "c", create={}) as store:
        stored(store, "a", "b")
    shutil.copytree(tmp_path / "c", tmp_path / "copy")
    return tmp_path / "c"


def deleted(folder):
    shutil.rmtree(folder)


def replaced(folder):
    shutil.rmtree(folder)
    shutil.copytree(folder.parent / "copy", folder)


def renamed_over(folder):
    folder.rename(folder.parent / "old")
    shutil.copytree(folder.parent / "copy", folder)


def one_file_replaced(folder):
    (folder / DATABASE).unlink()
    shutil.copyfile(folder.parent / "copy" / DATABASE, folder / DATABASE)


def written_over(folder):
    for name in (DATABASE, f"{DATABASE}.told"):
        (folder / name).write_bytes((folder.parent / "copy" / name).read_bytes())


@pytest.mark.parametrize("change", [deleted, replaced, renamed_over, one_file_replaced, written_over])
def test_a_collection_that_is_gone_is_not_written_to(folder, change):
    store = open_store(folder)
    stored(store, "c")
    change(folder)
    before = {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()}
    for asked in (
        lambda: stored(store, "d"),
        lambda: store.remove(["a"]),
        lambda: store.note_fact("x", 1),
        store.compact,
        lambda: len(store),
        lambda: store.words(["text"], 3),
    ):
        with pytest.raises(OutputError):
            asked()
    store.close()
    if change is not written_over:  # the log that is open is SQLite's, which brings it in
        assert {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()} == before
    if change in (replaced, renamed_over):
        with open_store(folder) as store:
            assert stored(store, "d").new == 1
            assert [one.entry_id for one in store.entries()] == ["a", "b", "d"]


def test_what_is_replaced_in_the_middle_of_a_batch_is_not_acknowledged(folder):
    def vectors(texts):
        if "text d" in texts:
            replaced(folder)
        return vectors_of(texts)

    with open_store(folder) as store:
        told = []
        with pytest.raises(OutputError):
            for done in store.add([Entry(one, f"text {one}") for one in "cde"], vectors, batch=1):
                told.append(done)
    assert told == [Added(1, 1, 0, 0, 1)]
    with open_store(folder) as store:
        assert (len(store), acknowledged(folder / DATABASE)) == (2, 2)


def test_a_link_that_leads_elsewhere(folder):
    link = folder.parent / "link"
    link.symlink_to(folder)
    with open_store(link) as store:
        stored(store, "c")
        link.unlink()
        link.symlink_to(folder.parent / "copy")
        with pytest.raises(OutputError):
            stored(store, "d")
    assert (acknowledged(folder / DATABASE), acknowledged(folder.parent / "copy" / DATABASE)) == (3, 2)


def test_a_process_may_go_elsewhere(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    with tk.open_collection("notes", create=True) as notes:
        monkeypatch.chdir(folder)
        assert notes.add(["Where can I park?"]).new == 1
        assert len(notes) == 1
    assert not (folder / "notes").exists()


@pytest.mark.parametrize("content", [None, b"", b"garbage", b"00000000000000000002 00000000\n", b"2 x\n"])
def test_an_acknowledgement_that_is_missing_or_garbage(folder, content):
    told = beside(folder / DATABASE)
    told.unlink()
    if content is not None:
        told.write_bytes(content)
    with pytest.raises(DataError, match="damaged"):
        open_store(folder)
    assert len(check_collection(folder).database) == 1
    assert repair_collection(folder).count == 2
    assert not check_collection(folder).database
    with open_store(folder) as store:
        assert stored(store, "c").new == 1


def test_an_acknowledgement_that_loses_its_file_meanwhile(folder):
    with open_store(folder) as store:
        beside(folder / DATABASE).unlink()
        with pytest.raises(OutputError):
            stored(store, "c")


def test_no_new_collection_in_the_place_of_one_that_lost_its_database(folder):
    (folder / DATABASE).unlink()
    with pytest.raises(DataError, match="2 changes were acknowledged"):
        open_store(folder, create={})


@pytest.mark.slow
def test_processes_that_create_one_collection_at_once(tmp_path):
    code = (
        "import sys, textkin as tk\n"
        "with tk.open_collection(sys.argv[1], create=True) as notes:\n"
        "    notes.add([f'note {sys.argv[2]} {n}' for n in range(40)])\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "c")]
    started = [subprocess.Popen([*arguments, str(number)], stderr=subprocess.PIPE) for number in range(4)]
    ended = [(one.communicate(timeout=120)[1], one.returncode) for one in started]
    assert [code for _, code in ended] == [0] * 4, ended
    with tk.open_collection(tmp_path / "c") as notes:
        assert len(notes) == 160

import zipfile

import pytest

from textkin.base.errors import DataError
from textkin.collection.phrase_files.folder_or_zip import open_entries


@pytest.fixture(params=["folder", "zip"])
def place(request, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.json").write_text("[]")
    (folder / "textkin.json").write_text('{"made_of": {}}')
    if request.param == "folder":
        return folder
    with zipfile.ZipFile(tmp_path / "files.zip", "w") as packed:
        for item in folder.iterdir():
            packed.write(item, item.name)
    return tmp_path / "files.zip"


def test_files_are_read(place):
    with open_entries(place) as found:
        assert found.read("a.json") == b"[]"
        assert found.manifest == {"made_of": {}}
        for name in ("b.json", "", "..", "../files/a.json", "a.json\0", "x" * 300):
            assert found.read(name) is None


def test_other_programs_write_no_manifest(tmp_path):
    with open_entries(tmp_path) as found:
        assert found.manifest is None


@pytest.mark.parametrize("content", ["[]", "{", "\udcff"])
def test_a_broken_manifest(tmp_path, content):
    (tmp_path / "textkin.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=r"textkin\.json"), open_entries(tmp_path):
        pass


def test_no_such_place(tmp_path):
    (tmp_path / "text").write_text("no zip file")
    for name, told in [("none", "no such folder"), ("text", "no zip file that can be read")]:
        with pytest.raises(DataError, match=told), open_entries(tmp_path / name):
            pass


def test_a_broken_entry(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.json", "text that will be changed")
    path.write_bytes(path.read_bytes().replace(b"that will be", b"that was not"))
    with open_entries(path) as found, pytest.raises(DataError, match=r"a\.json: can't be read"):
        found.read("a.json")


@pytest.mark.slow
def test_an_entry_that_unpacks_to_very_much(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.json", bytes(1 << 27))
    with open_entries(path) as found, pytest.raises(DataError, match="times its size"):
        found.read("a.json")

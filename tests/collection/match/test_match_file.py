import os

import pytest

import textkin as tk
from tests.collection.match.test_match import Angles
from textkin.base.errors import OutputError
from textkin.base.locks import lock_file
from textkin.collection.match.match_file import match_file
from textkin.collection.match.match_rules import MatchOptions
from textkin.data.readers.entries import EntryFile


@pytest.mark.slow
@pytest.mark.parametrize("add", [False, True])
def test_two_that_write_one_table_take_turns(add, tmp_path):
    file, out = tmp_path / "texts.txt", tmp_path / "out.tsv"
    file.write_text("1 word\n90 word\n1 word\n")
    part = tmp_path / "out.tsv.part"
    options = dict(threshold=0.9, guards=())
    with tk.open_collection(tmp_path / "c", model=Angles(), create=True) as notes:
        held = lock_file(part, target=out)
        with pytest.raises(OutputError):
            match_file(notes, EntryFile(file), out, MatchOptions(**options), add=add)
        os.close(held)
        assert not out.exists() and len(notes) == 0
        found = match_file(notes, EntryFile(file), out, MatchOptions(**options), add=add)
    assert found.texts == 3 and not part.exists()
    assert len(out.read_text().splitlines()) == 4


def test_the_better_encoder_is_named_where_the_static_one_is_used(tmp_path, capsys):
    file = tmp_path / "texts.txt"
    file.write_text("reset my password\nwhere can I park\n")
    options = dict(threshold=0.9)
    for model, said in ((None, True), (Angles(), False)):
        with tk.open_collection(tmp_path / f"c{said}", model=model, create=True) as notes:
            if not said:
                file.write_text("1 word\n90 word\n")
            match_file(notes, EntryFile(file), tmp_path / "out.tsv", MatchOptions(**options), add=True)
        told = "ignores word order; a new collection with model='minilm' doesn't\n"
        assert (told in capsys.readouterr().err) is said

"""Cache files; their contents are tested with the stores that write them."""

import numpy as np
import pytest

from textkin.collection.store import segment_file
from textkin.collection.store.open_store import open_store
from textkin.collection.store.segment_file import WORTH_A_FILE
from textkin.data.entry_records import Added, Entry
from textkin.text.baselines import analysers


@pytest.mark.slow
def test_words_that_were_read_otherwise_are_read_again(tmp_path, monkeypatch, capsys):
    texts = [Entry(str(number), f"{number} 密码") for number in range(WORTH_A_FILE)]
    with monkeypatch.context() as older, open_store(tmp_path, create={}) as store:
        older.setattr(segment_file, "_MARK", b"textkin segment 1\n")
        older.setattr(analysers, "word_form", lambda text: text.replace("密码", ""))
        sum(store.add(texts, lambda texts: np.ones((len(texts), 2), np.float32)), Added())
        assert store.words(["密码"], 1) == [[]]
    with open_store(tmp_path) as store:
        assert [len(hits) for hits in store.words(["密码"], 3)] == [3]
        assert "read from the database" in capsys.readouterr().err
        store.catch_up()
    with open_store(tmp_path) as store:
        assert [len(hits) for hits in store.words(["密码"], 3)] == [3]
        assert capsys.readouterr().err == ""

"""``serve`` from Python: what is served, and what is refused before anything is opened."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.data.readers.texts import Texts
from textkin.server.open_service import Served
from textkin.verbs.phrases.indexing import index_phrases


def test_each_word_names_a_model_a_collection_or_an_index(tmp_path: Path) -> None:
    kept, town = tmp_path / "kept", tmp_path / "town"
    tk.add(kept, ["Where can I park?"])
    index_phrases(Texts(("a",), ("The mill was built in 1850.",)), town, "tfidf")
    words = [str(kept), f"t={town}", "soon.kin", "small=minilm", "postgresql://me@db/texts?collection=notes"]
    found = Served.named(words)
    assert (list(found.models), list(found.phrases)) == (["small=minilm"], [f"t={town}"])
    assert list(found.collections) == [str(kept), "soon.kin", words[-1]]
    assert list(Served.named([str(kept)], default="default").models) == ["default"]


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"host": "0.0.0.0"}, ("api_key_file",)),
        ({"new_key": "alice"}, ("api_key_file",)),
        ({"texts_per_minute": 10}, ("new_key",)),
        ({"new_key": "alice", "mcp": True}, ("new_key", "mcp")),
        ({"max_texts": 0}, ("max_texts",)),
        ({"metrics_need_key": True}, ("api_key_file",)),
        ({"port": 70_000}, ("port",)),
        ({"root_path": "textkin"}, ("root_path",)),
        ({"root_path": "/textkin/"}, ("root_path",)),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], params: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        tk.serve(**options)
    assert refused.value.params == params


@pytest.mark.slow
def test_an_assistant_gets_collections_only() -> None:
    pytest.importorskip("mcp", reason="textkin[mcp] is not installed")
    for served in ((), ("minilm",)):
        with pytest.raises(UsageError) as refused:
            tk.serve(served, mcp=True)
        assert refused.value.params == ("mcp",)


def test_a_thread_can_not_serve() -> None:
    told: list[UsageError] = []

    def work() -> None:
        try:
            tk.serve(port=0)
        except UsageError as error:
            told.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert len(told) == 1

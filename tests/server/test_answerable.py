"""Stored entries can be returned, and a 500 has the format of its API."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import Client, client_of
from textkin.collection.store.rows import text_checksum
from textkin.server.call import Call, Reply
from textkin.server.log import ServerLog
from textkin.server.open_service import Served, open_service
from textkin.server.request_errors import Dialect
from textkin.server.route import NoBody, Route
from textkin.server.routes import openai
from textkin.server.service import Service

JSON = {"content-type": "application/json"}
BAD = [
    '{"n": 18446744073709551616}',
    '{"n": [{"m": -9223372036854775809}]}',
    '{"n": 1e400}',
    '{"n": NaN}',
    '{"n": ' + "[" * 101 + "]" * 101 + "}",
    '{"n": "\\u0000"}',
    '{"n": 1, "n": 18446744073709551616}',
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored") / "c.kin"
    with tk.open_collection(folder, create=True) as notes:
        notes.add(["Where can I park?"], ids=["a"])
    return folder


@pytest.fixture
def place(stored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stored, tmp_path / "c.kin"))


@pytest.mark.parametrize("metadata", BAD)
@pytest.mark.parametrize("path", ["/documents", "/match/add"])
def test_metadata_that_no_search_could_answer_with(place: Path, path: str, metadata: str) -> None:
    service = open_service(Served(collections=(str(place),)))
    many = ", ".join(f'{{"id": "x{number}", "text": "park {number}"}}' for number in range(300))
    last = f'{{"id": "y", "text": "park here", "metadata": {metadata}}}'
    given = {"/documents": '{"documents": [%s, %s]}', "/match/add": '{"threshold": 2, "texts": [%s, %s]}'}
    answer = client_of(service).ask("POST", path, content=(given[path] % (many, last)).encode(), headers=JSON)
    assert (answer.status_code, answer.json()["error_type"]) == (422, "Validation")
    service.close()
    with tk.open_collection(place) as notes:  # all of a request or nothing
        assert [one.entry_id for one in notes.store.entries()] == ["a"]


def test_a_row_that_can_not_be_answered_with_is_an_error_and_counts_as_one(place: Path) -> None:
    metadata, text = '{"n":18446744073709551616}', "Where can I park?"
    database = sqlite3.connect(place / "collection.sqlite")
    ((number,),) = database.execute("SELECT number FROM texts").fetchall()
    changed = metadata, text_checksum(number, "a", metadata, text)
    database.execute("UPDATE texts SET metadata = ?, checksum = ?", changed)
    database.commit()
    database.close()
    service, log = open_service(Served(collections=(str(place),))), io.StringIO()
    client = client_of(service, log=ServerLog("all", stream=log))
    answer = client.post("/search", {"query": "park"})
    assert (answer.status_code, answer.json()["error_type"]) == (500, "Internal")
    [line] = [json.loads(one) for one in log.getvalue().splitlines() if '"request"' in one]
    assert line["status"] == 500
    service.close()


def test_an_answer_that_is_no_json_is_an_error_of_its_dialect(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unwritable(service: Service, body: NoBody, call: Call) -> Reply:
        """Answer with a value that JSON doesn't support."""
        del service, body, call
        return Reply({"n": 1 << 64})

    made = Route(method="GET", path="/v1/x", answer=unwritable, dialect=Dialect.OPENAI)
    monkeypatch.setattr(openai, "ROUTES", (*openai.ROUTES, made))
    answer = client_of(service).ask("GET", "/v1/x")
    assert (answer.status_code, answer.json()["error"]["type"]) == (500, "server_error")


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//", "null", "\u00e9"])
def test_an_origin_that_is_none_is_refused(client: Client, origin: str) -> None:
    answer = client.ask("GET", "/info", headers={"origin": origin.encode("latin-1")})
    assert answer.status_code == 403

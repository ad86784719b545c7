"""A served collection whose folder is deleted or replaced rejects writes, and /health reports it."""

import shutil

import pytest

import textkin as tk
from tests.server.asking import client_of
from textkin.server.open_service import Served, open_service


@pytest.mark.parametrize("is_back", [True, False])
def test_rows_of_a_replaced_folder_are_not_acknowledged(tmp_path, is_back):
    place, copy = tmp_path / "r.kin", tmp_path / "copy"
    with tk.open_collection(place, create=True) as notes:
        notes.add(["Where can I park?"], ids=["a"])
    shutil.copytree(place, copy)
    service = open_service(Served(models=("default",), collections=(str(place),)))
    client = client_of(service)
    document = {"documents": [{"id": "b", "text": "another row"}]}
    assert client.post("/documents", document).status_code == 200
    assert client.ask("GET", "/health").status_code == 200
    shutil.rmtree(place)
    if is_back:
        shutil.copytree(copy, place)
    for path, body in (
        ("/documents", document),
        ("/match/add", {"texts": ["another row"], "threshold": 0.9}),
        ("/search", {"query": "row"}),
    ):
        answer = client.post(path, body)
        assert (answer.status_code, answer.json()["error_type"]) == (503, "Backend"), path
    answer = client.ask("GET", "/health")
    assert (answer.status_code, answer.json()["error_type"]) == (503, "Unhealthy")
    assert client.ask("GET", "/live").status_code == 200
    service.close()
    assert place.exists() == is_back
    if is_back:
        with tk.open_collection(place) as notes:
            assert [one.entry_id for one in notes.store.entries()] == ["a"]

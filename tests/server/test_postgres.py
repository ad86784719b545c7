"""A collection in PostgreSQL over HTTP, while another process writes it, and during a server restart."""

import httpx
import pytest

import textkin as tk
from tests.server.process import serving

pytestmark = pytest.mark.long


def test_a_collection_in_a_database_is_served(postgres):
    address = postgres.address("served").replace("postgres@", "postgres:s3cret@")
    with tk.open_collection(address, create=True) as notes:
        notes.add(["Where can I park?", "When do you open?"], ids=["t1", "t2"])
    with (
        serving("default", address, "--log", "nothing") as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        asked = {"query": "a car to park", "k": 1}
        found = client.post("/search", json=asked)
        assert (found.status_code, found.json()["hits"][0]["id"]) == (200, "t1"), found.text
        with tk.open_collection(address) as notes:
            notes.add(["The car park is behind the house"], ids=["t3"])
        assert client.post("/search", json=asked).json()["hits"][0]["id"] == "t3"
        postgres.kill()
        refused = client.post("/search", json=asked)
        assert refused.status_code >= 500 and "s3cret" not in refused.text
        postgres.start()
        assert client.post("/search", json=asked).json()["hits"][0]["id"] == "t3"
        ended, said = server.stop()
    assert ended == 0 and "s3cret" not in said

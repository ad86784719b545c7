"""LangChain, LlamaIndex and Haystack against a server, unchanged.

They bring a hundred packages, so they may have a separate environment (see textkin[clients]):
TEXTKIN_CLIENTS_PYTHON is its Python, by default this one. Missing clients are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import textkin as tk
from tests.server.asking import TEXTS
from tests.server.clients.integrations import ALL, QUERY
from tests.server.process import Served, serving
from textkin.server.keys import add_key

pytestmark = pytest.mark.slow

ORDERS = ("llama_index_reranker", "haystack_ranker")
PROGRAM = Path(__file__).parent / "clients" / "integrations.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    place = tmp_path_factory.mktemp("keys") / "keys.toml"
    key = add_key(place, "integrations")
    with serving("default", "--api-key-file", place, "--log", "errors") as found:
        yield found, key


def made_by(name: str, server: tuple[Served, str]) -> Any:
    """An integration's results; the test is skipped without its packages."""
    command = [os.environ.get("TEXTKIN_CLIENTS_PYTHON", sys.executable), str(PROGRAM), name]
    # Disable their telemetry.
    quiet = {"HAYSTACK_TELEMETRY_ENABLED": "False", "LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1"}
    without = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*command, server[0].url, server[1]],
        input=json.dumps(TEXTS),
        capture_output=True,
        text=True,
        env=without | quiet,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    told = json.loads(done.stdout.splitlines()[-1])
    if "missing" in told:
        pytest.skip(f"{told['missing']} is not installed (pip install 'textkin[clients]')")
    return told["found"]


@pytest.mark.parametrize("name", [name for name in ALL if name not in ORDERS])
def test_vectors_are_those_of_the_encoder(name: str, server: tuple[Served, str]) -> None:
    documents, query = made_by(name, server)
    encoder = tk.load_encoder()
    assert np.allclose(documents, encoder.encode(TEXTS), atol=1e-6)
    assert np.allclose(query, encoder.encode(QUERY), atol=1e-6)


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_that_of_the_cosines(name: str, server: tuple[Served, str]) -> None:
    encoder = tk.load_encoder()
    cosines = encoder.encode(TEXTS) @ encoder.encode(QUERY)
    assert made_by(name, server) == np.argsort(-cosines)[:2].tolist()

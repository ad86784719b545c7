import json

import pytest

import textkin as tk
from tests.verbs.public.making import LEAKING, ROWS, TEXTS, TRAIN


@pytest.fixture(scope="package")
def run(tmp_path_factory):
    """A model trained with overlap between dev and its training texts."""
    out = tmp_path_factory.mktemp("trained") / "run"
    return tk.train(TRAIN, dev=LEAKING, recipe="static", out=out)


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps({"a": a, "b": b, "label": label}) + "\n" for a, b, label in ROWS)
    return path

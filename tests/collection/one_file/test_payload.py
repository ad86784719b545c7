"""The contents of a file that searches: what Python puts into it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load

import textkin as tk
from tests.collection.making import Letters
from tests.collection.one_file.sample_questions import sample_questions
from tests.text.static_folders import table, write, write_prompted
from textkin.base.errors import DataError, ModelError
from textkin.collection.one_file.payload import payload_of
from textkin.measures.decisions.match_rule import MatchGoal
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.static_embeddings import load_static
from textkin.vectors.groups.guards import STANDARD

pytestmark = pytest.mark.slow  # each tells what becomes of every character of Unicode

TEXTS = ["the cat sat", "the dog", "the cats sat ?", "unknown \u6f22\u5b57 words"]


def opened(folder, texts=TEXTS, **options):
    made = tk.open_collection(folder, create=True, **options)
    made.add(texts, ids=[f"t{place}" for place in range(len(texts))])
    return made


def test_entries_stand_by_falling_id_with_their_postings(tmp_path):
    with opened(tmp_path / "notes") as notes:
        made = payload_of(notes)
    facts, tensors = made.facts, made.tensors
    assert facts["ids"] == ["t3", "t2", "t1", "t0"] and facts["texts"] == TEXTS[::-1]
    number = facts["terms"].index("the")
    steps = tensors["documents"][tensors["offsets"][number] : tensors["offsets"][number + 1]]
    assert np.cumsum(steps).tolist() == [1, 2, 3]
    assert tensors["lengths"][1:].tolist() == [3, 2, 3]
    assert load(made.packed())["rows"].dtype == np.int8
    assert json.loads(load(made.packed())["facts"].tobytes())["ids"] == facts["ids"]


def test_vectors_are_means_of_rows_or_stand_there(tmp_path):
    with opened(tmp_path / "notes") as notes:
        made, stored = payload_of(notes), list(notes.store.entries_with_vectors())
    tensors, vectors = made.tensors, {one.entry_id: vector for one, vector in stored}
    assert made.facts["ids"][tensors["own_rows"][0]] == "t3", "it has an unknown token"
    start, end = tensors["ends"][2], tensors["ends"][3]
    total = tensors["rows"][tensors["tokens"][start:end]].sum(axis=0, dtype=np.float64)
    assert np.allclose(total / np.linalg.norm(total), vectors["t0"], atol=1e-6)
    assert np.allclose(tensors["own_vectors"][0], vectors["t3"], atol=1e-6)
    assert made.cosine > 1 - 1e-6


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_rows_of_any_number_type_become_8_bits(tmp_path, dtype):
    folder = write(
        tmp_path / "bag", {"embeddings": table(dtype), "weights": np.linspace(0.1, 2, 10, dtype="f4")}
    )
    with opened(tmp_path / "notes", ["the cat sat", "the dog"], model=str(folder)) as notes:
        made = payload_of(notes)
    exact = load_static(folder).token_vectors
    again = made.tensors["rows"] * made.tensors["scales"][:, None]
    most = 1e-6 if dtype == "int8" else np.abs(exact).max() / 127
    assert np.abs(again - exact).max() <= most
    assert made.cosine > (1 - 1e-6 if dtype == "int8" else 0.999)


def test_prompts_are_told(tmp_path):
    folder = write_prompted(tmp_path / "bag", prompts={"query": "the ", "document": "dog "})
    with opened(tmp_path / "notes", ["cat sat"], model=str(folder)) as notes:
        encoder = payload_of(notes).facts["encoder"]
    assert (encoder["query"], encoder["text"]) == ("the ", "dog ")


def test_a_rule_travels_and_its_absence_is_told(tmp_path):
    with opened(tmp_path / "notes") as notes:
        assert payload_of(notes).facts["rule"] == {"why": ""}
    texts, about = sample_questions()
    with tk.open_collection(tmp_path / "asked", create=True) as asked:
        asked.add(texts, metadata=about)
        fitted = asked.fit_matching(groups="group", base_rate=0.5)
        rule = payload_of(asked).facts["rule"]
    expected = fitted.rule(MatchGoal())
    assert rule["guards"] == list(STANDARD) and rule["duplicate_from"] == expected.duplicate_from
    cosines, likely = rule["probabilities"]
    exact = expected.probability(np.array(cosines))
    assert np.abs(exact - likely).max() < 1e-5
    assert expected.ask_from - 1e-3 <= rule["ask_from"] <= expected.ask_from


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    with tk.open_collection(tmp_path / "empty", create=True) as empty, pytest.raises(DataError):
        payload_of(empty)
    with opened(tmp_path / "windows", windows=8) as parted, pytest.raises(DataError):
        payload_of(parted)
    with opened(tmp_path / "letters", model=Letters()) as letters, pytest.raises(ModelError) as error:
        payload_of(letters)
    assert "distil" in error.value.fix


def test_another_tokenizer_is_refused(tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "cat": 2}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = write(tmp_path / "bag", {"embeddings": table(rows=3)}, tokenizer=words)
    encoder = StaticEncoder(load_static(folder), name="bag")
    with opened(tmp_path / "notes", ["the cat"], model=encoder) as notes, pytest.raises(ModelError):
        payload_of(notes)

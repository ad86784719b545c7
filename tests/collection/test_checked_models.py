"""Models that a collection accepts without encoding the canaries again."""

from textkin.collection import checked_models
from textkin.collection.checked_models import CheckedModels
from textkin.collection.noted_model import KnownModel

MODEL, ANOTHER = "a" * 64, "b" * 64


def test_a_model_counts_as_checked_while_texts_are_read_as_they_were(tmp_path, monkeypatch):
    """The same files give other vectors once unknown words are encoded differently."""
    known = KnownModel("default", MODEL, tmp_path)
    CheckedModels(known).add(MODEL)
    found = [CheckedModels(known).has(MODEL), CheckedModels(known).has(ANOTHER)]
    monkeypatch.setattr(checked_models, "READING", checked_models.READING + 1)
    assert [*found, CheckedModels(known).has(MODEL)] == [True, False, False]

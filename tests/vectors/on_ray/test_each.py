"""Pieces with something in common: those of similar spelling."""

import random

import numpy as np
import pytest

from tests.vectors.on_ray.fake_workers import crew
from textkin.base.shingles import Unit
from textkin.data.splits import near_duplicates as near
from textkin.vectors.on_ray.distributed_engine import SeveralMachines


@pytest.fixture
def keys():
    draw = random.Random(3)
    base = [" ".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=16)) for _ in range(60)]
    return base + [key[:-1] + "other" for key in base[:30]] + [key + "!" for key in base[20:50]]


@pytest.mark.parametrize("unit", Unit)
def test_shared_spelling_is_that_of_one_machine(keys, monkeypatch, unit):
    expected = near.near_identical(keys, 0.7, unit=unit, quiet=True)
    monkeypatch.setattr(near, "_TEXTS", 7)
    monkeypatch.setattr(near, "_PAIRS", 3)
    some = crew(None)
    found = near.near_identical(keys, 0.7, unit=unit, quiet=True, each=SeveralMachines(some).each)
    assert found == expected and len(found) > 40
    assert some.workers.begun > len(keys) / 7 + len(found) / 3  # none holds all


def test_candidates_are_the_pairs_that_agree_in_a_band_each_once(monkeypatch):
    monkeypatch.setattr(near, "_PAIRS", 5)
    codes = np.random.default_rng(0).integers(4, size=(3, 30)).astype(np.uint64)
    keys = [f"text {number}" for number in range(30)]
    found = []
    for some in near.candidates(keys, codes):
        assert len(some.a) <= 5
        found += zip(some.a.tolist(), some.b.tolist(), strict=True)
        for ours, theirs in ((some.left, some.a), (some.right, some.b)):
            assert [some.texts[place] for place in ours] == [keys[place] for place in theirs]
    agree = (codes[:, :, None] == codes[:, None, :]).any(axis=0)
    assert sorted(found) == [(a, b) for a in range(30) for b in range(a + 1, 30) if agree[a, b]]

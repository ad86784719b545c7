from __future__ import annotations

import numpy as np
import pytest

from tests.vectors.join.plans import kindred
from textkin.vectors.join import bound_plan as module
from textkin.vectors.join.bound_plan import Plan, make_plan
from textkin.vectors.join.prepared_rows import by_cosine


def planned(
    monkeypatch: pytest.MonkeyPatch, seconds, *, sound: bool = True, torch: bool = True, dim: int = 200
) -> Plan:
    """The plan for a side with given plan durations, by width and type."""
    monkeypatch.setattr(module.bfloat16, "worth_loading", lambda seconds: torch)
    monkeypatch.setattr(module.bfloat16, "load", lambda: True)
    monkeypatch.setattr(module._Trial, "seconds", lambda self, plan: seconds(plan.width, plan.bf16))
    monkeypatch.setattr(module, "sound_in_bf16", lambda left, right: sound)
    monkeypatch.setattr(module, "_WORTH_A_TRIAL", 100)
    rows = by_cosine(kindred(60, dim=dim))
    return make_plan(rows, rows, lambda some, others: np.full(len(some), 0.8, dtype=np.float32))


def test_the_fastest_plan_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, lambda width, bf16: abs(width - 60) + 100 - 50 * bf16)
    assert (plan.width, plan.bf16) == (64, True) and plan.rotation is not None
    plan = planned(monkeypatch, lambda width, bf16: abs(width - 60) + 100 + 500 * bf16)
    assert (plan.width, plan.bf16) == (64, False)
    plan = planned(monkeypatch, lambda width, bf16: 1000 - width - bf16)
    assert (plan.width, plan.bf16, plan.rotation) == (200, True, None)


def test_bfloat16_is_not_used_where_its_products_are_too_coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, lambda width, bf16: width - 50 * bf16, sound=False)
    assert (plan.width, plan.bf16) == (32, False)


def test_bfloat16_is_not_tried_out_where_torch_is_missing_or_takes_longer_to_load(monkeypatch) -> None:
    plan = planned(monkeypatch, lambda width, bf16: width - 50 * bf16, torch=False)
    assert (plan.width, plan.bf16) == (32, False)


def test_the_time_that_torch_may_save_is_that_of_all_pairs_on_all_cores(monkeypatch) -> None:
    told: list[float] = []
    monkeypatch.setattr(module._Trial, "seconds", lambda self, plan: 0.5)
    monkeypatch.setattr(module, "_WORTH_A_TRIAL", 100)
    monkeypatch.setattr(module, "cores", lambda: 4)
    monkeypatch.setattr(module.bfloat16, "worth_loading", told.append)
    left, right = by_cosine(kindred(3 * module.ROWS)), by_cosine(kindred(2 * module.ROWS))
    make_plan(left, right, lambda some, others: np.full(len(some), 0.8, dtype=np.float32))
    make_plan(left, left, lambda some, others: np.full(len(some), 0.8, dtype=np.float32))
    assert told == [
        0.5 * 6 * 2 / 4,
        0.5 * 9 * 2 / 2 / 4,
    ]  # a sample has half as many rows and as many columns


def test_few_pairs_are_not_worth_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_Trial", None)
    rows = by_cosine(kindred(60))
    plan = make_plan(rows, rows, lambda some, others: np.full(len(some), 0.8, dtype=np.float32))
    assert (plan.width, plan.bf16, plan.rotation) == (rows.dim, False, None)

"""Torch is loaded once the work repays that."""

import pytest

from textkin.models import torch_loading
from textkin.models.torch_loading import TorchLoading


@pytest.fixture(autouse=True)
def _torch_works(monkeypatch):
    monkeypatch.setattr(torch_loading, "has_torch", lambda: True)


def test_work_of_all_calls_counts():
    loading = TorchLoading(20)
    loading.count(9)
    loading.count(5)
    assert [loading.pays(more) for more in (0, 6, 7)] == [False, False, True]
    loading.count(7)
    assert loading.pays()


def test_it_never_pays_where_it_is_refused_or_broken(monkeypatch):
    refused, broken = TorchLoading(0), TorchLoading(0)
    refused.refuse()
    monkeypatch.setattr(torch_loading, "has_torch", lambda: False)
    assert not refused.pays(10**9)
    assert not broken.pays(1)


def test_torch_is_not_looked_for_before_it_would_pay(monkeypatch):
    monkeypatch.setattr(torch_loading, "has_torch", lambda: pytest.fail("torch was looked for"))
    assert not TorchLoading(1).pays(1)

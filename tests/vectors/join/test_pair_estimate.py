from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from textkin.base.errors import DataError
from textkin.vectors.join import all_pairs as pairs_module
from textkin.vectors.join import pair_estimate as module
from textkin.vectors.join.all_pairs import pairs_above
from textkin.vectors.join.cells import pairs_by_cells
from textkin.vectors.join.pair_estimate import Abundance, abundance, refuse_too_many
from textkin.vectors.join.prepared_rows import by_cosine


def vectors(count: int, *, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, 3)).astype(np.float32)


def cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(one, axis=1)[:, None] * np.linalg.norm(other, axis=1)[None, :]
    return one @ other.T / lengths


@pytest.mark.parametrize("threshold", [-0.9, 0.0, 0.7, 0.99, 0.9999])
def test_the_estimate_is_near_the_number_and_the_bound_below_it(threshold: float) -> None:
    one, other = vectors(300), vectors(200, seed=1)
    within = int((np.triu(cosines(one, one), 1) >= threshold).sum() - (threshold <= 0) * (300 * 301 // 2))
    between = int((cosines(one, other) >= threshold).sum())
    for count, right, compared in ((within, None, 44_850), (between, by_cosine(other), 60_000)):
        for seed in range(5):
            found = abundance(by_cosine(one), right, np.float32(threshold), seed=seed)
            share = count / compared
            spread = 6 * np.sqrt(share * (1 - share) / found.drawn) * compared + 1
            assert abs(found.about - count) <= spread
            assert count - 2 * spread <= found.least <= count


def test_the_bound_is_that_of_scipy() -> None:
    for hits in (0, 17, 500, 40_000, module._DRAWN):
        exact = binomtest(hits, module._DRAWN, alternative="greater").proportion_ci(1 - module._ERROR)
        assert module._least_share(hits) == pytest.approx(exact.low, rel=1e-6, abs=1e-15)


def test_unwanted_pairs_do_not_count() -> None:
    rows = by_cosine(np.ones((100, 2), dtype=np.float32))
    everything = abundance(rows, None, np.float32(0.5))
    assert everything.about == 4950
    assert everything.enough is None  # no threshold leaves fewer
    half = abundance(rows, None, np.float32(0.5), wanted=lambda a, b: (a < b) & (a % 2 == 0))
    assert half.about == pytest.approx(2500, rel=0.05)
    assert abundance(rows[:1], None, np.float32(0.5)) == Abundance(0, 0, 0, None)
    assert abundance(rows, rows[:0], np.float32(0.5)) == Abundance(0, 0, 0, None)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_only_more_than_can_be_listed_are_refused(
    share: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "MOST_PAIRS", 1000)
    monkeypatch.setattr(module, "MANY", 100)
    told: dict[int, str] = {}
    for least in (100, 101, 1000):
        refuse_too_many(Abundance(9, 2000, int(least / share), None), np.float32(0.5), share=share)
        told[least] = capsys.readouterr().err
    assert told[100] == "" and "about 2,000 pairs" in told[101] and "raise the threshold or" in told[1000]
    refuse_too_many(Abundance(9, 2000, int(1000 / share), None), np.float32(0.5), share=share, quiet=True)
    assert capsys.readouterr().err == ""
    with pytest.raises(DataError, match=r"1,000 can be listed; raise the threshold to 0\.7500, take"):
        refuse_too_many(Abundance(9, 2000, int(1001 / share), 0.75), np.float32(0.5), share=share)


def test_no_work_begins_where_far_too_many_pairs_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    alike = (1 + 0.1 * draw.standard_normal((20_000, 4))).astype(np.float32)

    def begun(*_: object) -> None:
        raise AssertionError("pairs are looked for")

    monkeypatch.setattr(pairs_module, "make_plan", begun)
    with pytest.raises(DataError, match=r"about 199,\d+,\d+ pairs score at least 0\.5, by .*\(top\).*dedupe"):
        pairs_above(alike, 0.5, quiet=True)
    with pytest.raises(DataError, match="134,217,728 can be listed"):
        pairs_by_cells(alike, 0.5)
    with pytest.raises(AssertionError, match="looked for"):
        pairs_above(alike, 0.5, limit=1000, quiet=True)


def test_a_threshold_is_suggested_that_leaves_fewer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("MOST_PAIRS", 20_000), ("MANY", 3000), ("_FEW", 1000)):
        monkeypatch.setattr(module, name, value)
    one = vectors(400)
    with pytest.raises(DataError, match=r"raise the threshold to (0\.\d+), take") as caught:
        pairs_above(one, 0.3, quiet=True)
    suggested = float(str(caught.value).split("threshold to ")[1].split(",")[0])
    assert len(pairs_above(one, suggested, quiet=True)) == pytest.approx(1000, rel=0.2)
    found = pairs_above(one, 0.8)
    assert f"this may take long; to have fewer, raise the threshold to {suggested:.2f}"[:-1] in (
        capsys.readouterr().err
    )
    assert 3000 < len(found) < 20_000

from __future__ import annotations

import numpy as np
import pytest

from tests.vectors.join.plans import DIM, kindred, plans
from textkin.vectors.join.bfloat16 import rounded, widened
from textkin.vectors.join.bound_plan import Tile, least_bits
from textkin.vectors.join.prepared_rows import by_cosine, by_product
from textkin.vectors.join.score_bounds import near_slack


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("rows_of", [by_cosine, by_product])
def test_no_product_of_short_rows_lies_further_below_a_score_than_the_slack(number, rows_of) -> None:
    vectors = kindred(300)
    plan = plans(vectors)[number]
    rows = rows_of(vectors)
    short = plan.sketch(rows)
    scores = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    scores = scores * np.outer(rows.scales, rows.scales)
    table = (widened(short.table) if plan.bf16 else short.table).astype(np.float64)
    products = table @ table.T
    rounding = 2.0**-8 * np.abs(products) if plan.bf16 else 0
    slack = short.slack(short)[:, None]
    assert np.all(products + slack + rounding >= scores)
    # Nor is the slack too wide to be useful: bfloat16 keeps 8 bits.
    assert np.all(slack[:, 0] <= (0.01 if plan.bf16 else 5e-4) * rows.sizes * rows.sizes.max() + 1e-30)
    if plan.width == DIM:
        assert np.all(products - slack - rounding <= scores)


def test_scores_in_single_precision_keep_within_their_slack() -> None:
    rows = by_product(kindred(300))
    exact = rows.values.astype(np.float64) @ rows.values.T.astype(np.float64)
    assert np.all(rows.values @ rows.values.T + near_slack(rows, rows)[:, None] >= exact)


@pytest.mark.torch
@pytest.mark.parametrize("bf16", [False, True])
def test_whole_numbers_order_products_as_limits_do(bf16: bool) -> None:
    if bf16:
        pytest.importorskip("torch", reason="torch makes products in bfloat16")
    values = np.array([[0.3], [0.30078125], [0.30078], [1e-30], [2.0], [1.0]], dtype=np.float32)
    ones = np.ones((1, 1), dtype=np.float32)
    if bf16:
        tile = Tile(bf16=True).product(rounded(values), rounded(ones))
        values = widened(rounded(values))
    else:
        tile = Tile(bf16=False).product(values, ones)
    values = values[:, 0].astype(np.float64)
    for limit in [0.3, 0.30078125, 0.3007813, 0.5, 1.0, 1.9999999]:
        bits = least_bits(np.array([limit]), bf16=bf16)
        sure = values >= limit
        assert np.all((tile[:, 0] >= bits[0]) >= sure)
        assert not np.any((tile[:, 0] >= bits[0]) & (values < limit * (1 - 2.0**-7)))
    nothing_in_the_way = least_bits(np.array([-0.5, 0.0, -np.inf]), bf16=bf16)
    assert np.all(nothing_in_the_way == np.iinfo(tile.dtype).min)

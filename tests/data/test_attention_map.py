import json

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.data.attention_map import AttentionMap

WEIGHTS = np.array([[0.25, -2, 0.5], [1 / 3, 0, 7]], dtype=np.float32)
MAP = AttentionMap("e", ("a", "b"), ("x", "y", "z"), WEIGHTS)


def test_the_strongest_cells_come_first_and_equal_ones_in_their_order():
    assert MAP.strongest(3) == [("b", "z", 7.0), ("a", "z", 0.5), ("b", "x", 0.333333)]
    assert len(MAP.strongest(100)) == 6
    equal = AttentionMap("e", ("a",), ("x", "y"), np.ones((1, 2), dtype=np.float32))
    assert [column for _, column, _ in equal.strongest(2)] == ["x", "y"]


def test_json_has_all_of_it():
    told = json.loads(json.dumps(MAP.to_dict()))
    assert (told["name"], told["rows"], told["columns"], told["sums"]) == ("e", ["a", "b"], [*"xyz"], "none")
    np.testing.assert_allclose(told["weights"], WEIGHTS, rtol=1e-5)


def test_another_shape_is_refused():
    with pytest.raises(UsageError) as error:
        AttentionMap("e", ("a",), ("x", "y", "z"), WEIGHTS)
    assert (error.value.params, error.value.value) == (("weights",), (2, 3))

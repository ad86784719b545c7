"""tk.dedupe."""

import numpy as np
import pytest

import textkin as tk


def test_the_highest_of_any_numbers_stays():
    options = tk.DedupeOptions(keep=tk.KeepRule.HIGHEST)
    for values in ([1, 3, 2], np.array([1.0, 3.0, 2.0])):
        assert tk.dedupe(["a text", "a text", "b"], options=options, values=values).kept.tolist() == [1, 2]
    with pytest.raises(tk.TextkinError) as error:
        tk.dedupe(["a", "b"], options=options, values="score")
    assert error.value.params == ("values",)

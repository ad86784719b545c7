"""tk.lint."""

import textkin as tk
from tests.verbs.public.making import LEAKING, TRAIN


def test_it_finds_shared_texts():
    sides = tk.as_pairs(TRAIN, name="train"), tk.as_pairs(LEAKING, name="dev")
    found = {one.kind.value: one for one in tk.lint(sides).findings}
    assert found["shared-text"].count > 0
    assert found["shared-pair"].count == 40

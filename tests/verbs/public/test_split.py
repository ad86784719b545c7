"""tk.split."""

import textkin as tk
from tests.verbs.public.making import TRAIN


def test_sides_share_nothing(tmp_path):
    report = tk.split(TRAIN, out=tmp_path / "split")
    assert (report.shared.texts, report.shared.keys, report.shared.components) == (0, 0, 0)

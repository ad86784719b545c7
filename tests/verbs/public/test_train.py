"""tk.train."""

import pytest


@pytest.mark.torch
def test_it_says_what_dev_shares(run):
    (warning,) = run.warnings
    assert "texts of dev are in train too, so the score flatters the model" in warning
    assert f"warning: {warning}" in str(run)

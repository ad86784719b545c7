"""Settings of intervals and tests."""

import pytest

from textkin.base.errors import UsageError
from textkin.measures.intervals.sampling import MOST_RESAMPLES, MOST_ROUNDS, Sampling


def test_rounds_suffice_for_all_tests_or_are_as_given():
    assert [Sampling().rounds_of(tests) for tests in (1, 250, 1_000)] == [10_000, 10_000, 40_000]
    assert Sampling(rounds=20).rounds_of(1_000) == 20


@pytest.mark.parametrize(("name", "most"), [("resamples", MOST_RESAMPLES), ("rounds", MOST_ROUNDS)])
def test_draws_that_exhaust_memory_are_refused(name, most):
    assert getattr(Sampling(**{name: most}), name) == most
    for value in (0, most + 1):
        with pytest.raises(UsageError) as error:
            Sampling(**{name: value})
        assert (error.value.params, error.value.value) == ((name,), value)

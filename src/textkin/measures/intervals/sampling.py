"""Settings of intervals and tests: resamples, rounds and seed."""

from dataclasses import dataclass

from textkin.base.argument_checks import check_fields
from textkin.base.errors import invalid

MOST_RESAMPLES = 100_000
MOST_ROUNDS = 10_000_000
"""The maximum number of draws of a bootstrap or test: all are held in memory at once."""

_ROUNDS = 10_000
_ROUNDS_PER_TEST = 40  # twice as many as let the smallest p pass Holm's correction at a level of 0.05


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of intervals and tests.

    Attributes:
        resamples: the number of bootstrap resamples.
        rounds: the rounds of a test; None for as many as the multiple-test correction needs, at least 10,000.
        seed: the seed of both.

    Example:
        >>> from textkin.verbs import Sampling
        >>> Sampling(resamples=200).seed
        0
    """

    resamples: int = 1000
    rounds: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        check_draws("resamples", self.resamples, most=MOST_RESAMPLES)
        if self.rounds is not None:
            check_draws("rounds", self.rounds, most=MOST_ROUNDS)

    def rounds_of(self, tests: int) -> int:
        """The rounds of each test, given the number of tests."""
        return max(_ROUNDS, _ROUNDS_PER_TEST * tests) if self.rounds is None else self.rounds


def check_draws(name: str, count: int, *, most: int) -> None:
    """Reject numbers of draws that exhaust memory without better results.

    Raises:
        UsageError: it isn't a valid number of draws.
    """
    if not isinstance(count, int) or not 1 <= count <= most:
        raise invalid(name, count, expected=f"a whole number from 1 to {most:,}")

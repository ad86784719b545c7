"""What a test set can show at all."""

from __future__ import annotations


def least_p(rounds: int, units: int) -> float:
    """The smallest p that a paired randomisation test can give, before a correction.

    It has one part in so many rounds, and of so few units the two exchanges that are the most extreme.

    Args:
        rounds: of the test.
        units: that are exchanged.
    """
    return max(1 / (1 + rounds), 2.0 ** (1 - units))


def smallest_difference(standard_error: float, *, level: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that a two-sided test at ``level`` finds with probability ``power``.

    Normal approximation: (z of 1 - level / 2, plus z of power) standard errors. A difference below this may
    well be real and go unseen: "not significant" then says little about the systems and much about the test
    set.

    Args:
        standard_error: of the paired difference, as in
            :class:`textkin.measures.intervals.paired_tests.Difference`.
        level: of the test; divide it by the number of comparisons to allow for a correction.
        power: wanted chance of seeing the difference.
    """
    from scipy.special import ndtri

    return float((ndtri(1.0 - level / 2) + ndtri(power)) * standard_error)

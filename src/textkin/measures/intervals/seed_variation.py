"""The variation of a metric over random seeds of the training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.errors import DataError


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric over several seeds.

    Attributes:
        mean: mean over the seeds.
        sd: sample standard deviation (n - 1), None for a single seed.
        n: number of seeds.
    """

    mean: float
    sd: float | None
    n: int


def over_seeds(values: Sequence[float]) -> Spread:
    """Mean and standard deviation of a metric over several seeds.

    Raises:
        DataError: there are no values.
    """
    if not values:
        raise DataError("there are no runs to average")
    n = len(values)
    return Spread(float(np.mean(values)), float(np.std(values, ddof=1)) if n > 1 else None, n)

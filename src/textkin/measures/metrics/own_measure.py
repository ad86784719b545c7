"""Users' own ranking measures: functions of judgements by rank, by import path."""

import math
from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import invalid
from textkin.base.import_path import called, imported, parsed
from textkin.measures.metrics.measure_names import Measure

_KIND = "measures"


def own_measure(measure: Measure, ranked: Sequence[Ints], judged: Sequence[Ints]) -> Floats:
    """A user's measure of each query, shape [queries].

    Args:
        measure: its name is the import path of a function, with its options if any; the function gets both
            other arguments of one query, and gives a number.
        ranked: the judgements of each query's retrieved documents, best first; 0 without judgement.
        judged: all judgements of each query.

    Raises:
        UsageError: there is no such function, it fails, or gives no finite number.
    """
    path, options = parsed(measure.name, kind=_KIND)
    function = imported(path, kind=_KIND)
    values = np.empty(len(ranked))
    for place, (levels, every) in enumerate(zip(ranked, judged, strict=True)):
        found = called(path, function, levels, every, kind=_KIND, options=options)
        if not isinstance(found, int | float | np.number) or not math.isfinite(found):
            raise invalid(_KIND, path, expected=f"a function that gives a finite number, not {found!r}")
        values[place] = found
    return values

"""``tk.evaluate``: measure one model beside baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textkin.verbs.evaluate.compare_input import Compared


def evaluate(data: Any, model: Any = "default", **options: Any) -> Compared:
    """Measure one model beside baselines: :func:`compare` of a single model.

    Args:
        data: labelled data, as ``compare`` takes them. A call with the model first works, too.
        model: the model.
        options: those of ``compare``.

    Raises:
        TypeError: an option is unknown, or there are several models.
        TextkinError: as ``compare``.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.evaluate(samples.pairs("support-desk"), "default", resamples=100, rounds=100)
        >>> found.measure, found.systems.pairs
        ('AP', 1051)
    """
    from textkin.verbs.argument_order import data_and_model
    from textkin.verbs.evaluate.compare import compare

    if "models" in options:
        raise TypeError("evaluate() takes one model; write tk.compare(data, models) for several")
    given, chosen = data_and_model(data, model)
    return compare(given, [chosen], **options)

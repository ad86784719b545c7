"""``tk.agree``: who decides as whom."""

from __future__ import annotations

from collections.abc import Sequence

from textkin.base.argument_checks import checked
from textkin.data.choice_records import ChoiceSet
from textkin.data.protocols import Chooser
from textkin.data.readers.from_python import GivenData
from textkin.kinds.systems import AnyModel
from textkin.verbs.evaluate.agree import AgreementResult
from textkin.verbs.evaluate.agree import agree as find
from textkin.verbs.evaluate.options import Options


@checked
def agree(
    data: GivenData | ChoiceSet, *, models: Sequence[AnyModel | Chooser], options: Options | None = None
) -> AgreementResult:
    """Which systems decide alike and err alike, and what each adds to their vote.

    Args:
        data: pairs labelled yes or no, or with classes; candidates; or a ``ChoiceSet``; records, or the
            path of a file.
        models: as :func:`compare` takes them; of several seeds each is a system of its own. For choices also
            objects with ``name`` and ``choose(questions)``.
        options: see :class:`Options`. Yes-or-no pairs need ``dev`` where a model has no saved threshold.

    Raises:
        UsageError: there are fewer than two systems, one does not fit the data, or has no threshold.
        DataError: the data can't be read or have no labels.
        LeakError: a model was trained on the data, or dev has some of the pairs.
        ModelError: a model can't be read.

    Example:
        >>> import textkin as tk
        >>> class Longest:
        ...     name = "longest"
        ...     def choose(self, questions):
        ...         return [[len(choice) for choice in one.choices] for one in questions]
        >>> one = tk.ChoiceQuestion("q1", "What is cold?", ("ice", "a fire"), answer=0)
        >>> other = tk.ChoiceQuestion("q2", "What is hot?", ("ice", "a fire"), answer=1)
        >>> found = tk.agree(tk.ChoiceSet((one, other)), models=[Longest(), "constant"])
        >>> found.agreed.oracle.value, found.agreed.pairs[0].same.value
        (1.0, 0.0)
    """
    return find(data, models, options=options)

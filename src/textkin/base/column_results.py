"""Base class of results that are one value per input, which stand for the array of these values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from textkin.base.results import Result


class ColumnResult(NDArrayOperatorsMixin, Result):
    """A result of one value per input: an array in comparisons, arithmetic and data frames.

    Example:
        >>> import textkin as tk
        >>> found = tk.classify(["my cat"], {"cat": ["cats sleep"], "dog": ["dogs bark"]})
        >>> (found == "cat").tolist()
        [True]
    """

    __slots__ = ()
    __pandas_priority__ = 5000  # above its own classes, so that a column beside a result asks the result

    @abstractmethod
    def _column(self) -> NDArray[Any]:
        """The values. Shape [inputs], or [inputs, width]."""

    def _fixed(self) -> NDArray[Any]:
        """The values, read-only, so that methods such as ``sort`` can't part them from their inputs."""
        view = self._column().view()
        view.flags.writeable = False
        return view

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values."""
        return iter(self._column().tolist())

    def __getitem__(self, place: Any) -> Any:
        """The value at a place, or an array of several."""
        found = self._fixed()[place]
        return found if getattr(found, "ndim", 0) or not hasattr(found, "item") else found.item()

    if not TYPE_CHECKING:  # so that checkers of types still find misspelt names

        def __getattr__(self, name: str) -> Any:
            """An attribute of the array, such as ``mean``."""
            is_own = name.startswith("_") or name in type(self).__dataclass_fields__
            if not is_own and hasattr(column := self._fixed(), name):
                return getattr(column, name)
            return super().__getattr__(name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The values, copied unless ``copy`` is False, so that data frames accept the result as a column."""
        return np.array(self._fixed(), dtype=dtype, copy=copy is not False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        """A function of NumPy applied to the values."""
        values = (one._fixed() if isinstance(one, ColumnResult) else one for one in inputs)
        if any(isinstance(one, ColumnResult) for one in named.get("out", ())):
            del named["out"]  # `found += 1` makes an array of its own
        return getattr(ufunc, method)(*values, **named)

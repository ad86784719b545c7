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

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values."""
        return iter(self._column().tolist())

    def __getitem__(self, place: Any) -> Any:
        """The value at a place, or an array of several."""
        found = self._column()[place]
        return found if getattr(found, "ndim", 0) or not hasattr(found, "item") else found.item()

    if not TYPE_CHECKING:  # so that checkers of types still find misspelt names

        def __getattr__(self, name: str) -> Any:
            """An attribute of the array, such as ``mean``."""
            is_own = name.startswith("_") or name in type(self).__dataclass_fields__
            if not is_own and hasattr(column := self._column(), name):
                return getattr(column, name)
            return super().__getattr__(name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The values, so that data frames accept the result as a column."""
        return np.array(self._column(), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        """A function of NumPy applied to the values."""
        values = (one._column() if isinstance(one, ColumnResult) else one for one in inputs)
        return getattr(ufunc, method)(*values, **named)

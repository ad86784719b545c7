"""The verbs: what the command line and the public functions do.

The classes of their results load on first use, as ``__init__.pyi`` lists them.
"""

from textkin.base.lazy_names import LazyNames as _LazyNames

_PUBLIC = _LazyNames(__file__)
__all__ = list(_PUBLIC)


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return _PUBLIC.load(name)
    raise _PUBLIC.missing(__name__, name)


def __dir__() -> list[str]:
    return sorted(_PUBLIC)

"""textkin finds texts that mean the same.

Train, test and use text-similarity models on your own data, offline. The public names load on first use, so
``import textkin`` costs next to nothing and loads neither torch nor numpy::

    import textkin as tk

    model = tk.load("runs/support/model")
    model.score([("reset my password", "I forgot my password")])
"""

from textkin.base.lazy_names import LazyNames as _LazyNames
from textkin.base.neighbour_words import MEANT as _MEANT

_PUBLIC = _LazyNames(__file__)
__all__ = [name for name in _PUBLIC if name != "__version__"]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return _PUBLIC.load(name)
    raise _PUBLIC.missing(__name__, name, near=_MEANT.get(name, "").replace(" ", "_"), short="tk")


def __dir__() -> list[str]:
    return sorted(_PUBLIC)

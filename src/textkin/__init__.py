"""textkin finds texts that mean the same.

Train, test and use text-similarity models on your own data, offline. The public names load on first use, so
``import textkin`` costs next to nothing and loads neither torch nor numpy::

    import textkin as tk

    model = tk.load("runs/support/model")
    model.score([("reset my password", "I forgot my password")])
"""

from __future__ import annotations

from difflib import get_close_matches as _get_close_matches
from importlib import import_module as _import_module
from pathlib import Path as _Path

_NEIGHBOURS = {
    "semantic_search": "search",
    "paraphrase_mining": "mine",
    "SentenceTransformer": "load",
    "StaticModel": "load",
    "CrossEncoder": "load",
    "SemHash": "dedupe",
    "deduplicate": "dedupe",
    "evaluate_run": "measure",
    "Collection": "open_collection",
}
"""Names of neighbouring libraries, and the verb that does the same."""


def _public_names() -> dict[str, str]:
    """The module of each public name, as ``__init__.pyi`` imports it."""
    names = {}
    for line in _Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines():
        if line.startswith("from "):
            _, module, _, name, *_ = line.split()
            names[name] = module
    return names


_PUBLIC = _public_names()
__all__ = [name for name in _PUBLIC if name != "__version__"]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(_import_module(_PUBLIC[name]), name)
    near = [_NEIGHBOURS[name]] if name in _NEIGHBOURS else _get_close_matches(name, __all__, n=1)
    hint = f"; did you mean tk.{near[0]}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted(_PUBLIC)

"""Users' own systems by import path: a function of two lists of texts, an object, or a class of such.

A class is called with its options, and with ``fit_texts``, ``vectors`` and ``seed`` if it takes these.
"""

import inspect
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError
from textkin.base.files import sha256_of_json
from textkin.base.hub import BOX
from textkin.base.import_path import called, import_path, imported, is_import_path, origin_of, parsed
from textkin.base.paths import exists
from textkin.data.choice_records import LOOKING_UP, SUPPORT
from textkin.data.protocols import Chooser, SpanReader
from textkin.text.baselines.choosers import CHOICE_BASELINES
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.text.baselines.hybrid import HYBRID
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.user_objects import given

_KIND = "models"
_GROUP = "model"
_BUNDLED = frozenset({*BOX, *BASELINES, *CLASS_BASELINES, *CHOICE_BASELINES, *LOOKING_UP})


def is_own(word: object) -> bool:
    """True if a word names a system by import path or entry point, with or without options."""
    if not isinstance(word, str) or word.startswith((HYBRID, SUPPORT)) or exists(word):
        return False
    name, _, _ = word.partition("(")
    if is_import_path(name):
        return name.partition(":")[0] not in BASELINES
    return name.isidentifier() and name not in _BUNDLED and import_path(name, kind=_GROUP) is not None


def own_system(
    word: str, *, fit_texts: Sequence[str] = (), vectors: Path | None = None, seed: int = 0
) -> Any:
    """The system at an import path: a scorer, encoder, classifier, reader or chooser.

    Args:
        word: the import path, with options if any: ``my_models:Overlap(n=2)``.
        fit_texts: for a class that takes them: the texts to take word frequencies from.
        vectors: for a class that takes it: a file of word vectors.
        seed: for a class that takes it: the seed of random draws.

    Raises:
        UsageError: there is none, it can't be built, or it can't serve as a system.
    """
    path, options = _path_of(word)
    found = imported(path, kind=_KIND)
    if isinstance(found, type):
        takes = _takes(found)
        offered = {"fit_texts": fit_texts, "vectors": vectors, "seed": seed}
        wanted = {name: value for name, value in offered.items() if name in takes} | options
        found = called(path, found, kind=_KIND, options=wanted)
    elif options:
        found = partial(found, **options)
        found.__name__ = path.rpartition(":")[2]  # type: ignore[attr-defined]
    return found if isinstance(found, SpanReader | Chooser) else given(found)


def takes_fit_texts(word: str) -> bool:
    """True if an own system is a class that takes word frequencies from texts.

    Raises:
        UsageError: there is none.
    """
    found = imported(_path_of(word)[0], kind=_KIND)
    return isinstance(found, type) and "fit_texts" in _takes(found)


def hash_of_own(word: str, *, fit_texts: Sequence[str], vectors: str | None, seed: int) -> str:
    """The hash of an own system's code and of all that it is given.

    Raises:
        UsageError: there is none, or its code is in no file.
    """
    path, options = _path_of(word)
    code = origin_of(path, kind=_KIND).sha256
    if code is None:
        raise UsageError(f"{path} is in no file whose hash could be taken", fix="put it into a module")
    data = [sorted(set(fit_texts)) if takes_fit_texts(word) else None, vectors, seed]
    return sha256_of_json({"own": path, "options": options, "code": code, "data": data})


def _path_of(word: str) -> tuple[str, dict[str, Any]]:
    """The import path and the options in a word."""
    name, options = parsed(word, kind=_KIND)
    return import_path(name, kind=_GROUP) or name, options


def _takes(found: type) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(found).parameters)
    except ValueError:  # from compiled code
        return frozenset()

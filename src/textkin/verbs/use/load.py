"""Models as users load them: vectors in the precision that the commands choose, too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textkin.base.hub import DEFAULT

if TYPE_CHECKING:
    from textkin.data.protocols import Encoder, Scorer

_System = TypeVar("_System")


def load(path: Path | str = DEFAULT) -> Scorer:
    """Load the encoder, scorer or classifier in a folder, or in the Hugging Face cache by name.

    Without a name, it is the built-in static encoder, which needs no torch. ``encode`` of a transformer
    computes some thousands of texts in bfloat16 where a check on a few of them finds it faster and close
    enough, as the commands do; ``computing("fp32")`` is the same encoder in float32. Scores are computed in
    float32.

    Raises:
        ModelError: there is no readable model, or it is an ensemble of which a member is missing, has
            changed, or takes word frequencies from texts.

    Example:
        >>> import textkin as tk
        >>> tk.load().name
        'default'
    """
    from textkin.kinds import systems

    return _choosing(systems.load(path))


def load_encoder(path: Path | str = DEFAULT) -> Encoder:
    """Like :func:`load`, but a model without vectors is an error.

    Raises:
        ModelError: as :func:`load`, or the model compares texts without vectors.

    Example:
        >>> import textkin as tk
        >>> vectors = tk.load_encoder().encode(["When do you open?"])
        >>> len(vectors)
        1
    """
    from textkin.kinds import systems

    return _choosing(systems.load_encoder(path))


def _choosing(system: _System) -> _System:
    choose = getattr(system, "choosing", None)
    return system if choose is None else choose()

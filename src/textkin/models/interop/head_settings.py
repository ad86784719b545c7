"""Settings of heads that transformers lacks, in the ``config.json`` of its folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from textkin.base.errors import ModelError
from textkin.base.json_fields import AGAIN, flag, read_object, table, whole
from textkin.models.interop.folder_kinds import CONFIG

READS_PASSAGES = "reader"
"""The architecture's name in manifests."""

OURS = "textkin"
"""The key of the settings."""

THEIRS = "sentence_transformers"
"""The key of sentence-transformers' settings."""

ACTIVATION = "activation_fn"
_OLD_ACTIVATION = "sbert_ce_default_activation_function"
_DEFAULT_MOST = 30


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """How a reader answers.

    Attributes:
        most: the maximum tokens of an answer; None for no limit.
        answers_none: True if there may be no answer.
    """

    most: int | None
    answers_none: bool

    @classmethod
    def of(cls, config: Path) -> Self:
        """The settings in a ``config.json``.

        Raises:
            ModelError: it is missing or broken.
        """
        ours = table(read_object(config), OURS, config)
        most: int | None = _DEFAULT_MOST
        if "most" in ours:
            most = None if ours["most"] is None else whole(ours, "most", config, least=1)
        return cls(most, flag(ours, "answers_none", config))

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return asdict(self)


def activation_of(settings: Mapping[str, Any], config: Mapping[str, Any]) -> str | None:
    """The activation sentence-transformers applies to outputs, from the newest file that has it.

    Args:
        settings: its own file.
        config: the ``config.json``.

    Raises:
        ModelError: the file is broken.
    """
    inner = config.get(THEIRS) or {}
    if not isinstance(inner, dict):
        raise ModelError(f"{CONFIG}: {THEIRS} is not a JSON object", fix=AGAIN)
    found = settings.get(ACTIVATION) or inner.get(ACTIVATION) or config.get(_OLD_ACTIVATION)
    return None if found is None else str(found)

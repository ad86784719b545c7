"""Options that commands share which are no verbs yet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.options import Option

AsJson = Annotated[bool, Option("Print one JSON object and nothing else.", flag="--json")]
Seed = Annotated[
    int,
    Option("Random seed.", flag="--seed", metavar="N", low=0, high=2**32 - 1),
]
DecisionFile = Annotated[
    Path | None,
    Option(
        "Threshold from a file of calibrate or dedupe, instead of the model's own.",
        flag="--decision",
        metavar="FILE",
    ),
]
TextColumn = Annotated[
    str | None,
    Option(
        "Column of texts, such as subject; subject,body joins two.",
        flag="--text",
        metavar="COLUMN",
    ),
]
Download = Annotated[
    bool,
    Option(
        "Fetch models that aren't cached from the Hugging Face hub.",
        flag="--download",
    ),
]


def fetch(*models: str | None, download: bool) -> None:
    """Download models of the hub into the cache, if requested; None stands for no model.

    Raises:
        ModelError: the hub can't be reached, or has no such model.
    """
    if download:
        from textkin.kinds.systems import fetch_named

        fetch_named(*models, download=download)

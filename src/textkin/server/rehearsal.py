"""Warm-up before the first request, so that none waits for compiling or loading."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from textkin.base.errors import OutputError
from textkin.base.progress import remark
from textkin.collection.store.warm_up import rehearse_searches


def rehearse_collections() -> None:
    """Compile the loops of searches, or load them from their cache.

    Without a folder for temporary files, the first searches wait for that, and a remark says so.
    """
    try:
        with TemporaryDirectory(prefix="textkin-") as folder:
            rehearse_searches(Path(folder))
    except (OSError, OutputError) as error:
        remark(f"the first searches will take longer, as no temporary collection can be made: {error}")

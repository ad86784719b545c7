"""``textkin api-key``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_text, note
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin api-key keys.toml alice
textkin api-key keys.toml dashboard --read-only --texts-per-minute 10000
"""


def command(
    file: Annotated[Path, Option("File of keys, which is created if missing.", metavar="FILE")],
    name: Annotated[str, Option("Owner of the key.", metavar="NAME")],
    /,
    *,
    read_only: Annotated[bool, Option("The key can't change collections.")] = False,
    texts_per_minute: Annotated[
        int | None,
        Option("Maximum texts per minute.", metavar="N", low=1),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key for a server.

    The key is printed once. The file keeps only its SHA-256, for textkin serve
    --api-key-file FILE; the file's contents can't be used as a key.
    """
    from textkin.server.keys import add_key

    key = add_key(file, name, read_only=read_only, texts_per_minute=texts_per_minute)
    if as_json:
        emit_json({"name": name, "key": key, "file": file})
    else:
        emit_text(key)
    note(f"{file} knows its hash; keep the key itself, which is not told again")

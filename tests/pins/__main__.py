"""Write the current lines: ``python -m tests.pins``; the JSON keys require the tests of all commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.pins import error_calls, json_keys, surface, write

RUNS = ("tests/cli", "tests/verbs/evaluate/test_agree.py", "tests/verbs/ensemble", "tests/verbs/deploy")


def main() -> int:
    """Write all four files; those of JSON only if the tests pass that show them."""
    write("commands", surface.commands())
    write("signatures", surface.signatures())
    write("errors", error_calls.lines())
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen.jsonl"
        environment = os.environ | {json_keys.SEEN: str(seen)}
        code = subprocess.call([sys.executable, "-m", "pytest", *RUNS], env=environment)
        if code == 0:
            rows = [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()]
            write("json_keys", json_keys.lines((command, value) for command, value in rows))
    return code


if __name__ == "__main__":
    sys.exit(main())

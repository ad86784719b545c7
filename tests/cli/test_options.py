"""Options that several commands share."""

from tests.cli.conftest import Textkin
from textkin.readers import FORMATS


def test_help_names_every_format(textkin: Textkin) -> None:
    for command in ("evaluate", "compare", "lint"):
        shown = " ".join(textkin(command, "--help").out.split())
        assert f"{', '.join(FORMATS)}, or auto" in shown

"""The page in a browser: common parts of its tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


def needs_a_browser() -> pytest.MarkDecorator:
    """Skips tests that need a browser if there is none, with the reason."""
    missing = [name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None]
    reason = f"{missing[0]} is not installed" if missing else "no Chromium is installed"
    return pytest.mark.skipif(bool(missing) or BROWSER is None, reason=reason)


def in_a_browser(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test in a browser: it runs apart, and is skipped if there is none."""
    return pytest.mark.apart(needs_a_browser()(test))


def findings(page: Any) -> list[str]:
    """axe's findings, in words."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


def answered(page: Any) -> str:
    """The page's text about an answer, once it is there."""
    page.wait_for_selector("#said:not(:empty):not(:has-text('Asking'))")
    return str(page.text_content("#said"))

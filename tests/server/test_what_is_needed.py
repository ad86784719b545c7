"""The reason why the server's tests are skipped, if they are."""

from __future__ import annotations

import pytest

from tests.server.conftest import MISSING


def test_what_servers_need_is_installed() -> None:
    if MISSING:
        pytest.skip(f"the tests of the server need {', '.join(MISSING)}")

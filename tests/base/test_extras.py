import sys

import numpy
import pytest

from textkin.base.errors import MissingExtraError
from textkin.base.extras import imported, require, require_torch


def test_what_is_installed_is_imported() -> None:
    assert imported("numpy", extra="x") is numpy
    assert imported("numpy.linalg", extra="x") is numpy.linalg
    require("numpy", "scipy", extra="x")


def test_what_is_missing_is_named_with_the_command_that_brings_it(monkeypatch) -> None:
    said = r"^this needs the package 'scipy', which is not installed; run: pip install 'textkin\[x\]'$"
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(MissingExtraError, match=said):
        imported("scipy.sparse", extra="x")
    with pytest.raises(MissingExtraError, match=said):
        require("numpy", "scipy", extra="x")


@pytest.mark.parametrize("package", ["torch", "transformers", "accelerate"])
def test_networks_need_all_of_the_extra(package, monkeypatch) -> None:
    for each in ("torch", "transformers", "accelerate"):
        monkeypatch.setitem(sys.modules, each, numpy if each != package else None)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*pip install 'textkin\[train\]'"):
        require_torch()
    with pytest.raises(MissingExtraError):
        require_torch(extra="onnx")

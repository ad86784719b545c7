"""textkin table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from tests.making_choices import as_table, exam


@pytest.mark.slow
def test_a_folder_is_printed_as_tables_and_as_json(textkin: Textkin, tmp_path: Path) -> None:
    for name, data in (("dev", exam(24, seed=1)), ("test", exam(24, seed=2))):
        (tmp_path / f"{name}.tsv").write_text(as_table(data).replace("Which is", f"Which of {name} is"))
    ensemble = '[ensembles]\nboth = ["longest", "tfidf"]\n'
    systems = 'test = "test.tsv"\ndev = "dev.tsv"\nsystems = ["longest", "tfidf"]\n'
    (tmp_path / "table.toml").write_text(systems + ensemble)
    call = ("table", tmp_path, "--out", tmp_path / "out", "--accept-leaks", "--resamples", 20, "--rounds", 20)
    shown = textkin(*call)
    assert shown.code == 0 and shown.out.splitlines()[-1] == f"written: {tmp_path / 'out'}"
    found = textkin(*call, "--json").json
    assert {row["name"] for row in found["measured"]["systems"]["rows"]} >= {"longest", "tfidf", "both"}
    (tmp_path / "table.toml").write_text(systems + ensemble.replace('"tfidf"', '"tfid"'))
    wrong = textkin(*call)
    assert wrong.code != 0 and "'tfid'" in wrong.error

"""Metrics: their types, their key, and the board of Grafana that reads them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.server.asking import client_of
from textkin.server.keys import add_key, read_keys
from textkin.server.open_service import Served, open_service

BOARD = Path(__file__).parents[3] / "examples" / "serving" / "grafana.json"


def test_metrics_need_a_key_only_where_they_were_told_to(tmp_path: Path) -> None:
    key = add_key(tmp_path / "keys.toml", "alice")
    for needs, status in ((False, 200), (True, 401)):
        keys = read_keys(tmp_path / "keys.toml", for_metrics=needs)
        asking = client_of(open_service(Served(models=("default",)), keys=keys))
        assert asking.ask("GET", "/metrics").status_code == status
        found = asking.ask("GET", "/metrics", headers={"authorization": f"Bearer {key}"})
        assert found.status_code == 200 and "# TYPE te_queue_size gauge" in found.text
        assert asking.ask("GET", "/live").status_code == 200


def test_counters_are_counters_and_the_board_reads_what_there_is() -> None:
    asking = client_of(open_service(Served(models=("default",))))
    asking.post("/embed", {"inputs": "a"})
    asking.post("/embed", {"inputs": []})
    lines = asking.ask("GET", "/metrics").text.splitlines()
    kinds = dict(line.split()[2:4] for line in lines if line.startswith("# TYPE "))
    assert {name: kind for name, kind in kinds.items() if kind == "counter"} == dict.fromkeys(
        ("te_request_count", "te_request_failure", "te_request_success", "textkin_requests_total"), "counter"
    )
    assert not [line for line in lines if "_created" in line]
    asked = re.findall(r"\b(?:te|textkin)_\w+", BOARD.read_text(encoding="utf-8"))
    known = {line.partition(" ")[0].partition("{")[0] for line in lines if not line.startswith("#")}
    later = {"textkin_match_verdicts_total", "textkin_truncated_texts_total", "textkin_watch_state"}
    assert set(asked) <= known | later and later <= set(asked)
    assert len({panel["id"] for panel in json.loads(BOARD.read_text(encoding="utf-8"))["panels"]}) == 8

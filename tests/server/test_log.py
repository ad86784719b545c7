"""The log of a server: a line an event, in JSON or text, and nothing that isn't worth one."""

import io
import json

import pytest

from textkin.server.call import Call
from textkin.server.keys import ApiKey
from textkin.server.log import ServerLog


def call(**about):
    return Call("r1", 1.0, method="POST", client="10.0.0.7", **about)


def lines(what="all", style="json", *, status=200, error=None, **about):
    stream = io.StringIO()
    ServerLog(what, style=style, stream=stream).write(call(**about), "/embed", status, error=error)
    return stream.getvalue().splitlines()


def test_a_request_says_who_asked_what_and_how_it_ended():
    key = ApiKey(name="alice", sha256="0" * 64)
    [line] = lines(status=422, error="Empty", key=key, texts=2, characters=9, truncated=1)
    found = json.loads(line)
    assert found | {"time": "", "seconds": 0} == {
        **{"time": "", "level": "warning", "event": "request", "id": "r1", "method": "POST"},
        **{"route": "/embed", "client": "10.0.0.7", "status": 422, "seconds": 0},
        **{"texts": 2, "characters": 9, "truncated": 1, "key": "alice", "error": "Empty"},
    }


@pytest.mark.parametrize(("status", "level"), [(200, "info"), (499, "warning"), (500, "error")])
def test_a_status_has_a_level(status, level):
    [line] = lines(status=status)
    assert json.loads(line)["level"] == level


@pytest.mark.parametrize(
    ("what", "about", "status", "count"),
    [
        ("all", {"is_routine": True}, 200, 0),
        ("all", {"is_routine": True}, 503, 1),
        ("errors", {}, 200, 0),
        ("errors", {}, 404, 1),
        ("nothing", {}, 500, 0),
    ],
)
def test_what_is_left_out(what, about, status, count):
    assert len(lines(what, status=status, **about)) == count


def test_a_line_of_text_has_the_same_words_quoted_where_they_must_be():
    stream = io.StringIO()
    ServerLog(style="text", stream=stream).tell(
        "reload failed", {"error": 'no "a"\nb', "models": [], "key": ""}
    )
    stamp, *rest = stream.getvalue().rstrip("\n").split(" ", 1)
    assert stamp.endswith("Z")
    assert rest == ['INFO reload failed error="no \\"a\\"\\nb" models=[] key=""']

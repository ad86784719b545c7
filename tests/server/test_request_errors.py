"""Errors of the library as the service answers them: options by their fields in JSON."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.spelling import Spelling, spelling_as
from textkin.server.request_errors import Dialect, RequestError, body_of, refusal_of


@pytest.mark.parametrize("dialect", [Dialect.TEI, Dialect.OPENAI, Dialect.COHERE])
def test_an_answer_names_the_wrong_field(dialect):
    body = body_of(refusal_of(invalid("min_score", 2, expected="a cosine")), dialect)
    told = body["error"] if dialect is Dialect.OPENAI else body
    assert told["param"] == "min_score"
    said = told.get("message") or told.get("error")
    assert said == '"min_score" is 2, expected a cosine'


def test_what_concerns_no_field_names_none():
    assert "param" not in body_of(refusal_of(DataError("broken")), Dialect.TEI)
    assert "param" not in body_of(RequestError("broken"), Dialect.COHERE)


def test_an_error_of_another_thread_is_spelt_where_it_is_answered():
    def failing():
        raise UsageError("`mode` is wrong; `truncate=True` helps", params=("mode",))

    with spelling_as(Spelling("command")), ThreadPoolExecutor(1) as threads:
        error = threads.submit(failing).exception()
        body = body_of(refusal_of(error), Dialect.TEI)
    assert body["error"] == '"mode" is wrong; "truncate": true helps'

from pathlib import Path
from typing import Annotated

import pytest

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.verbs import verb, written_call


@verb
def near(
    texts: Annotated[list[str], Option("Some texts.", python="Or their column.")],
    /,
    *,
    threshold: Annotated[float | None, Option("A cosine.", low=-1, high=1)] = None,
    top: Annotated[int | None, Option("A number.", low=1)] = None,
) -> tuple[object, ...]:
    """Find near texts.

    Raises:
        UsageError: never.
    """
    return texts, threshold, top


def test_a_verb_takes_its_options_as_they_are_declared():
    assert near(["a"], threshold=1, top=2) == (["a"], 1, 2)


def test_an_argument_with_a_place_may_be_named():
    assert near(texts=["a"], top=2) == near(top=2, texts=["a"]) == (["a"], None, 2)
    with pytest.raises(TypeError):
        near(["a"], texts=["a"])


def test_the_help_of_options_is_the_docstrings():
    lines = (near.__doc__ or "").splitlines()
    assert lines[2:6] == [
        "Args:",
        "    texts: Some texts. Or their column.",
        "    threshold: A cosine.",
        "    top: A number.",
    ]
    assert lines[7] == "Raises:"


@pytest.mark.parametrize(
    ("options", "param"),
    [({"threshold": 1.5}, "threshold"), ({"threshold": "0.5"}, "threshold"), ({"top": 0}, "top")],
)
def test_a_value_is_checked_by_type_and_bounds(options, param):
    with pytest.raises(UsageError) as error:
        near(["a"], **options)
    assert error.value.params == (param,)
    assert error.value.value == options[param]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (["a"], {"treshold": 1}, "threshold"),
        (["a"], {"top_k": 1}, "top"),
        (["a"], {"n_clusters": 1}, "threshold"),
        (["a", 0.5], {}, r"near\(texts, threshold=...\)"),
        ([], {}, "texts"),
    ],
)
def test_a_wrong_call_says_the_right_one(arguments, options, words):
    with pytest.raises(TypeError, match=words):
        near(*arguments, **options)


def test_a_call_is_written_without_defaults_and_data():
    given = {"texts": ["a", ["b"]], "threshold": 0.5, "top": None}
    assert written_call(near, given) == "tk.near(texts, threshold=0.5)"
    assert written_call(near, {"texts": Path("a.txt")}) == "tk.near('a.txt')"
    assert written_call(near, {"texts": {"a": "left"}, "top": [1, 2]}) == "tk.near({'a': 'left'}, top=[1, 2])"

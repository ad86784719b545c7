import pytest

from textkin.vectors.groups.content_words import Content
from textkin.vectors.groups.guarded_words import prepared


def of(text):
    return Content.of(prepared(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The red lamp is broken", "The blue lamp is broken"),
        ("Is it safe to drink?", "Is it unsafe to drink?"),
        ("write to john", "write to mary"),
        ("The light is on", "The light is off"),
        ("Turn left here", "Turn right here"),
        ("Open before lunch", "Open after lunch"),
        ("one plan", "one plane"),
        ("press w to go on", "press enter to go on"),
        ("ready in may", "ready in june"),
        ("the red house", "the red hours"),
        ("\u7ea2\u8272\u7684\u706f", "\u84dd\u8272\u7684\u706f"),
        (
            "\u043a\u0440\u0430\u0441\u043d\u0430\u044f \u043b\u0430\u043c\u043f\u0430",
            "\u0441\u0438\u043d\u044f\u044f \u043b\u0430\u043c\u043f\u0430",
        ),
    ],
)
def test_content_words_that_differ_on_both_sides(one, other):
    assert of(one).differs(of(other))
    assert of(other).differs(of(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I reset my password?", "how can you reset the password"),
        ("The lamps were planned", "a lamp is planning"),
        ("What colour does he organise?", "which color did they organize"),
        ("he lost it and bought one", "who loses and buys"),
        ("the best ways", "a good way"),
        ("my web site", "our website"),
        ("what's the colour of john's lamp", "what is the color of the lamp of john"),
        ("The lamp is broken", "The red lamp is broken"),
        ("travelled to the centre", "traveling in the center"),
        ("10 of them", "20 of them"),
        ("Pay\u200bPal works", "PayPal works"),
        ("", "anything"),
    ],
)
def test_content_words_that_do_not(one, other):
    assert not of(one).differs(of(other))
    assert not of(other).differs(of(one))

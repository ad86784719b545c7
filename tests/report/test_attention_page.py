import base64
import hashlib
import re

import numpy as np

from tests.report.test_study_page import HOSTILE, Outline
from textkin.data.attention_map import AttentionMap
from textkin.report.attention_page import TextMaps, attention_page
from textkin.report.data_facts import Reproduction

WEIGHTS = np.array([[0.75, 0.25], [0, 1]], dtype=np.float32)
SCORES = np.array([[-20, 0.5], [0, 10]], dtype=np.float32)
HTML_TOKENS = ("<img src=x onerror=alert(1)>", HOSTILE)

MADE = Reproduction("textkin score", hashes={"m": "0" * 64})


def page(*maps, first="first", second="second", model="m"):
    return attention_page(TextMaps(model=model, first=first, second=second, maps=maps, made=MADE))


def test_hostile_tokens_texts_and_names_are_escaped():
    one = AttentionMap("<script>alert(1)</script>", HTML_TOKENS, HTML_TOKENS, WEIGHTS, "rows")
    html = page(one, first=HOSTILE, second="</style><script>", model=HOSTILE)
    assert html.count("<script") == 1 and "<img" not in html
    words = " ".join(Outline(html).words)
    assert "<img src=x onerror=aler…" in words and "Each row sums to 1." in words


def test_nothing_is_loaded_and_no_style_is_inline():
    html = page(AttentionMap("e", ("a", "b"), ("x", "y"), WEIGHTS))
    (style,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src &#x27;sha256-{digest}&#x27;" in html and "default-src &#x27;none&#x27;" in html
    assert not re.search(r'style="|src="|url\(|https?:', html)


def test_cells_have_numbers_and_colours_by_size_and_sign():
    html = page(AttentionMap("e", ("a", "b"), ("x", "y"), SCORES))
    cells = re.findall(r'<td(?: class="(\w+)")?>([^<]+)</td>', html)
    assert cells == [("c8", "\N{MINUS SIGN}20"), ("", "0.50"), ("", "0.00"), ("h4", "10")]
    assert "Largest: " in html and "Neither rows nor columns sum to 1." in html


def test_a_matrix_of_zeros_has_no_colour():
    html = page(AttentionMap("e", ("a",), ("x", "y"), np.zeros((1, 2), dtype=np.float32)))
    assert re.findall(r'<td(?: class="(\w+)")?>([^<]+)</td>', html) == [("", "0.00")] * 2


def test_of_a_very_large_matrix_the_largest_rows_and_columns_are_shown_in_their_order():
    weights = np.zeros((400, 300), dtype=np.float32)
    weights[399, 7] = weights[0, 299] = 1
    names = [tuple(f"{side}{number}" for number in range(size)) for side, size in (("r", 400), ("c", 300))]
    html = page(AttentionMap("e", *names, weights))
    heads = re.findall(r'<th scope="(row|col)"><bdi>(\w+)', html)
    shown = {side: [name for kind, name in heads if kind == side] for side in ("row", "col")}
    assert len(shown["row"]) * len(shown["col"]) <= 20_000
    assert {"r0", "r399"} <= {*shown["row"]} and {"c7", "c299"} <= {*shown["col"]}
    assert shown["col"] == sorted(shown["col"], key=lambda name: int(name[1:]))
    assert f"The map shows the {len(shown['row'])} rows" in html


def test_tables_are_reached_by_keyboard_and_their_heads_say_what_they_are_of():
    outline = page(AttentionMap("e", ("a", "b"), ("x", "y"), WEIGHTS, "columns"))
    assert 'class="scroll" tabindex="0"' in outline
    assert outline.count('scope="row"') == outline.count('scope="col"') == 2

"""The frame of a file that searches: its policy, and nothing to load."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re

from textkin.report.data_facts import Reproduction
from textkin.report.search_page import search_page

PAGE = search_page(
    "</title><script>",
    "2 texts",
    b"contents",
    made=Reproduction("", settings={"<b>": "</script>"}),
    stemmer="class LanguageStemmer {}",
)


def hash_of(code):
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def test_only_its_own_scripts_and_style_are_allowed():
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', PAGE)
    rules = dict(one.split(" ", 1) for one in policy.replace("&#x27;", "'").split("; "))
    codes = re.findall(r"<script>(.*?)</script>", PAGE, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", PAGE, re.DOTALL)
    assert rules == {
        "default-src": "'none'",
        "style-src": hash_of(style),
        "base-uri": "'none'",
        "form-action": "'none'",
        "script-src": " ".join(map(hash_of, codes)),
    }
    assert len(codes) == 15 and codes[4].startswith("class LanguageStemmer")
    assert not re.search(r"""(?:src|href)=["'](?!#content)|url\(|@import|fetch\(|https?://""", PAGE)


def test_the_contents_are_compressed_and_what_is_told_is_escaped():
    [packed] = re.findall(r'<script id="contents" type="application/gzip">(.*?)</script>', PAGE)
    assert gzip.decompress(base64.b64decode(packed)) == b"contents"
    assert "</title><script>" not in PAGE and "<b>" not in PAGE
    assert search_page("a", "b", b"c", made=Reproduction("")) == search_page(
        "a", "b", b"c", made=Reproduction("")
    )

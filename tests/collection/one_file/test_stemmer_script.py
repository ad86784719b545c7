"""Stemmers in JavaScript: the same stems as Python's, for all languages."""

from __future__ import annotations

from importlib import import_module, resources

import pytest

from tests.server.browsing import in_a_browser
from textkin.collection.one_file.stemmer_script import stemmer_script
from textkin.text.baselines.analysers import LANGUAGES
from textkin.text.baselines.stop_words import stop_words

WORDS = "parking parked cities happily nationalisation résumés Straßen können agréablement sky's yoyo a"
STEMS = "words => { const one = new LanguageStemmer(); return words.map(word => one.stem(word)); }"


def python_stemmer(language):
    return getattr(import_module(f"snowballstemmer.{language}_stemmer"), f"{language.capitalize()}Stemmer")


def endings(stemmer):
    """The strings that its rules look for."""
    tables = (table for table in vars(stemmer).values() if isinstance(table, list))
    return sorted({one.s for table in tables for one in table})


@in_a_browser
def test_stems_are_those_of_python(browser):
    base = resources.files("textkin.report").joinpath("one_file", "stemmer.js").read_text()
    page = browser.new_page()
    for language in LANGUAGES:
        stemmer = python_stemmer(language)
        found = endings(stemmer)
        words = WORDS.split() + sorted(stop_words(language))
        words += [f"{word}{ending}" for word in (*WORDS.split()[:4], *found[::7]) for ending in found[::3]][
            :4000
        ]
        code = f"() => {{ {base}\n{stemmer_script(language)}\nreturn ({STEMS})({words!r}); }}"
        assert page.evaluate(code) == [stemmer().stemWord(word) for word in words], language
    page.close()


def test_what_is_unknown_is_refused(monkeypatch):
    code = "class OddStemmer(BaseStemmer):\n    def _stem(self):\n        with self: pass\n"

    class Folder:
        def joinpath(self, name):
            return self

        def read_text(self, encoding):
            return code

    monkeypatch.setattr(resources, "files", lambda name: Folder())
    with pytest.raises(NotImplementedError):
        stemmer_script("odd")

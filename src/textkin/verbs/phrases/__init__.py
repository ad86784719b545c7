"""``phrases``: answers out of phrases that were encoded before any question was known.

Questions and contexts are encoded apart: neither side sees the other.
"""

from textkin.verbs.phrases.files import embed as embed
from textkin.verbs.phrases.files import merge as merge
from textkin.verbs.phrases.files import split as split
from textkin.verbs.phrases.indexes import add as add
from textkin.verbs.phrases.indexes import evaluate as evaluate
from textkin.verbs.phrases.indexes import index as index
from textkin.verbs.phrases.indexes import search as search

__all__ = ["add", "embed", "evaluate", "index", "merge", "search", "split"]

"""Command lines that stand below the help of commands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "mine": """
textkin mine questions.txt --threshold 0.85 --out pairs.tsv
textkin mine tickets.csv --text subject --model runs/mine/model --precision 0.95 --out pairs.tsv
textkin mine new.txt --against known.txt --per-text 3 --out pairs.tsv
textkin mine articles.jsonl --embeddings articles.npy --top 100000 --ids-only --out pairs.tsv
""",
    }
)
"""The lines of each command that is a verb, by its name."""

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
        "dedupe": """
textkin dedupe questions.txt --out deduped
textkin dedupe tickets.csv --text subject --keep votes --guard numbers,negation --out deduped
textkin dedupe questions.txt --out deduped --lexical 0.8 --shingles words
textkin dedupe questions.txt --out deduped --sample 200
textkin dedupe questions.txt --out deduped --labelled deduped/sample.csv --precision 0.95
textkin dedupe questions.txt --out deduped --labelled deduped/sample.csv --precision 0.95 --proof
""",
        "cluster": """
textkin cluster questions.txt --threshold 0.8 --out groups.tsv
textkin cluster tickets.csv --text subject --gold topic --threshold 0.8 --method communities
textkin cluster tickets.kin --where 'year >= 2025' --threshold 0.8 --out groups.tsv
""",
        "hash": """
textkin hash questions.txt --out codes.npy
textkin hash tickets.csv --text subject --model runs/mine/model --bits 512 --out codes.npy
textkin hash questions.txt --embeddings questions.npy --bits 128 --out codes.npy
textkin hash questions.txt --of letters --out codes.npy
textkin hash new.txt --search codes.npy -k 5 --out found.tsv
textkin hash new.txt --search codes.npy --bands 32 --out found.tsv
""",
    }
)
"""The lines of each command that is a verb, by its name."""

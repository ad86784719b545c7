"""Lint corpora with judged queries: unusable judgements, repeated and empty entries."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from textkin.base.text_equality import Equal, key_of
from textkin.data.readers.read_report import Loaded
from textkin.data.records import RetrievalSet
from textkin.data.splits.findings import Example, Finding, Place, Severity, Topic
from textkin.data.splits.lint_checks import EXAMPLES, short


def lint_collection(
    path: Path, loaded: Loaded[RetrievalSet], *, equal: Equal = Equal.LETTERS
) -> Iterator[Finding]:
    """Check a folder in BEIR's layout for errors.

    Args:
        path: the folder.
        loaded: the data that were read.
        equal: when two texts are the same text.
    """
    data = loaded.data
    judged = data.qrels.to_dict()
    if loaded.report.skipped:
        yield Finding(
            Topic.SKIPPED_ROW,
            Severity.WARNING,
            (str(path),),
            sum(loaded.report.skipped.values()),
            f"{loaded.report.sentence()}. Add the texts, or take the judgements out.",
        )
    yield from _named(
        path,
        Topic.MISSING_LABEL,
        [query for query in data.queries if not any(grade > 0 for grade in judged.get(query, {}).values())],
        data.queries,
        "queries without a relevant document: {count} of {all}. They are in no figure that needs one.",
    )
    yield from _named(
        path,
        Topic.EMPTY_TEXT,
        [key for texts in (data.queries, data.corpus) for key, text in texts.items() if not text.strip()],
        {**data.corpus, **data.queries},
        "queries and documents without a text: {count}. No model finds them; add their texts.",
    )
    yield from _again(path, data.corpus, "documents", equal)
    yield from _again(path, data.queries, "queries", equal)


def _named(
    path: Path, topic: Topic, names: Sequence[str], texts: Mapping[str, str], message: str
) -> Iterator[Finding]:
    if names:
        yield Finding(
            topic,
            Severity.WARNING,
            (str(path),),
            len(names),
            message.format(count=f"{len(names):,}", all=f"{len(texts):,}"),
            tuple(Example((_place(path, name),), short(texts[name])) for name in names[:EXAMPLES]),
        )


def _again(path: Path, texts: Mapping[str, str], what: str, equal: Equal) -> Iterator[Finding]:
    """Texts that stand under several ids."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, text in texts.items():
        if text.strip():
            names[key_of(text, equal)].append(name)
    again = [ids for ids in names.values() if len(ids) > 1]
    if again:
        yield Finding(
            Topic.TEXT_WITH_OTHER_IDS,
            Severity.WARNING,
            (str(path),),
            len(again),
            f"{what} whose text stands under several ids, case and punctuation aside: {len(again):,}. "
            "Judge all of them alike, or keep one each.",
            tuple(
                Example(tuple(_place(path, name) for name in ids[:EXAMPLES]), short(texts[ids[0]]))
                for ids in again[:EXAMPLES]
            ),
        )


def _place(path: Path, name: str) -> Place:
    return Place(f"{path} {name}", -1)

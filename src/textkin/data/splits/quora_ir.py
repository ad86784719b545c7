"""The Quora split of sentence-transformers' published results, by the rules of its create_splits script.

Questions are assigned, not pairs: a pair whose questions are on different sides is in no classification file.
The stop words of that script are not published, so :data:`STOP_WORDS` is our own list.
"""

import random
import re
import string
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from textkin.base.errors import DataError, LeakError
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.components import join

_SIDES = ("train", "dev", "test")
_PHRASES = (
    ("how do you", "how do i"),
    ("how do we", "how do i"),
    ("how can we", "how do i"),
    ("how can you", "how do i"),
    ("how can i", "how do i"),
    ("really true", "true"),
    ("what are the importance", "what is the importance"),
    ("what was", "what is"),
    ("so many", "many"),
    ("would it take", "will it take"),
)
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")

_STOP_WORDS = """
a about again all also am an and any are as at be because been being between both but by can could did do
does doing down during each for from further had has have having he her here hers him his how i if in into
is it its itself just me more most my myself now of off on only or other our ours out own same she should so
some such than that the their theirs them then there these they this those through to too up very was we
were what when where which while who whom why will with would you your yours yourself
"""

STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that carry the form of a question rather than its topic, without negations."""


@dataclass(frozen=True, slots=True)
class TsvFile:
    """A tab-separated file without quoting: its path in the output folder, its header and its rows."""

    path: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class QuoraIr:
    """All files of the split.

    Attributes:
        tables: files in the order of the reference.
        questions: number of questions of each side.
        pairs: positions of the pairs in the classification file of each side.
        empty_pairs: number of rows dropped because a question is empty.
        dropped_pairs: number of pairs whose questions are on different sides.
        near_duplicates: number of edges added by the near-duplicate key.
    """

    tables: tuple[TsvFile, ...]
    questions: dict[str, int]
    pairs: dict[str, tuple[int, ...]]
    empty_pairs: int
    dropped_pairs: int
    near_duplicates: int


def near_key(question: str) -> str:
    """A question after phrase rewrites, without punctuation and stop words; possibly ""."""
    text = question.lower()
    for phrase, replacement in _PHRASES:
        text = text.replace(phrase, replacement)
    return "".join(word for word in _PUNCTUATION.sub(" ", text).split() if word not in STOP_WORDS)


def quora_ir(
    data: PairSet, *, seed: int = 42, dev_queries: int = 5000, test_queries: int = 10_000
) -> QuoraIr:
    """Build the classification, duplicate-mining and information-retrieval files of the Quora pairs.

    Duplicates are closed under symmetry, transitivity and equal near-duplicate keys. Rows are shuffled. The
    two questions of a row go to the side of the one already assigned, together with all their duplicates. If
    neither is, every first of ten such rows goes to dev, the second and third to test, the others to train.

    Args:
        data: binary pairs with both ids, one id per question.
        seed: seed for shuffling the rows, and the questions from which queries are taken.
        dev_queries: maximum number of queries for dev.
        test_queries: maximum number of queries for test.

    Raises:
        DataError: ids or labels are missing.
        LeakError: the sides share a question, which would be a defect.
    """
    rows, empty = _rows(data)
    questions = {name: text for row in rows for name, text in ((row.id_a, row.a), (row.id_b, row.b))}
    groups, near = _groups(rows, questions)
    generator = random.Random(seed)
    side_of = _assign(rows, groups, generator)
    _require_disjoint(side_of, groups)

    tables = [*_graph_tables(questions, groups, side_of)]
    pairs = {side: [row for row in rows if side_of[row.id_a] == side_of[row.id_b] == side] for side in _SIDES}
    header = ("qid1", "qid2", "question1", "question2", "is_duplicate")
    tables += [
        TsvFile(f"classification/{side}_pairs.tsv", header, [row.fields for row in pairs[side]])
        for side in _SIDES
    ]
    tables += _mining_tables(questions, groups, side_of)
    tables += _retrieval_tables(questions, groups, side_of, (dev_queries, test_queries), generator)
    return QuoraIr(
        tables=tuple(tables),
        questions={side: sum(where == side for where in side_of.values()) for side in _SIDES},
        pairs={side: tuple(row.position for row in of_side) for side, of_side in pairs.items()},
        empty_pairs=empty,
        dropped_pairs=len(rows) - sum(map(len, pairs.values())),
        near_duplicates=near,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    position: int
    id_a: str
    id_b: str
    a: str
    b: str
    is_duplicate: bool

    @property
    def fields(self) -> tuple[str, ...]:
        return self.id_a, self.id_b, self.a, self.b, str(int(self.is_duplicate))


def _rows(data: PairSet) -> tuple[list[_Row], int]:
    if data.kind is not LabelKind.BINARY or any(
        not pair.id_a or not pair.id_b or pair.label is None for pair in data
    ):
        raise DataError(
            f"{data.name or 'the file'} lacks question ids or duplicate labels, which quora-ir needs",
            fix="name the columns of ids, texts and labels, or use the scheme components",
        )
    cleaned = [
        _Row(position, pair.id_a, pair.id_b, _clean(pair.a), _clean(pair.b), pair.label == 1.0)
        for position, pair in enumerate(data)
    ]
    rows = [row for row in cleaned if row.a and row.b]
    return rows, len(cleaned) - len(rows)


def _clean(text: str) -> str:
    return text.replace("\r", "").replace("\n", " ").replace("\t", " ")


def _groups(rows: list[_Row], questions: dict[str, str]) -> tuple[dict[str, tuple[str, ...]], int]:
    """The duplicates of each question, itself included, and the number of edges from near-duplicate keys."""
    number = {name: index for index, name in enumerate(questions)}
    edges = [(number[row.id_a], number[row.id_b]) for row in rows if row.is_duplicate]
    labelled = {(min(edge), max(edge)) for edge in edges}
    first_of_key: dict[str, int] = {}
    near = 0
    for name, index in number.items():
        key = near_key(questions[name])
        # A question of stop words only has no key, and resembles none.
        if key and (first := first_of_key.setdefault(key, index)) != index:
            edges.append((first, index))
            near += (first, index) not in labelled
    component = join(len(number), np.array(edges, dtype=np.int64).reshape(-1, 2)).tolist()
    members: dict[int, list[str]] = {}
    for name, index in number.items():
        members.setdefault(component[index], []).append(name)
    ordered = {index: tuple(sorted(names, key=_by_number)) for index, names in members.items()}
    return {name: ordered[component[index]] for name, index in number.items()}, near


def _by_number(name: str) -> tuple[int, str]:
    return (int(name), name) if name.isdecimal() else (0, name)


def _assign(rows: list[_Row], groups: dict[str, tuple[str, ...]], generator: random.Random) -> dict[str, str]:
    shuffled = list(rows)
    generator.shuffle(shuffled)
    side_of: dict[str, str] = {}
    fresh = 0
    for row in shuffled:
        side = side_of.get(row.id_a) or side_of.get(row.id_b)
        if side is None:
            side = {0: "dev", 1: "test", 2: "test"}.get(fresh % 10, "train")
            fresh += 1
        for name in (row.id_a, row.id_b):
            if name not in side_of:
                side_of.update(dict.fromkeys(groups[name], side))
    return side_of


def _require_disjoint(side_of: dict[str, str], groups: dict[str, tuple[str, ...]]) -> None:
    for name, group in groups.items():
        if len({side_of.get(other) for other in group}) != 1:
            raise LeakError(
                f"the duplicates of question {name} stand on two sides",
                fix="report this as a defect of textkin",
            )


def _graph_tables(
    questions: dict[str, str], groups: dict[str, tuple[str, ...]], side_of: dict[str, str]
) -> list[TsvFile]:
    return [
        TsvFile("graph/sentences.tsv", ("qid", "question"), list(questions.items())),
        TsvFile("graph/duplicates-graph-pairwise.tsv", ("qid1", "qid2"), _pairs_within(questions, groups)),
        TsvFile(
            "graph/duplicates-graph-list.tsv",
            ("qid1", "qid2"),
            [(name, ",".join(_others(name, groups))) for name in questions if len(groups[name]) > 1],
        ),
        TsvFile(
            "graph/duplicates-graph-connected-nodes.tsv",
            ("qids",),
            [(",".join(group),) for group in dict.fromkeys(groups.values()) if len(group) > 1],
        ),
        *(
            TsvFile(
                f"graph/{side}-questions.tsv",
                ("qid",),
                [(name,) for name in _of_side(questions, side_of, side)],
            )
            for side in _SIDES
        ),
    ]


def _mining_tables(
    questions: dict[str, str], groups: dict[str, tuple[str, ...]], side_of: dict[str, str]
) -> list[TsvFile]:
    tables = []
    for side in _SIDES:
        names = _of_side(questions, side_of, side)
        corpus: list[tuple[str, ...]] = [(name, questions[name]) for name in names]
        tables += [
            TsvFile(f"duplicate-mining/{side}_corpus.tsv", ("qid", "question"), corpus),
            TsvFile(
                f"duplicate-mining/{side}_duplicates.tsv", ("qid1", "qid2"), _pairs_within(names, groups)
            ),
        ]
    return tables


def _retrieval_tables(
    questions: dict[str, str],
    groups: dict[str, tuple[str, ...]],
    side_of: dict[str, str],
    limits: tuple[int, int],
    generator: random.Random,
) -> list[TsvFile]:
    """The retrieval files: a corpus without the queries, at most one query per group of duplicates."""
    corpus = set(_of_side(questions, side_of, "train"))
    tables = []
    for side, limit in zip(("dev", "test"), limits, strict=True):
        shuffled = sorted(_of_side(questions, side_of, side), key=_by_number)
        generator.shuffle(shuffled)
        queries: list[str] = []
        for name in shuffled:
            if name in corpus:
                continue
            others = _others(name, groups)
            if others and len(queries) < limit:
                queries.append(name)
            else:
                corpus.add(name)
            corpus.update(others)
        rows: list[tuple[str, ...]] = [
            (name, questions[name], ",".join(_others(name, groups))) for name in queries
        ]
        tables.append(
            TsvFile(f"information-retrieval/{side}-queries.tsv", ("qid", "question", "duplicate_qids"), rows)
        )
    texts: list[tuple[str, ...]] = [(name, questions[name]) for name in questions if name in corpus]
    return [TsvFile("information-retrieval/corpus.tsv", ("qid", "question"), texts), *tables]


def _of_side(names: Iterable[str], side_of: dict[str, str], side: str) -> list[str]:
    return [name for name in names if side_of[name] == side]


def _others(name: str, groups: dict[str, tuple[str, ...]]) -> list[str]:
    return [other for other in groups[name] if other != name]


def _pairs_within(names: Iterable[str], groups: dict[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """All unordered pairs of duplicates; groups are never split between sides."""
    return [
        pair for group in dict.fromkeys(groups[name] for name in names) for pair in combinations(group, 2)
    ]

"""Connected components of the texts of a set of pairs.

Two graphs share their nodes (a node is a normalised key, so texts that differ only in case and punctuation
are one node) and their near-duplicate edges:

* The GOLD graph connects texts that mean the same. Samplers must not use two texts of one component as
  negatives.
* The SPLIT graph connects texts that must be on the same side: the two texts of every pair, and texts with
  one id.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from textkin.base.arrays import Bools, Ints
from textkin.base.text_equality import Equal, keys_of
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.label_grades import GradeScale, grades_of, scale_of
from textkin.data.splits.near_duplicates import near_identical

_SAME_NAMES = frozenset(
    {"1", "duplicate", "entailment", "entails", "equivalent", "paraphrase", "positive", "same", "true", "yes"}
)


@dataclass(frozen=True, slots=True, eq=False)
class TextGraph:
    """The texts of a set of pairs as nodes, before edges are selected.

    Attributes:
        texts: node of each distinct text.
        keys: key of each node.
        a: node of each pair's first text. Shape [pairs].
        b: node of each pair's second text. Shape [pairs].
        bonds: True if a pair connects its texts in the gold graph. Shape [pairs].
        same_id: edges between texts with the same id. Shape [edges, 2].
        near: edges between near-duplicate texts. Shape [edges, 2].
    """

    texts: dict[str, int]
    keys: tuple[str, ...]
    a: Ints
    b: Ints
    bonds: Bools
    same_id: Ints
    near: Ints

    def components(self, *, pairs: Bools, ids: bool) -> Ints:
        """The component of each node over the selected pairs, near-duplicates and, if ``ids``, equal ids."""
        edges = [np.stack([self.a[pairs], self.b[pairs]], axis=1), self.near]
        return join(len(self.keys), np.concatenate([*edges, self.same_id] if ids else edges))


def text_graph(
    data: PairSet, *, similarity: float | None = None, quiet: bool = False, equal: Equal = Equal.LETTERS
) -> TextGraph:
    """Build the nodes and edges of a set of pairs.

    Args:
        data: the pairs.
        similarity: minimum similarity of the keys of connected texts (see ``near_duplicates.py``); None for
            equal keys only.
        quiet: True to show no progress.
        equal: rule for texts that are one node.
    """
    key_of_text = keys_of(chain.from_iterable(data.texts), equal)
    node_of_key = {key: node for node, key in enumerate(dict.fromkeys(key_of_text.values()))}
    texts = {text: node_of_key[key] for text, key in key_of_text.items()}
    keys = tuple(node_of_key)
    near = [] if similarity is None else near_identical(keys, similarity, quiet=quiet)
    a = np.array([texts[pair.a] for pair in data], dtype=np.int64)
    b = np.array([texts[pair.b] for pair in data], dtype=np.int64)
    return TextGraph(texts, keys, a, b, bonds(data), _same_id(data, a, b), _edges(near))


def gold_components(
    data: PairSet, *, similarity: float | None = None, same: Bools | None = None
) -> dict[str, int]:
    """The component of each text in the gold graph, numbered from 0.

    Edges are positive pairs and near-duplicate texts. Two texts of one component may mean the same, so they
    are not safe negatives of each other.

    Args:
        data: the pairs.
        similarity: as in :func:`text_graph`.
        same: True for positive pairs; by default from :func:`bonds`. Shape [pairs].
    """
    graph = text_graph(data, similarity=similarity, quiet=True)
    component = graph.components(pairs=graph.bonds if same is None else same, ids=False).tolist()
    return {text: component[node] for text, node in graph.texts.items()}


def bonds(data: PairSet, scale: GradeScale | None = None) -> Bools:
    """True for pairs that connect their texts, unless the label says that these differ. Shape [pairs].

    Binary and graded labels: from the middle of the scale, which is inferred from the labels by default (see
    ``label_grades.py``). Classes: those with a positive name (entailment, paraphrase, duplicate, ...), or
    every pair if there is none. Unlabelled: every pair.
    """
    labels = grades_of(data)
    known = ~np.isnan(labels)
    if not known.any() or data.kind is LabelKind.NONE:
        return np.ones(len(data), dtype=np.bool_)
    if data.kind is LabelKind.CLASSES:
        same = [index for index, name in enumerate(data.classes) if name.casefold() in _SAME_NAMES]
        return ~known | (np.isin(labels, same) if same else known)
    scale = scale or scale_of(data)
    assert scale is not None  # noqa: S101 - there are labels, and no classes
    return ~known | (labels >= scale.middle)


def join(count: int, edges: Ints) -> Ints:
    """The connected component of each of ``count`` nodes with undirected ``edges``. Shape [nodes]."""
    weights = np.ones(len(edges), dtype=np.int64)
    matrix = coo_array((weights, (edges[:, 0], edges[:, 1])), shape=(count, count))
    return np.asarray(connected_components(matrix, directed=False)[1], dtype=np.int64)


def id_spaces(data: PairSet) -> tuple[str, str]:
    """Prefixes that keep the ids of the two columns apart, or two empty ones for shared ids.

    Some files number all texts together (Quora), others each column from 1 (questions and answers). Ids are
    shared if most of those that occur in both columns belong to one text.
    """
    columns: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
    for pair in data:
        for column, name, text in zip(columns, (pair.id_a, pair.id_b), (pair.a, pair.b), strict=True):
            if name:
                column.setdefault(name, set()).add(text)
    first, second = columns
    both = first.keys() & second.keys()
    equal = sum(not first[name].isdisjoint(second[name]) for name in both)
    return ("", "") if 2 * equal >= len(both) else ("a:", "b:")


def by_component(clusters: Ints, *, seed: int) -> Ints:
    """The pairs with those of a component together, and the components in random order. Shape [pairs].

    Components differ in size, so a share of them is another share of the labels.
    """
    names, member = np.unique(clusters, return_inverse=True)
    return np.argsort(np.random.default_rng(seed).permutation(len(names))[member], kind="stable")


def _same_id(data: PairSet, a: Ints, b: Ints) -> Ints:
    prefix_a, prefix_b = id_spaces(data)
    first_node: dict[str, int] = {}
    edges = set()
    for pair, node_a, node_b in zip(data, a.tolist(), b.tolist(), strict=True):
        for name, prefix, node in ((pair.id_a, prefix_a, node_a), (pair.id_b, prefix_b, node_b)):
            if name and (known := first_node.setdefault(prefix + name, node)) != node:
                edges.add((known, node))
    return _edges(sorted(edges))


def _edges(pairs: list[tuple[int, int]]) -> Ints:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)

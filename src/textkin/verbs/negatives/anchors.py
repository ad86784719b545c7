"""Material of negative mining: anchors, positives, corpus and paraphrases."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.errors import DataError
from textkin.base.text_equality import key_of
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.components import TextGraph, text_graph
from textkin.kinds.registry import data_kind

_EMPTY = "a text is empty"
_SAME_TEXT = "both texts are the same"


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Anchors and documents, both in the order of their texts, so that no result depends on a file's order.

    Attributes:
        anchors: distinct first texts of positive pairs.
        documents: the corpus without repeated texts, then all other scored texts.
        corpus: number of documents of the corpus: only these are ranked.
        positives: the anchors' positives, as numbers of documents. Shape [positives].
        offsets: those of anchor i stand at offsets[i]:offsets[i+1]. Shape [anchors + 1].
        anchor_component: the gold component of each anchor. Shape [anchors].
        document_component: that of each document, -1 for one that stands in no pair. Shape [documents].
        same: :meth:`codes` of documents that are the same text as the anchor or one of its positives.
        known: codes of documents that are known not to be the same.
        left_out: positive pairs that can't be used, by reason.
    """

    anchors: tuple[str, ...]
    documents: tuple[str, ...]
    corpus: int
    positives: Ints
    offsets: Ints
    anchor_component: Ints
    document_component: Ints
    same: Ints
    known: Ints
    left_out: Mapping[str, int]

    def codes(self, anchors: Ints, documents: Ints) -> Ints:
        """One number for each combination of an anchor and a document."""
        return anchors * len(self.documents) + documents


def gather(gold: Any, corpus: Iterable[str] | None = None) -> Anchors:
    """Find anchors, positives, documents and paraphrases.

    Texts whose letters and digits are the same are one document: the first of them in the order of texts.

    Args:
        gold: labelled pairs, or unlabelled ones that all mean the same; questions with candidates; or a
            collection, whose corpus is taken.
        corpus: the source of negatives; None for all second texts, of any label.

    Raises:
        DataError: there is no positive pair, or no class of the labels means paraphrase.
    """
    pairs, searched = data_kind(gold).gold(gold)
    corpus = searched if corpus is None else corpus
    graph = text_graph(pairs, quiet=True)
    _check_classes(pairs, graph)
    positives, left_out = _positives(pairs, graph)
    if not positives:
        raise DataError(
            f"{pairs.name or 'the data'}: none of {len(pairs):,} pairs joins two texts that are the same",
            fix="give pairs with positive labels, or pairs without labels that all mean the same",
        )
    unlike = [pair for pair, same in zip(pairs, graph.bonds.tolist(), strict=True) if not same]
    ranked = _first_by_key(text for text in corpus if text.strip())
    others = _first_by_key(pair.b for pair in unlike)
    beside = {text for texts in positives.values() for text in texts}
    beside |= {text for key, text in others.items() if key not in ranked}
    documents = (*ranked.values(), *sorted(beside.difference(ranked.values())))
    place = {text: number for number, text in enumerate(documents)}
    of_key = {key: place[text] for key, text in {**others, **ranked}.items()}
    return _numbered(graph, positives, unlike, place, of_key, len(ranked), left_out)


def _first_by_key(texts: Iterable[str]) -> dict[str, str]:
    """The first text of each key, in the order of texts."""
    found: dict[str, str] = {}
    for text in sorted(set(texts)):
        found.setdefault(key_of(text), text)
    return found


def _numbered(
    graph: TextGraph,
    positives: Mapping[str, Sequence[str]],
    unlike: Iterable[Pair],
    place: Mapping[str, int],
    of_key: Mapping[str, int],
    corpus: int,
    left_out: Mapping[str, int],
) -> Anchors:
    """The same in numbers: ``place`` numbers documents, and ``of_key`` those that may be negatives."""
    number = {anchor: row for row, anchor in enumerate(positives)}
    component = graph.components(pairs=graph.bonds, ids=False).tolist()
    of_node = dict(zip(graph.keys, component, strict=True))

    def key(text: str) -> str:
        return graph.keys[graph.texts[text]]

    def same() -> Iterator[tuple[int, int]]:
        for row, (anchor, texts) in enumerate(positives.items()):
            yield from ((row, of_key[one]) for one in {key(anchor), *map(key, texts)} if one in of_key)

    def known() -> Iterator[tuple[int, int]]:
        for pair in unlike:
            if pair.a in number:
                yield number[pair.a], of_key[key(pair.b)]

    def codes(found: Iterable[tuple[int, int]]) -> Ints:
        return np.array(sorted({row * len(place) + one for row, one in found}), dtype=np.int64)

    known_keys = {text: graph.keys[node] for text, node in graph.texts.items()}
    keys = (known_keys.get(text) or key_of(text) for text in place)
    return Anchors(
        anchors=tuple(positives),
        documents=tuple(place),
        corpus=corpus,
        positives=np.array([place[text] for texts in positives.values() for text in texts], dtype=np.int64),
        offsets=np.cumsum([0, *map(len, positives.values())], dtype=np.int64),
        anchor_component=np.array([of_node[key(anchor)] for anchor in positives], dtype=np.int64),
        document_component=np.array([of_node.get(one, -1) for one in keys], dtype=np.int64),
        same=codes(same()),
        known=codes(known()),
        left_out=left_out,
    )


def _check_classes(pairs: PairSet, graph: TextGraph) -> None:
    """Refuse classes none of which joins texts: then the graph joins the texts of every pair, to be safe."""
    if pairs.kind is LabelKind.CLASSES and graph.bonds.all() and len(set(pairs.labels.tolist())) > 1:
        raise DataError(
            f"{pairs.name or 'the data'}: none of the classes {', '.join(pairs.classes)} says that two texts "
            "are the same",
            fix="give labels 1 and 0, or keep only the pairs that are the same and leave out the labels",
        )


def _positives(pairs: PairSet, graph: TextGraph) -> tuple[dict[str, list[str]], dict[str, int]]:
    """The positives of each anchor, both in the order of texts, and unusable pairs by reason."""
    found: dict[str, set[str]] = {}
    left_out: Counter[str] = Counter()
    nodes = zip(graph.a.tolist(), graph.b.tolist(), graph.bonds.tolist(), strict=True)
    for pair, (a, b, same) in zip(pairs, nodes, strict=True):
        if same and not (pair.a.strip() and pair.b.strip()):
            left_out[_EMPTY] += 1
        elif same and a == b:
            left_out[_SAME_TEXT] += 1
        elif same:
            found.setdefault(pair.a, set()).add(pair.b)
    return {anchor: sorted(found[anchor]) for anchor in sorted(found)}, dict(left_out)

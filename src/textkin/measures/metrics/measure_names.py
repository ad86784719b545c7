"""Names of ranking measures: trec_eval's (``ndcg_cut_10``), ir_measures' (``nDCG@10``), ranx's."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import UsageError, invalid, unknown_choice
from textkin.base.import_path import import_path, is_import_path, path_of_object
from textkin.base.python_inputs import several


class Average(StrEnum):
    """Aggregation of the values of the queries."""

    MEAN = "mean"
    GEOMETRIC = "geometric mean"
    SUM = "sum"


class _Cut(Enum):
    NONE = 0
    OPTIONAL = 1
    DEPTH = 2  # required: a number of documents
    RECALL = 3  # required: a fraction of the relevant documents
    SCORE = 4  # required: the minimum score of documents called relevant


@dataclass(frozen=True, slots=True)
class _Kind:
    cut: _Cut
    levels: bool = True  # accepts another relevance level
    average: Average = Average.MEAN


_KINDS = {
    "MAP": _Kind(_Cut.OPTIONAL),
    "MAP(mapk)": _Kind(_Cut.NONE),
    "MAP(shuffled)": _Kind(_Cut.NONE),
    "MAP(optimistic)": _Kind(_Cut.NONE),
    "AvgRec": _Kind(_Cut.OPTIONAL),
    "Accuracy": _Kind(_Cut.SCORE),
    "GMAP": _Kind(_Cut.NONE, average=Average.GEOMETRIC),
    "MRR": _Kind(_Cut.OPTIONAL),
    "nDCG": _Kind(_Cut.OPTIONAL, levels=False),
    "P": _Kind(_Cut.DEPTH),
    "R": _Kind(_Cut.DEPTH),
    "Success": _Kind(_Cut.DEPTH),
    "Rprec": _Kind(_Cut.NONE),
    "Bpref": _Kind(_Cut.NONE),
    "IPrec": _Kind(_Cut.RECALL),
    "NumQ": _Kind(_Cut.NONE, levels=False, average=Average.SUM),
    "NumRet": _Kind(_Cut.NONE, levels=False, average=Average.SUM),
    "NumRel": _Kind(_Cut.NONE, average=Average.SUM),
    "NumRelRet": _Kind(_Cut.NONE, average=Average.SUM),
}


@dataclass(frozen=True, slots=True, repr=False)
class Measure:
    """A ranking measure; :func:`parse` reads its text form.

    Attributes:
        name: ``MAP``, ``MRR``, ``nDCG``, ``P``, ``R``, ``Success``, ``Rprec``, ``Bpref``, ``IPrec``,
            ``GMAP``, ``AvgRec``, ``Accuracy``, a variant such as ``MAP(mapk)``, or a count.
        cutoff: number of ranked documents to consider, or None for all (10 for ``AvgRec``); for ``IPrec`` the
            recall, for ``Accuracy`` the minimum score of documents called relevant.
        rel: minimum judgement of relevant documents.
    """

    name: str
    cutoff: int | float | None = None
    rel: int = 1

    def __post_init__(self) -> None:
        kind = _kind_of(self.name)
        if kind is None:
            raise _unknown(self.name)
        if not _fits(kind.cut, self.cutoff):
            forms = " or ".join(_forms(self.name))
            written = self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"
            other = "" if kind.cut is _Cut.NONE else ", or with another number"
            raise invalid("measures", written, expected=forms + other)
        if self.rel < 1 or (self.rel > 1 and not kind.levels):
            raise invalid(
                "measures", f"{self.name}(rel={self.rel})", expected=f"{self.name} without (rel=...)"
            )

    def __str__(self) -> str:
        level = "" if self.rel == 1 else f"(rel={self.rel})"
        return f"{self.name}{level}" + ("" if self.cutoff is None else f"@{self.cutoff}".removesuffix(".0"))

    __repr__ = __str__

    @property
    def average(self) -> Average:
        """The aggregation over queries."""
        return Average.MEAN if self.is_own else _KINDS[self.name].average

    @property
    def is_own(self) -> bool:
        """True for a user's function, by import path."""
        return self.name not in _KINDS

    def figure(self, values: Floats) -> float:
        """The aggregate of the queries' values, shape [queries], ignoring NaN."""
        values = values[~np.isnan(values)]
        if not len(values):
            return 0.0
        if self.average is Average.SUM:
            return float(values.sum())
        if self.average is Average.GEOMETRIC:
            return float(np.exp(np.log(values).mean()))
        return float(values.mean())


_OWN = re.compile(
    r"(?P<name>[a-z_-]+(\((mapk|shuffled|optimistic)\))?)(\(rel=(?P<rel>\d+)\))?(@(?P<cut>[0-9.e-]+))?"
)
_EXAMPLES = {
    _Cut.NONE: ("",),
    _Cut.OPTIONAL: ("", "@10"),
    _Cut.DEPTH: ("@10",),
    _Cut.RECALL: ("@0.1",),
    _Cut.SCORE: ("@0.5",),
}
_ANY_CASE = {name.lower(): name for name in _KINDS} | {
    "ap": "MAP",
    "average_precision": "MAP",
    "hit_rate": "Success",
    "ndcg_score": "nDCG",
    "precision": "P",
    "r-precision": "Rprec",
    "recall": "R",
    "reciprocal_rank": "MRR",
    "rr": "MRR",
}
"""Names in lower case, with those of ir_measures, ranx and scikit-learn."""
_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TREC = {
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "map": "MAP",
    "gm_map": "GMAP",
    "recip_rank": "MRR",
}
_TREC_CUT: dict[str, tuple[str, tuple[float, ...]]] = {
    "iprec_at_recall": ("IPrec", tuple(tenth / 10 for tenth in range(11))),
    "p": ("P", _DEPTHS),
    "recall": ("R", _DEPTHS),
    "success": ("Success", (1, 5, 10)),
    "ndcg_cut": ("nDCG", _DEPTHS),
    "map_cut": ("MAP", _DEPTHS),
}
_OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "Bpref", "recip_rank"),
    *("iprec_at_recall", "p"),
)


def parse(text: str) -> Measure:
    """The measure named by ``text``, in textkin's spelling or trec_eval's, ignoring case.

    Raises:
        UsageError: the measure is unknown, or the name stands for several.
    """
    measures = expand([text])
    if len(measures) > 1:
        names = ", ".join(map(str, measures))
        raise invalid("measures", text, expected=f"one of {names}")
    return measures[0]


def named(measures: Any) -> tuple[str, ...]:
    """The names of one measure or several; that of one's own function is its import path, with its options.

    Raises:
        UsageError: it is neither, or a function that has no import path.
    """
    if isinstance(measures, str):
        return (measures,)
    return tuple(_path_of(one) if callable(one) else one for one in several(measures, "measures"))


def _path_of(function: Any) -> str:
    path, options = path_of_object(function, kind="measures")
    written = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return f"{path}({written})" if written else path


def expand(names: Iterable[str]) -> tuple[Measure, ...]:
    """The measures that ``names`` stand for, without repetitions, in order of first mention.

    ``P``, ``recall``, ``ndcg_cut``, ``iprec_at_recall`` and ``official`` stand for several, as in trec_eval.

    Raises:
        UsageError: a measure is unknown.
    """
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise invalid("measures", name, expected="names of measures, or functions")
    return tuple(dict.fromkeys(measure for name in names for measure in _expand(name.strip())))


def _expand(text: str) -> tuple[Measure, ...]:
    lower = text.lower()
    if lower == "official":
        return expand(_OFFICIAL)
    if lower in _TREC:
        return (Measure(_TREC[lower]),)
    if lower in _TREC_CUT:
        name, cuts = _TREC_CUT[lower]
        return tuple(Measure(name, cut) for cut in cuts)
    for prefix, (name, _) in _TREC_CUT.items():
        if lower.startswith((f"{prefix}.", f"{prefix}_")):
            return tuple(Measure(name, _number(cut, text)) for cut in lower[len(prefix) + 1 :].split(","))
    if is_import_path(text.partition("(")[0].partition("@")[0]):
        path, _, depth = text.partition("@")
        return (Measure(path, _number(depth, text) if depth else None),)
    own = _OWN.fullmatch(lower)
    if own is None or own["name"] not in _ANY_CASE:
        if (found := import_path(text, kind="measure")) is not None:
            return (Measure(found),)
        raise _unknown(text)
    cut = None if own["cut"] is None else _number(own["cut"], text)
    return (Measure(_ANY_CASE[own["name"]], cut, int(own["rel"] or 1)),)


def _number(text: str, whole: str) -> int | float:
    try:
        if "_" not in text:  # Python would read 1_000 as a number
            return int(text) if text.isdecimal() else float(text)
    except ValueError:
        pass
    raise _unknown(whole)


def _fits(cut: _Cut, value: float | None) -> bool:
    if cut is _Cut.RECALL:
        return value is not None and 0 <= value <= 1
    if cut is _Cut.SCORE:
        return value is not None and math.isfinite(value)
    if value is None:
        return cut in (_Cut.NONE, _Cut.OPTIONAL)
    return cut is not _Cut.NONE and isinstance(value, int) and value >= 1


def _forms(name: str) -> list[str]:
    return [name + cut for cut in _EXAMPLES[_KINDS[name].cut]] if name in _KINDS else [name]


def _kind_of(name: str) -> _Kind | None:
    """The kind of a bundled measure or of a user's function; None for other names."""
    return _Kind(_Cut.OPTIONAL, levels=False) if is_import_path(name.partition("(")[0]) else _KINDS.get(name)


def _unknown(text: str) -> UsageError:
    known = [form for name in _KINDS for form in _forms(name)]
    known += [*_TREC, *(f"{name}_10" for name in ("P", "recall", "ndcg_cut", "map_cut")), "official"]
    return unknown_choice("measures", text, known)

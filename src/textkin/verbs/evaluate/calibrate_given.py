"""A calibration as requested, handed to the fit of its kind."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.errors import inapplicable, invalid, required
from textkin.base.progress import note
from textkin.base.python_inputs import path_of
from textkin.base.standard_streams import refuse_two_inputs
from textkin.collection.store.address import place_of
from textkin.data.readers import Reading
from textkin.data.readers.from_python import holds_spans
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.systems import fetch_named, refuse_fit, refuse_vectors
from textkin.measures.decisions.goal import Goal
from textkin.text.truncation_account import note_truncation
from textkin.verbs.argument_order import is_collection
from textkin.verbs.evaluate.calibrate_collection import (
    ONLY_GOAL,
    CollectionFit,
    fit_collection,
    fit_matches,
)
from textkin.verbs.evaluate.calibrate_model import CalibrateOptions, calibrate_model
from textkin.verbs.evaluate.calibrate_spans import calibrate_reader
from textkin.verbs.pair_inputs import pairs_file

if TYPE_CHECKING:
    from textkin.collection.calibration.calibration_result import CalibratedCollection
    from textkin.verbs.evaluate.calibrate_collection import CalibratedMatches
    from textkin.verbs.evaluate.calibrate_model import Calibrated
    from textkin.verbs.evaluate.calibrate_spans import CalibratedReader

_RELY_ON_LITTLE = "don't rely on their scores; choose a model of their language"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCalibration:
    """Input of ``calibrate``: the model, its labelled data, and the names of options that some can't use."""

    data: Any
    model: Any
    goal: Goal
    given: tuple[str, ...]
    test: Any
    reading: Reading
    collection: CollectionFit
    group_by: str
    download: bool


def calibrate_given(
    asked: AskedCalibration, options: CalibrateOptions
) -> Calibrated | CalibratedReader | CalibratedCollection | CalibratedMatches:
    """Run the calibration.

    Raises:
        UsageError: data or model is missing, or an option doesn't apply.
    """
    data, model = asked.data, asked.model
    if model is None:
        raise required("model", by="`calibrate()`")
    refuse_two_inputs({"data": data, "test": asked.test})
    if is_collection(model):
        return _of_collection(data, model, asked, options)
    if data is None:
        raise required("data", by="`calibrate()`", fix="give labelled pairs")
    if own := asked.collection.asked():
        raise inapplicable(*own, to="a model")
    fetch_named(model, download=asked.download)
    if path_of(data) is not None and holds_spans(data, reading=asked.reading):
        return _of_reader(data, model, asked, options)
    _refuse_grouping(asked, to="labelled pairs")
    refuse_vectors(options.vectors, model)
    refuse_fit(options.fit, model)
    with ExitStack() as stack:
        found = calibrate_model(
            model,
            stack.enter_context(pairs_file(data, None, "data", asked.reading)),
            goal=asked.goal,
            test=None
            if asked.test is None
            else stack.enter_context(pairs_file(asked.test, None, "test", asked.reading)),
            options=options,
            reading=asked.reading,
        )
    note_truncation(found.truncation)
    if said := found.coverage.sentence():
        note(f"{said}; {_RELY_ON_LITTLE}")
    for line in found.notes:
        note(f"warning: {line}")
    return found


def _of_collection(
    data: Any, model: Any, asked: AskedCalibration, options: CalibrateOptions
) -> CalibratedCollection | CalibratedMatches:
    plain = CalibrateOptions(seed=options.seed, sampling=options.sampling)
    others = ("method", "out", "analyser", "fit", "vectors", "proof", "accept_leaks")
    if found := [name for name in others if getattr(options, name) != getattr(plain, name)]:
        raise inapplicable(*found, to="a collection")
    _refuse_grouping(asked, to="a collection")
    place, own = place_of(model), asked.collection
    if own.is_for_matches(data):
        if asked.test is not None:
            raise inapplicable("test", to="pairs and groups of a collection")
        if unused := [name for name in asked.given if name != "f1"]:
            raise inapplicable(*unused, to="pairs and groups of a collection")
        if "f1" in asked.given:
            raise invalid("f1", True, expected=ONLY_GOAL)
        return fit_matches(place, data, own, asked.goal, reading=asked.reading, seed=options.seed)
    layout = {"columns": asked.reading.columns is not None, "format": asked.reading.format != "auto"}
    if given := [name for name, is_given in layout.items() if is_given]:
        raise inapplicable(*given, to="judged queries")
    return fit_collection(
        place, data, own, asked.goal, asked.test, sampling=options.sampling, reading=asked.reading
    )


def _refuse_grouping(asked: AskedCalibration, *, to: str) -> None:
    """Refuse to group what isn't grouped by paragraphs."""
    if asked.group_by != GroupedBy.PARAGRAPH:
        raise inapplicable("group_by", to=to)


def _of_reader(data: Any, model: Any, asked: AskedCalibration, options: CalibrateOptions) -> CalibratedReader:
    found = [name for name in ("fit", "vectors", "proof") if getattr(options, name)]
    if found := [*found, *(name for name in asked.given if name == "analyser")]:
        raise inapplicable(*found, to="questions about passages")
    if not isinstance(model, str | Path):
        raise invalid("model", model, expected="a reader's folder or name, for questions about passages")
    by = GroupedBy.of(asked.group_by)
    return calibrate_reader(data, model=str(model), goal=asked.goal, test=asked.test, by=by, options=options)

"""``textkin passport``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from textkin.base.errors import inapplicable
from textkin.base.options import Option
from textkin.cli.output import emit_json, emit_text, note
from textkin.cli.shared_options import AsJson, DecisionFile, Download, fetch
from textkin.collection.store.address import Place, place_of

EXAMPLES = """
textkin passport default --out default-passport.json
textkin passport runs/minilm/model
textkin passport tickets.kin
textkin passport postgresql://me@db.example/texts
textkin passport served/ --expect runs/minilm/model/passport.json
textkin passport all-MiniLM-L6-v2 --decision cut.json --out minilm-passport.json
"""


def command(
    model: Annotated[
        str,
        Option(
            "default or minilm (built in), a model folder, an export, a cached Hugging Face name, or a "
            "collection.",
            metavar="MODEL",
        ),
    ],
    /,
    *,
    out: Annotated[
        Path | None,
        Option("File for the passport, or the model's folder.", metavar="FILE"),
    ] = None,
    check: Annotated[
        str | None,
        Option(
            "Check the model against this passport: a file, a folder with one, or a collection.",
            flag="--expect",
            metavar="FILE",
        ),
    ] = None,
    accept_drift: Annotated[
        bool,
        Option("Report the drift and accept the model, instead of refusing it."),
    ] = False,
    decision: DecisionFile = None,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Create or verify a model's fingerprint and its threshold.

    A passport holds hashes, settings, threshold and calibration of MODEL, and its outputs for 64 texts.
    --check refuses a model with other outputs: one in 8 bits, or with another pooling, prompt or tokenizer.
    It accepts copies that were moved, saved again, exported or rounded to 16 bits. Without --check, a
    passport in the folder of MODEL is checked.
    """
    from textkin.kinds.systems.passports import kept_in, make_passport
    from textkin.verbs.argument_order import is_collection
    from textkin.verbs.deploy.passport import check_passport

    if is_collection(model):
        _refuse({"expect": check, "decision": decision, "accept_drift": accept_drift})
        _of_collection(place_of(model), out, as_json=as_json)
        return
    fetch(model, download=download)
    against = check if check is not None else kept_in(model)
    checked = None if against is None else check_passport(model, passport=against, accept_drift=accept_drift)
    made = None if check is not None and out is None else make_passport(model, out=out, decision=decision)
    if as_json:
        emit_json({"passport": None if made is None else made.to_dict(), "check": checked, "file": out})
        return
    if checked is not None and not checked.accepted:
        note(f"warning: {checked.words}: {'; '.join(checked.reasons)}")
    if made is not None:
        emit_text(str(made))
    if checked is not None and check is not None:
        emit_text(checked.words)
        for what, found in checked.rows()[0].items():
            if found and what not in ("model", "passport", "accepted"):
                emit_text(f"{what}: {found}")
    if checked is not None and check is None and checked.accepted:
        emit_text("it is the model that the passport in its folder was made for")
    if out is not None:
        emit_text(f"passport: {out}")


def _refuse(given: Mapping[str, object]) -> None:
    """Refuse options that don't apply to a collection."""
    if found := [name for name, value in given.items() if value]:
        raise inapplicable(*found, to="a collection")


def _of_collection(collection: Place, out: Path | None, *, as_json: bool) -> None:
    """The passport that a collection keeps, with its fitted threshold and calibration."""
    from textkin.collection.maintenance import passport_of_collection
    from textkin.models.passports.making import write_passport

    found = passport_of_collection(collection)
    if out is not None:
        write_passport(found, out)
    if as_json:
        emit_json({"passport": found.to_dict(), "check": None, "file": out})
        return
    emit_text(str(found))
    if out is not None:
        emit_text(f"passport: {out}")

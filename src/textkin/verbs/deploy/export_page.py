"""A collection as one HTML file that searches offline."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from textkin.base.errors import inapplicable, invalid
from textkin.base.files import write_text
from textkin.base.paths import is_folder
from textkin.base.results import Summary
from textkin.base.spelling import spelt
from textkin.collection.collection import OpenCollection
from textkin.collection.one_file.payload import Payload, payload_of
from textkin.collection.one_file.stemmer_script import stemmer_script
from textkin.collection.open_collection import open_collection
from textkin.collection.store.address import Address, place_of
from textkin.collection.store.open_store import is_there
from textkin.kinds.reproduction import how_made
from textkin.report.search_page import search_page
from textkin.text.baselines.analysers import PLAIN

_ENDINGS = (".html", ".htm")


@dataclass(frozen=True, slots=True, repr=False)
class ExportedPage(Summary):
    """A collection as one HTML file.

    Attributes:
        path: the file.
        entries: number of texts in it.
        bytes: its size.
        cosine: the lowest cosine of a text's vector in the file and in the collection; below 1 if the encoder
            lost digits in 8 bits.
        duplicate_from: minimum cosine of duplicates by the collection's rule; None without.
        ask_from: minimum cosine at which a person should decide; None without.
        has_rule: True if the file answers "is this new?" by a fitted rule.

    Example:
        >>> import textkin as tk
        >>> added = tk.add("faq", ["Where can I park?", "When do you open?"])
        >>> tk.export("faq", to="html", out="faq.html").entries
        2
    """

    path: Path
    entries: int
    bytes: int
    cosine: float
    duplicate_from: float | None = None
    ask_from: float | None = None
    has_rule: bool = False

    def text(self) -> str:
        """The file, the encoder's loss, and the rule."""
        texts = f"{self.entries:,} {'text' if self.entries == 1 else 'texts'}"
        lines = [
            f"{self.path}: {texts}, {self.bytes / 1e6:.1f} MB; open it in a browser",
            f"lowest cosine of a text's vector to that in the collection: {self.cosine:.7f}",
        ]
        if not self.has_rule:
            lines.append(
                spelt("is this new: no rule was fitted, so the nearest text is shown; `calibrate()` fits one")
            )
        else:
            limits = (("duplicate", self.duplicate_from), ("ask", self.ask_from))
            words = [f"{name} from a cosine of {value:.4f}" for name, value in limits if value is not None]
            lines.append(f"is this new: {', '.join(words) or 'every text is new by the rule'}")
        return "\n".join(lines)


def export_page(collection: Any, out: Path) -> ExportedPage:
    """Write a collection as one HTML file.

    Args:
        collection: its location, or an open one.
        out: the file.

    Raises:
        UsageError: there is no collection, or ``out`` is not an HTML file.
        DataError: it is damaged, has no texts or too many.
        ModelError: its encoder is not static, or has changed.
        OutputError: the file can't be written.
    """
    out = Path(out)
    if is_folder(out) or out.suffix.lower() not in _ENDINGS:
        raise invalid("out", out, expected="an HTML file", fix="write for example: faq.html")
    with _opened(collection) as found:
        made = payload_of(found)
        name = str(found.folder.name).removesuffix(".kin") or "texts"
        write_text(out, _page(found, made, name))
    rule = made.facts["rule"]
    return ExportedPage(
        out,
        entries=len(made.facts["ids"]),
        bytes=out.stat().st_size,
        cosine=made.cosine,
        duplicate_from=rule.get("duplicate_from"),
        ask_from=rule.get("ask_from"),
        has_rule="guards" in rule,
    )


def refuse_options(*, dtype: str | None, texts: Path | None, accept_loss: bool, download: bool) -> None:
    """Reject options that a collection's file has no use for.

    Raises:
        UsageError: one is given.
    """
    if dtype not in (None, "int8"):
        raise invalid("dtype", dtype, expected="int8")
    given = {"texts": texts, "accept_loss": accept_loss, "download": download}
    if params := [name for name, value in given.items() if value]:
        raise inapplicable(*params, to="html")


def refuse_collection(model: Any, to: str) -> None:
    """Reject a collection where a model is exported.

    Raises:
        UsageError: it is one.
    """
    is_collection = isinstance(model, OpenCollection) or (
        isinstance(model, str | Path) and is_there(place_of(model))
    )
    if is_collection:
        raise invalid("to", to, expected="html for a collection", fix="or give a model")


def _opened(collection: Any) -> AbstractContextManager[OpenCollection]:
    if isinstance(collection, OpenCollection):
        return nullcontext(collection)
    place = place_of(collection) if isinstance(collection, str | Path | Address) else None
    if place is None or not (isinstance(place, Address) or is_there(place)):
        raise invalid(
            "model", collection, expected="a collection", fix="make one of the texts first: `add()`"
        )
    return open_collection(place)


def _page(collection: OpenCollection, made: Payload, name: str) -> str:
    language = made.facts["words"]["language"]
    count = len(made.facts["ids"])
    texts = f"{count:,} {'text' if count == 1 else 'texts'}"
    settings = {
        "Exported on": date.today().isoformat(),
        "Encoder": str(collection.model.name),
        "Words": language if language == PLAIN else f"stemmed, {language}",
        "Ranking": "words (BM25) and vectors (cosine), "
        + ("by fitted weights" if made.facts["fitted"] else "fused by reciprocal ranks"),
        "Made by": spelt(f"`export()` with `to=html`, of {collection.folder.name}"),
    }
    return search_page(
        name,
        f"{texts} · searched in this file, nothing is sent or loaded",
        made.packed(),
        made=how_made("export", settings=settings),
        stemmer="" if language == PLAIN else stemmer_script(language),
    )

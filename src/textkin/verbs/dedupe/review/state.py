"""Groups of a run, and their changes by decisions."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any

from textkin.base.errors import invalid, unknown_choice
from textkin.verbs.dedupe.review.run_files import GoneEntry


class DecidedBy(StrEnum):
    """Origin of the decision about a text of a group.

    Example:
        >>> from textkin.verbs import DecidedBy
        >>> DecidedBy("split") is DecidedBy.SPLIT
        True
    """

    SCORE = "score"
    ACCEPTED = "accepted"
    MERGED = "merged"
    SPLIT = "split"


class ReviewState:
    """Current groups of texts. Each text is in one group, of which one text is kept.

    Args:
        gone: the texts that the run removed.

    Attributes:
        members: by the id of the kept text, the others of its group; none where it was left alone.
        group_of: by id, the id of the kept text of its group.
        decided: by id, the origin of its decision; SCORE where nobody has decided.
    """

    def __init__(self, gone: Sequence[GoneEntry]) -> None:
        self.members: dict[str, list[str]] = {}
        self.group_of: dict[str, str] = {}
        self.decided: dict[str, DecidedBy] = {}
        for one in gone:
            self.members.setdefault(one.kept_id, []).append(one.text_id)
            self.group_of[one.text_id] = self.group_of[one.kept_id] = one.kept_id
            self.decided[one.text_id] = DecidedBy.SCORE

    def apply(self, event: Mapping[str, Any]) -> None:
        """Apply a line of the file of decisions.

        Raises:
            UsageError: it can't be done.
        """
        texts = event.get("texts", ())
        if not isinstance(texts, list | tuple) or not all(isinstance(one, str) for one in texts):
            raise invalid("texts", texts, expected="a list of ids")
        group = self._group(event.get("group"))
        match event.get("do"):
            case "accept":
                self._accept(group)
            case "split":
                self._split(group, texts)
            case "merge":
                self._merge(group, self._group(event.get("into")))
            case other:
                raise unknown_choice("decision", other, ("accept", "split", "merge"))

    def _group(self, kept_id: object) -> str:
        if not isinstance(kept_id, str) or kept_id not in self.members:
            raise invalid("kept", kept_id, expected="the id of a text that a group keeps now")
        return kept_id

    def _accept(self, group: str) -> None:
        if not self.members[group]:
            raise invalid("group", group, expected="a group of several texts")
        for text_id in self.members[group]:
            if self.decided[text_id] is DecidedBy.SCORE:
                self.decided[text_id] = DecidedBy.ACCEPTED

    def _split(self, group: str, texts: Collection[str]) -> None:
        """Split texts off a group; all but the kept one if none are named."""
        leaving = set(texts or self.members[group])
        if not leaving:
            raise invalid("group", group, expected="a group of several texts")
        if strangers := leaving - set(self.members[group]):
            raise invalid("texts", min(strangers), expected=f"texts that the group of {group!r} removes")
        self.members[group] = [one for one in self.members[group] if one not in leaving]
        for text_id in leaving:
            self.members[text_id] = []
            self.group_of[text_id] = text_id
            self.decided[text_id] = DecidedBy.SPLIT

    def _merge(self, group: str, into: str) -> None:
        """Merge a group into another: all its texts are removed for the other's kept one."""
        if group == into:
            raise invalid("into", into, expected="another group")
        moving = [group, *self.members.pop(group)]
        self.members[into] += moving
        for text_id in moving:
            self.group_of[text_id] = into
            self.decided[text_id] = DecidedBy.MERGED

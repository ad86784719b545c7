"""Texts of templates, by comparing all frames as tuples of words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from textkin.vectors.groups.content_words import bases_of, is_content

Frame = tuple[str, ...]


def family_sizes(sequences: Sequence[Sequence[str]], common: float) -> list[int]:
    """The number of different fillings of the frame of each text that has most of them; 0 without a frame."""
    spread = Counter(word for words in sequences for word in set(words))
    families: dict[tuple[str, Frame], set[Frame]] = defaultdict(set)
    frames = [list(frames_of(words, spread, common)) for words in sequences]
    for one in frames:
        for kind, frame, filling in one:
            families[kind, frame].add(filling)
    return [max((len(families[kind, frame]) for kind, frame, _ in one), default=0) for one in frames]


def frames_of(
    words: Sequence[str], spread: Counter[str], common: float
) -> Iterator[tuple[str, Frame, Frame]]:
    """The frames of a text, with what fills their slots."""
    content = [place for place, word in enumerate(words) if word != "#" and is_content(word)]
    if len(content) < 2 or len(words) < 3:
        return
    for number, start in enumerate(content):
        for width in range(1, (4 if len(words[start]) == 1 else 2) + 1):
            slot = range(start, start + width)
            if list(slot) == content[number : number + width] and len(content) >= 2 * width:
                filling = tuple(min(bases_of(words[place])) for place in slot)
                yield "one slot", (*words[:start], "", *words[start + width :]), filling
    rarest = sorted(content, key=lambda place: (spread[words[place]], place))[:2]
    rare = [place for place in content if spread[words[place]] < common]
    for slots in (set(rarest), set(rare)):
        if 2 <= len(slots) < len(content):
            kept = [
                "" if place in slots else word
                for place, word in enumerate(words)
                if not (place in slots and place - 1 in slots)
            ]
            yield "slots", tuple(kept), tuple(min(bases_of(words[place])) for place in sorted(slots))

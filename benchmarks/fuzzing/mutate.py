"""Mutations of bytes, of JSON and TOML values, and of tensors, each drawn from a generator."""

from __future__ import annotations

import copy
import gzip
import json
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = (0, 1, -1, 2, 3, 7, 1e38, -1e38, 1e-45, 0.5, 2**31, 2**32, 2**63, 10**9, 10**23, 10**400, 1e308)
"""Numbers at the limits of types, and beyond."""
WORDS: tuple[str, ...] = (
    "",
    " ",
    "a",
    "\0",
    "\x1c",
    "\x1b[31mred",
    "\u202eevil",
    "\ud800",
    "é漢🙂",
    "../..",
    "/etc/passwd",
)
WORDS += ("=1+1", "NaN", "-inf", "1_000", "９", "true", "null", "x" * 400, "torch.nn.Tanh", "[UNK]", "##")
PIECES: tuple[bytes, ...] = (
    b"",
    b"\0",
    b"\x1c",
    b"\x85",
    b"\xff",
    b"\r",
    b"\n",
    b"\t",
    b",",
    b";",
    b'"',
    b'""',
    b"'",
    b"\\",
    b"{",
    b"}",
)
PIECES += (
    b"[",
    b"]",
    b"[[",
    b"<",
    b">",
    b"&",
    b"]]>",
    b"-",
    b"1",
    b"0",
    b"1e999",
    b"nan",
    b"9" * 25,
    b"9" * 5000,
)
PIECES += (
    b"\\ud800",
    b"\\u0000",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\x1b[2J",
    b"\xe2\x80\xae",
    b" ",
    b"=1+1",
)
_DEEP = 100_000


def mutated_bytes(draw: Random, content: bytes, pool: tuple[bytes, ...] = PIECES) -> bytes:
    """The content after one to four changes of bytes, pieces or lines."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        content = draw.choice(_BYTE_STEPS)(draw, content, pool)
    return content


def mutated_value(draw: Random, value: Any) -> Any:
    """A copy of a JSON value after one to three changes, each anywhere in it."""
    found = copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        found = _changed(draw, found)
    return found


def mutated_tensors(draw: Random, tensors: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Tensors after one change: of a name, a shape, a type or numbers."""
    found = dict(tensors)
    name = draw.choice(sorted(found))
    tensor = found[name]
    match draw.randrange(8):
        case 0:
            del found[name]
        case 1:
            found[draw.choice(("embeddings", "weights", "mapping", "other", name + "x"))] = found.pop(name)
        case 2:
            found[name] = tensor[: draw.choice((0, 1, max(0, len(tensor) - 1)))] if tensor.ndim else tensor
        case 3:
            found[name] = tensor[..., : draw.choice((0, 1, 2))] if tensor.ndim else tensor[None]
        case 4:
            found[name] = tensor.reshape(-1) if draw.random() < 0.5 else tensor[None]
        case 5:
            kind = draw.choice(("float16", "float64", "int8", "int64", "bool", "uint8"))
            with np.errstate(all="ignore"):
                found[name] = tensor.astype(kind)
        case 6:
            found[name] = _with_number(draw, tensor)
        case _:
            found[draw.choice(("weights", "mapping", "extra.weight"))] = tensor.reshape(-1)[
                : draw.randrange(9)
            ]
    return {name: np.ascontiguousarray(tensor) for name, tensor in found.items()}


def _with_number(draw: Random, tensor: NDArray[Any]) -> NDArray[Any]:
    """A tensor with some or all numbers replaced by a special one."""
    odd = draw.choice((math.nan, math.inf, -math.inf, 1e38, -1e38, 3e38, 1e-45))
    found = tensor.copy()
    if found.dtype.kind != "f":
        odd = draw.choice((-1, 127, 2**31 - 1))
    with np.errstate(all="ignore"):
        if draw.random() < 0.5 or not found.size:
            found[...] = np.asarray(odd).astype(found.dtype)
        else:
            found.reshape(-1)[draw.randrange(found.size)] = np.asarray(odd).astype(found.dtype)
    return found


def _changed(draw: Random, value: Any) -> Any:
    """The value with one place in it changed."""
    places = list(_places(value))
    if not places or draw.random() < 0.02:
        return _odd(draw)
    holder, key = draw.choice(places)
    match draw.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[draw.choice(WORDS)] = holder.pop(key)
        case 2 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 3:
            other, place = draw.choice(places)
            if place in other if isinstance(other, dict) else place < len(other):
                holder[key] = copy.deepcopy(other[place])
        case 4 if isinstance(holder[key], int | float):
            holder[key] = draw.choice((-1, 0.5, 2, 1000, -holder[key], holder[key] + 1, holder[key] // 2))
        case 5 if isinstance(holder[key], str):
            holder[key] = mutated_bytes(draw, holder[key].encode(errors="replace")).decode(errors="replace")
        case _:
            holder[key] = _odd(draw)
    return value


def _odd(draw: Random) -> Any:
    deep: list[Any] = []
    for _ in range(draw.choice((1, 50))):
        deep = [deep]
    choices: tuple[Any, ...] = (
        None,
        True,
        False,
        [],
        {},
        deep,
        [1, 2],
        {"a": 1},
        [[]],
        ["x"],
        math.nan,
        math.inf,
    )
    return draw.choice((*choices, *NUMBERS, *NUMBERS, *WORDS, *WORDS))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in a value: its container and key."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from _places(item)


def as_json(draw: Random, value: Any) -> bytes:
    """The value as JSON, with NaN and lone surrogates spelt as in Python."""
    text = json.dumps(value, ensure_ascii=draw.random() < 0.5)
    return text.encode(errors="surrogatepass")


def _at(draw: Random, content: bytes) -> int:
    return draw.randrange(len(content) + 1)


def _flip(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    if not content:
        return content
    place = draw.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << draw.randrange(8))]) + content[place + 1 :]


def _cut(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    start = _at(draw, content)
    return content[:start] + content[start + draw.choice((1, 4, 40, len(content))) :]


def _insert(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    start = _at(draw, content)
    return content[:start] + draw.choice(pool) + content[start:]


def _replace(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    """A piece with a token replaced, tokens being separated by blanks, tabs, commas or line ends."""
    start = _at(draw, content)
    end = next(
        (at for at in range(start, min(len(content), start + 80)) if content[at] in b' \t,\n:"<>'), start
    )
    while start and content[start - 1] not in b' \t,\n:"<>':
        start -= 1
    return content[:start] + draw.choice(pool) + content[end:]


def _repeat(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    piece = draw.choice(pool) * draw.choice((2, 300, 70_000))
    start = _at(draw, content)
    return content[:start] + piece[:4_000_000] + content[start:]


def _swap_lines(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    lines = content.split(b"\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(3):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            lines.insert(one, lines[other])
        case _:
            del lines[one]
    return b"\n".join(lines)


def _other_form(draw: Random, content: bytes, pool: tuple[bytes, ...]) -> bytes:
    match draw.randrange(6):
        case 0:
            return gzip.compress(content, 1, mtime=0)
        case 1:
            return content.replace(b"\n", b"\r")
        case 2:
            return content.decode(errors="replace").encode("utf-16")
        case 3:
            return content.replace(b"\n", b"\r\n")
        case 4:
            return b"[" * _DEEP + content
        case _:
            return gzip.compress(content, 1, mtime=0)[: draw.randrange(1, 60)]


_Step = Callable[[Random, bytes, tuple[bytes, ...]], bytes]
_BYTE_STEPS: tuple[_Step, ...] = (_flip, _cut, _insert, _insert, _replace, _replace, _replace, _swap_lines)
_BYTE_STEPS += (_flip, _cut, _insert, _replace, _swap_lines, _repeat, _other_form)

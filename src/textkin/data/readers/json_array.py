"""JSON lists of objects, such as pandas' ``to_json(orient="records")``, as lines of one object each."""

import json
import re
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from textkin.base.errors import DataError

MOST_BYTES = 1 << 30
_FIX = "write one object a line; pandas: to_json(path, orient='records', lines=True)"
_LOOKED_AT = 1 << 10
_SPACE = re.compile(r"[ \t\n\r]*")


def holds_array(stream: BufferedReader, path: Path | str) -> bool:
    """True if a file that is named as JSON begins with a list of objects; nothing is consumed."""
    if "json" not in "".join(Path(path).suffixes).lower():
        return False
    start = b"".join(stream.peek(_LOOKED_AT)[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf").split())
    return start.startswith(b"[{")


def objects_in(content: str, path: Path | str) -> Iterator[str]:
    """Yield each item of the list as one line of JSON.

    Raises:
        DataError: it isn't JSON, or something follows the list.
    """
    scan, place = json.JSONDecoder().raw_decode, _after_space(content, 0) + 1
    try:
        while True:
            begin = _after_space(content, place)
            _, end = scan(content, begin)
            yield content[begin:end].replace("\r", " ").replace("\n", " ")
            place = _after_space(content, end)
            if content[place : place + 1] != ",":
                break
            place += 1
        rest = _after_space(content, place + 1)
        if content[place : place + 1] != "]" or rest < len(content):
            expected = "Expecting ',' or ']'" if content[place : place + 1] != "]" else "Extra data"
            raise json.JSONDecodeError(expected, content, place)
    except json.JSONDecodeError as error:
        raise DataError(
            f"broken JSON: {error.msg} (column {error.colno})", path=path, line=error.lineno, fix=_FIX
        ) from error
    except RecursionError as error:
        raise DataError("JSON that is nested too deeply", path=path, fix="check the file") from error


def too_large(path: Path | str) -> DataError:
    """The error for a list that is too large to be read whole."""
    return DataError(f"is a JSON list of more than {MOST_BYTES >> 30} GiB", path=path, fix=_FIX)


def _after_space(content: str, place: int) -> int:
    found = _SPACE.match(content, place)
    return place if found is None else found.end()

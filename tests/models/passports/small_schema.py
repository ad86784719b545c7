"""The subset of JSON Schema used by the passport's schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}
KNOWN = {
    *("$schema", "$id", "$defs", "title", "description", "contentEncoding", "type", "const", "enum", "$ref"),
    *("required", "properties", "additionalProperties", "items", "minItems", "maxItems", "pattern"),
    *("minimum", "maximum"),
}


def violations(value: Any, schema: dict[str, Any], *, root: Any = None, at: str = "$") -> list[str]:
    """The places where a value violates a schema."""
    root = schema if root is None else root
    assert schema.keys() <= KNOWN, schema.keys() - KNOWN
    if "$ref" in schema:
        return violations(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root=root, at=at)
    wanted = schema.get("type", [])
    names = [wanted] if isinstance(wanted, str) else wanted
    if names and not any(value is None if one == "null" else isinstance(value, TYPES[one]) for one in names):
        return [f"{at} is no {wanted}"]
    found = [f"{at}: {rule}" for rule, broken in _plain(value, schema) if broken]
    if isinstance(value, list):
        for place, item in enumerate(value):
            found += violations(item, schema.get("items", {}), root=root, at=f"{at}[{place}]")
    if isinstance(value, dict):
        found += [f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value]
        others = schema.get("additionalProperties", True)
        for name, item in value.items():
            of_it = schema.get("properties", {}).get(name, {} if others is True else others)
            if of_it is False:
                found.append(f"{at}: {name} is unknown")
            else:
                found += violations(item, of_it, root=root, at=f"{at}.{name}")
    return found


def _plain(value: Any, schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    yield "const", value != schema.get("const", value)
    yield "enum", value not in schema.get("enum", [value])
    if isinstance(value, str):
        yield "pattern", not re.search(schema.get("pattern", ""), value)
    if isinstance(value, int | float):
        yield "range", not schema.get("minimum", value) <= value <= schema.get("maximum", value)
    if isinstance(value, list):
        yield "items", not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))

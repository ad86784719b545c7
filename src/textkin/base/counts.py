"""Numbers of things in words."""


def count(value: int, noun: str = "") -> str:
    """A whole number with thousands marked, and its noun: "1 pair", "31,111 pairs"."""
    if not noun:
        return f"{value:,}"
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{value:,} {noun if value == 1 else plural}"

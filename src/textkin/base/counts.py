"""Numbers of things, and shares of them, in words."""


def count(value: int, noun: str = "") -> str:
    """A whole number with thousands marked, and its noun: "1 pair", "31,111 pairs"."""
    if not noun:
        return f"{value:,}"
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{value:,} {noun if value == 1 else plural}"


def percent(share: float, decimals: int = 1) -> str:
    """A fraction as a percentage: "74.3 %"."""
    return f"{100 * share:.{decimals}f} %"

"""What a check of numeric precision found; the check itself loads torch."""

from dataclasses import dataclass
from typing import Literal

from textkin.base.cpu import ProductSpeeds

WORTHWHILE = 32_768
"""The tokens from which on precision is measured: they take seconds to encode."""


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """The measurements on some of the texts, and the conclusion.

    Attributes:
        computes: the precision to encode with.
        gain: the speed of bf16 relative to fp32; None if not tried.
        cosine: the mean cosine between the vectors of both; None if not tried.
        texts: the number of texts measured.
        products: the speeds of plain matrix products, if these ruled bf16 out; otherwise None.
    """

    computes: Literal["fp32", "bf16"]
    gain: float | None = None
    cosine: float | None = None
    texts: int = 0
    products: ProductSpeeds | None = None

    def __str__(self) -> str:
        if self.gain is None or self.cosine is None:
            if self.products is not None:
                return f"{self.computes}: {self.products.words}"
            return f"{self.computes}, without a check"
        return (
            f"{self.computes}: on {self.texts} texts bf16 was {self.gain:.2f} times as fast as fp32, "
            f"mean cosine {self.cosine:.5f}"
        )


def is_worthwhile(tokens: int, *, of: int, texts: int) -> bool:
    """True if texts have enough tokens for a check.

    Args:
        tokens: the tokens of some of the texts.
        of: the number of these.
        texts: the number of all.
    """
    return bool(of) and tokens * texts >= WORTHWHILE * of

"""The parts of a transformer as loops, for few rows.

Products of few rows wait for the weights, of which int8 has a quarter to move; other parts wait for calls of
arrays.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.models.packed_weights import GROUP
from textkin.networks.nn.softmax_loops import exp_of_negative

_fused = partial(compiled, sums_in_any_order=True)  # a product and its sum as one instruction

STEP = 8
"""The inputs that are added at a time; a group has several times as many."""


@_fused
def product(
    rows: NDArray[np.float32],
    panels: NDArray[np.int8],
    scales: NDArray[np.float32],
    bias: NDArray[np.float32],
    found: NDArray[np.float32],
) -> None:
    """Rows times a packed table, plus a bias.

    Functions of its parts would not be compiled into it, which takes 1.4 times as long.

    Args:
        rows: shape [rows, inputs].
        panels: the table's numbers, as many outputs a panel as a group has numbers. Shape [panels, inputs,
            GROUP].
        scales: their scales. Shape [panels, inputs / GROUP, GROUP].
        bias: shape [outputs].
        found: the result. Shape [rows, outputs].
    """
    weights = np.empty(STEP * GROUP, dtype=np.float32)
    for panel in range(panels.shape[0]):
        first = panel * GROUP
        for row in range(rows.shape[0]):
            found[row, first : first + GROUP] = bias[first : first + GROUP]
        for start in range(0, rows.shape[1], STEP):
            scale = scales[panel, start // GROUP]
            for place in range(STEP):
                full = weights[place * GROUP : (place + 1) * GROUP]
                numbers = panels[panel, start + place]
                for column in range(GROUP):
                    full[column] = np.float32(numbers[column]) * scale[column]
            for row in range(rows.shape[0]):
                sums, some = found[row, first : first + GROUP], rows[row, start : start + STEP]
                # Written out, so that a sum is loaded and stored once for all eight.
                a, b, c, d = some[0], some[1], some[2], some[3]
                e, f, g, h = some[4], some[5], some[6], some[7]
                for column in range(GROUP):
                    total = sums[column]
                    total += a * weights[column]
                    total += b * weights[GROUP + column]
                    total += c * weights[2 * GROUP + column]
                    total += d * weights[3 * GROUP + column]
                    total += e * weights[4 * GROUP + column]
                    total += f * weights[5 * GROUP + column]
                    total += g * weights[6 * GROUP + column]
                    total += h * weights[7 * GROUP + column]
                    sums[column] = total


@_fused
def normalise(
    rows: NDArray[np.float32], scale: NDArray[np.float32], shift: NDArray[np.float32], epsilon: np.float32
) -> None:
    """Layer normalisation in place. Shape [rows, columns]."""
    columns = rows.shape[1]
    for row in range(rows.shape[0]):
        some, total, squares = rows[row], np.float32(0), np.float32(0)
        for column in range(columns):
            total += some[column]
        mean = total / np.float32(columns)
        for column in range(columns):
            some[column] -= mean
            squares += some[column] * some[column]
        spread = np.float32(1) / np.sqrt(squares / np.float32(columns) + epsilon)
        for column in range(columns):
            some[column] = some[column] * spread * scale[column] + shift[column]


@_fused
def gelu(rows: NDArray[np.float32]) -> None:
    """The exact GELU in place, by the polynomial of :func:`textkin.models.light_network.gelu`."""
    powers = np.empty(rows.shape[1], dtype=np.float32)
    for row in range(rows.shape[0]):
        some = rows[row]
        for column in range(powers.size):  # a loop of its own, as only so both become vector instructions
            powers[column] = exp_of_negative(np.float32(-0.5) * some[column] * some[column])
        for column in range(powers.size):
            size = abs(some[column])
            t = np.float32(1) / (np.float32(1) + np.float32(0.23164189) * size)
            tail = np.float32(1.061405429) * t - np.float32(1.453152027)
            tail = (tail * t + np.float32(1.421413741)) * t - np.float32(0.284496736)
            tail = (tail * t + np.float32(0.254829592)) * t
            some[column] = max(some[column], np.float32(0)) - tail * powers[column] * np.float32(0.5) * size

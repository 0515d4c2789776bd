# SPDX-License-Identifier: MIT
"""How much of a launch is timed."""

from msgspec import Struct


class Effort(Struct, frozen=True):
    """How much is timed: windows of `window_us`, `samples` of them, `trials` to calibrate.

    `only` names the measures to take; all of them if it is empty.
    """

    window_us: float = 250.0
    samples: int = 39
    trials: int = 3
    only: tuple[str, ...] = ()

# SPDX-License-Identifier: MIT
"""The error of the calibration over launches, and what was promised of it."""

import statistics
from collections.abc import Iterable

from msgspec import Struct

from assay.model import Counter, Launch

COUNTER_ERROR_BOUND = 0.005  # relative, with a counter of core cycles
TICKS_ERROR_BOUND = 0.02  # with a time stamp counter


class Calibration(Struct, frozen=True):
    """The error of the launches that count, relative and without sign, and its bound."""

    median: float
    largest: float
    bound: float
    launches: int

    @property
    def text(self) -> str:
        """State it in one sentence, in per cent."""
        kind = "a cycle counter" if self.bound == COUNTER_ERROR_BOUND else "a time stamp counter"
        return (
            f"Calibration error {100 * self.median:.2f} %, at most {100 * self.largest:.2f} % "
            f"over {self.launches} launches (bound {100 * self.bound:.1f} % with {kind})."
        )


def error_bound(*, core_cycles: bool) -> float:
    """Return the promise for the error of the calibration."""
    return COUNTER_ERROR_BOUND if core_cycles else TICKS_ERROR_BOUND


def counts_cycles(counter: Counter) -> bool:
    """Return whether a counter counts core cycles itself: its factor is 1, without spread."""
    return (counter.cycles_per_tick, counter.cycles_per_tick_spread) == (1.0, 0.0)


def calibration(launches: Iterable[Launch]) -> Calibration | None:
    """Summarise the errors of launches that count, all if none was quiet; None without any."""
    made = tuple(launches)
    quiet = [one for one in made if not one.disturbed] or made
    found = [
        (abs(one.conditions.calibration_error), counts_cycles(one.counter))
        for one in quiet
        if one.conditions is not None and one.conditions.calibration_error is not None
    ]
    if not found:
        return None
    errors = [error for error, _ in found]
    exact = all(core for _, core in found)
    bound = error_bound(core_cycles=exact)
    return Calibration(statistics.median(errors), max(errors), bound, len(errors))

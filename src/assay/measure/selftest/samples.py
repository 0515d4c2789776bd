# SPDX-License-Identifier: MIT
"""What the selftest took: plain records, which can be written down and judged anywhere."""

from dataclasses import dataclass

from assay.model import Conditions


@dataclass(frozen=True, slots=True)
class Shot:
    """One launch: the median of each measure, in core cycles (ticks where unknown) per call.

    `name` says of what: a package, a variant, a kind of neighbour. `disturbed` is the mark
    that the launch got. `conditions` are kept of some launches only.
    """

    name: str
    layout: int
    values: tuple[tuple[str, float], ...]
    disturbed: str = ""
    calibration_error: float | None = None
    conditions: Conditions | None = None

    def value(self, measure: str) -> float:
        """Return a measure."""
        return dict(self.values)[measure]


@dataclass(frozen=True, slots=True)
class Samples:
    """Everything that was taken, each part in the order of time; empty where it was not.

    `same` are launches of one code; `injected` those of three variants, taken in turn, of
    which the second does 1 % and the third 2 % more; `layouts` those of one code under the
    names `first` and `second`, each in many layouts; `campaigns` those of two campaigns,
    named by package and campaign, `salsa20/ref#1`; `neighbours` those beside somebody who
    works, by kind. `counts` are two runs of an emulator. `counter_bound` is the promised
    error of the calibration, `load` the processors' load before it all began, `trust` the
    class of the machine.
    """

    machine: str
    trust: str
    load: float
    processors: int
    counter: str
    counter_bound: float
    same: tuple[Shot, ...] = ()
    injected: tuple[Shot, ...] = ()
    layouts: tuple[Shot, ...] = ()
    campaigns: tuple[Shot, ...] = ()
    neighbours: tuple[Shot, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    counted_by: str = ""


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """A promise and what was measured. `held` is None where that cannot be said here."""

    topic: str
    promise: str
    measured: str
    held: bool | None
    how: str

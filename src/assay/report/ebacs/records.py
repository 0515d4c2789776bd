# SPDX-License-Identifier: MIT
"""What the reports of operations are made of: own results and published ones together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from assay.model import Machine
from assay.model.supercop import Attempt, Fact, Measurement, ObjectSize, Record, Source
from assay.report.canaries import Health


@dataclass(frozen=True, slots=True, order=True)
class Provenance:
    """Where results may be compared: a machine, an ABI and the program that measured.

    Dates are no part of it, since one campaign may last several days.
    """

    machine: str
    abi: str
    version: str

    @classmethod
    def of(cls, source: Source) -> Self:
        """Return the place of a source."""
        return cls(source.machine, source.abi, source.version)

    @property
    def text(self) -> str:
        """Name it in one line."""
        return f"{self.machine} {self.abi} {self.version}"


@dataclass(frozen=True, slots=True)
class BenchMachine:
    """What is known of a machine that Assay itself measured on; `name` is its Source's."""

    name: str
    machine: Machine
    health: Health | None = None


@dataclass(frozen=True, slots=True)
class Records:
    """Everything that a report shows."""

    measurements: tuple[Measurement, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    sizes: tuple[ObjectSize, ...] = ()
    facts: tuple[Fact, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        """Sort records by their kind."""
        known = tuple(records)
        return cls(
            tuple(one for one in known if isinstance(one, Measurement)),
            tuple(one for one in known if isinstance(one, Attempt)),
            tuple(one for one in known if isinstance(one, ObjectSize)),
            tuple(one for one in known if isinstance(one, Fact)),
        )

    def __add__(self, other: "Records") -> "Records":
        """Put the records of several machines together."""
        return Records(
            self.measurements + other.measurements,
            self.attempts + other.attempts,
            self.sizes + other.sizes,
            self.facts + other.facts,
        )

    @property
    def everything(self) -> tuple[Record, ...]:
        """Return all records, of whatever kind."""
        return (*self.measurements, *self.attempts, *self.sizes, *self.facts)

    @property
    def places(self) -> tuple[Provenance, ...]:
        """Return all places, sorted."""
        return tuple(sorted({Provenance.of(one.source) for one in self.everything}))

    @property
    def dates(self) -> tuple[str, ...]:
        """Return the days on which anything was tried or measured, sorted."""
        days = {one.source.date for one in self.measurements}
        return tuple(sorted(days | {one.source.date for one in self.attempts}))

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the operations about which something is known, sorted."""
        known = {one.subject.operation for one in self.measurements}
        return tuple(sorted(known | {one.subject.operation for one in self.attempts}))

    def only(self, operation: str) -> "Records":
        """Keep what belongs to one operation."""
        return Records.of(one for one in self.everything if one.subject.operation == operation)

    def at(self, place: Provenance) -> "Records":
        """Keep what belongs to one place."""
        return Records.of(one for one in self.everything if Provenance.of(one.source) == place)

# SPDX-License-Identifier: MIT
"""What the reports of operations are made of: series and tries, one's own and published ones."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from assay.model import Machine
from assay.model.series import Series
from assay.model.supercop import Attempt, Fact, Record, Source
from assay.report.canaries import Health
from assay.summary.imported import series_from

T = TypeVar("T", Series, Attempt, Fact)


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

    series: tuple[Series, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    facts: tuple[Fact, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        """Make series of database lines, and sort the others by their kind."""
        known = tuple(records)
        return cls(
            tuple(series_from(known)),
            tuple(one for one in known if isinstance(one, Attempt)),
            tuple(one for one in known if isinstance(one, Fact)),
        )

    def __add__(self, other: "Records") -> "Records":
        """Put the records of several machines together."""
        return Records(
            self.series + other.series,
            self.attempts + other.attempts,
            self.facts + other.facts,
        )

    @property
    def subjects(self) -> Iterator[tuple[Source, str, str]]:
        """Yield source, operation and primitive of all records, of whatever kind."""
        for one in self._all:
            yield one.source, one.subject.operation, one.subject.primitive

    @property
    def places(self) -> tuple[Provenance, ...]:
        """Return all places, sorted."""
        return tuple(sorted({Provenance.of(source) for source, *_ in self.subjects}))

    @property
    def _all(self) -> tuple[Series | Attempt | Fact, ...]:
        return (*self.series, *self.attempts, *self.facts)

    @property
    def dates(self) -> tuple[str, ...]:
        """Return the days on which anything was tried or measured, sorted."""
        tried = {one.source.date for one in self.attempts}
        return tuple(sorted(tried | {one.source.date for one in self.series}))

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the operations about which something is known, sorted."""
        tried = {one.subject.operation for one in self.attempts}
        return tuple(sorted(tried | {one.subject.operation for one in self.series}))

    def only(self, operation: str) -> "Records":
        """Keep what belongs to one operation."""
        return self._where(lambda one: one.subject.operation == operation)

    def of_primitive(self, primitive: str) -> "Records":
        """Keep what belongs to one primitive."""
        return self._where(lambda one: one.subject.primitive == primitive)

    def at(self, place: Provenance) -> "Records":
        """Keep what belongs to one place."""
        return self._where(lambda one: Provenance.of(one.source) == place)

    def without(self, sources: Collection[Source]) -> "Records":
        """Leave out what is from these sources."""
        return self._where(lambda one: one.source not in sources)

    def called(self, machine: str, label: str) -> "Records":
        """Call a machine otherwise: those of two folders may have one name."""
        return Records(
            tuple(_called(one, machine, label) for one in self.series),
            tuple(_called(one, machine, label) for one in self.attempts),
            tuple(_called(one, machine, label) for one in self.facts),
        )

    def _where(self, meant: Callable[[Series | Attempt | Fact], bool]) -> "Records":
        return Records(
            tuple(filter(meant, self.series)),
            tuple(filter(meant, self.attempts)),
            tuple(filter(meant, self.facts)),
        )


def _called(one: T, machine: str, label: str) -> T:
    own = one.source.machine == machine
    return replace(one, source=replace(one.source, machine=label)) if own else one

# SPDX-License-Identifier: MIT
"""What the reports of operations are made of: series and tries, one's own and published ones."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from assay.model.series import Series
from assay.model.supercop import Attempt, Record, Source
from assay.summary.imported import series_from

T = TypeVar("T", Series, Attempt)


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
class Records:
    """Everything that a report shows."""

    series: tuple[Series, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        """Make series of database lines, and sort the others by their kind."""
        known = tuple(records)
        return cls(
            tuple(series_from(known)),
            tuple(one for one in known if isinstance(one, Attempt)),
        )

    def __add__(self, other: "Records") -> "Records":
        """Put the records of several machines together."""
        return Records(
            self.series + other.series,
            self.attempts + other.attempts,
        )

    @property
    def operations(self) -> tuple[str, ...]:
        """Return the operations about which something is known, sorted."""
        tried = {one.subject.operation for one in self.attempts}
        return tuple(sorted(tried | {one.subject.operation for one in self.series}))

    def only(self, operation: str) -> "Records":
        """Keep what belongs to one operation."""
        return self._where(lambda one: one.subject.operation == operation)

    def without(self, sources: Collection[Source]) -> "Records":
        """Leave out what is from these sources."""
        return self._where(lambda one: one.source not in sources)

    def called(self, machine: str, label: str) -> "Records":
        """Call a machine otherwise: those of two folders may have one name."""
        return Records(
            tuple(_called(one, machine, label) for one in self.series),
            tuple(_called(one, machine, label) for one in self.attempts),
        )

    def _where(self, meant: Callable[[Series | Attempt], bool]) -> "Records":
        return Records(
            tuple(filter(meant, self.series)),
            tuple(filter(meant, self.attempts)),
        )


def _called(one: T, machine: str, label: str) -> T:
    own = one.source.machine == machine
    return replace(one, source=replace(one.source, machine=label)) if own else one

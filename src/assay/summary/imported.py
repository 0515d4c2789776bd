# SPDX-License-Identifier: MIT
"""Imported database lines as series: those of the newest day of each machine and version."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from assay.model import Configuration, PackageKind
from assay.model.series import TICKS, TIMES, Implementation, Point, Series
from assay.model.supercop import Attempt, Measurement, ObjectSize, Place, Record, Source, Subject
from assay.stats.quartiles import stabilised
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.sizes import code_sizes, size_series

UNSOUND = frozenset({"fails", "tryfails"})
UNKNOWN = "unknown"  # an outcome: nothing failed, and nothing was there to compare with

OBJECT = ".o"  # ends the names of object files; the linked test program does not count

Build = tuple[Place, Subject]


def imported_series(store: Store, operation: str | None = None) -> Iterator[Series]:
    """Yield what was imported, primitive by primitive; of one operation if it is given."""
    published = ImportedRecords(store)
    for named in published.primitives(operation):
        yield from series_from(published.about(*named))


def series_from(records: Iterable[Record]) -> Iterator[Series]:
    """Yield the series of database lines, with what came of the tests of their builds."""
    attempts: list[Attempt] = []
    sizes: list[ObjectSize] = []
    groups: dict[tuple[Build, str, int | None, str], list[Measurement]] = {}
    for one in records:
        match one:
            case Attempt():
                attempts.append(one)
            case ObjectSize():
                sizes.append(one)
            case Measurement():
                groups.setdefault((_build(one), one.key, one.size, one.unit), []).append(one)
    attempts.sort(key=lambda one: one.source.date)
    tried = {_build(one): one.outcome for one in attempts}
    for (build, *_), group in groups.items():
        yield _series(newest(group), tried.get(build, ""))
    yield from _object_series(sizes)


def newest(measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """Keep the measurements of the newest day: SUPERCOP measures three times."""
    day = max(one.source.date for one in measurements)
    return tuple(one for one in measurements if one.source.date == day)


@lru_cache(maxsize=256)
def of_build(source: Source, subject: Subject) -> Series:
    """Return what all series of an imported build have in common, as a series of nothing."""
    command = subject.compiler
    whose = Implementation(
        PackageKind.OPERATION, subject.operation, subject.primitive, subject.implementation,
        subject.league,
    )  # fmt: skip
    configuration = Configuration("", command, "", "", command, command)
    nothing = ("", None, "", 0.0, 0.0, 0.0, None, ())
    return Series(whose, configuration, "native", source, *nothing, imported=True)


def _build(one: Measurement | Attempt) -> Build:
    """Name a build; one campaign may last several days."""
    return one.source.place, one.subject


def _object_series(sizes: Iterable[ObjectSize]) -> Iterator[Series]:
    """Add up the object files of each build."""
    files: dict[tuple[Source, Subject], dict[str, ObjectSize]] = {}
    for one in sizes:
        if one.file.endswith(OBJECT):
            files.setdefault((one.source, one.subject), {})[one.file] = one
    for build, known in files.items():
        found = [(one.text, one.data, one.bss) for one in known.values()]
        yield from size_series(of_build(*build), code_sizes(found))


def _series(group: Sequence[Measurement], outcome: str) -> Series:
    """Make one series of the processes of a day, with what came of the build's tests.

    The quartiles are those of all values together. The last process stands for all where values
    are missing.
    """
    last = group[-1]
    q1, median, q3 = last.q1, last.median, last.q3
    if len(group) > 1 and all(one.values for one in group):
        q1, median, q3 = stabilised([value for one in group for value in one.values])
    known = all(one.medians or one.launches == 1 for one in group)
    points = tuple(
        _point(one.unit, each) for one in group for each in one.medians or (one.median,)
    )
    alone = last.launches if len(group) == 1 else None
    return replace(
        of_build(last.source, last.subject),
        measure=f"{last.key}/{'-' if last.size is None else last.size}", size=last.size,
        unit=last.unit, exact=last.unit not in TIMES, points=points,
        launches=len(points) if known else alone,
        failed=outcome in UNSOUND, compared=outcome != UNKNOWN,
        q1=q1, median=median, q3=q3,
    )  # fmt: skip


def _point(unit: str, value: float) -> Point:
    """Return a process, of which no moment is known."""
    return Point(value) if unit == TICKS or unit not in TIMES else Point(None, value)

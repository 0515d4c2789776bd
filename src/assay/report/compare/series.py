# SPDX-License-Identifier: MIT
"""What can be compared: one measure of one cell, launch by launch, wherever it comes from."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.model import Launch, PackageKind, Sample, Verdict
from assay.model.compared import uncompared
from assay.model.supercop import Measurement, Source, Subject
from assay.report.ebacs.pools import COUNTS, pools_of
from assay.stats.stabilised import stabilised
from assay.stats.summary import counted, per_test
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.store.rows import ObjectKey, StoredCell

SCORE = "score/-"
NANO = 1e9
TIMES = {"cycles", "ticks"}


@dataclass(frozen=True, slots=True)
class Point:
    """One launch: its value per test in each unit that is known, and when it began."""

    ticks: float | None
    cycles: float | None
    nanoseconds: float | None
    started_at: str | None


@dataclass(frozen=True, slots=True)
class Series:
    """One measure of one cell. `names` are what its configuration may be called.

    `counts` is what was counted exactly (`instructions`), empty where time was taken.
    `work` is how many bytes or calls a test is, `place` where the package is in its tree.
    """

    machine: str
    implementation: str
    variant: int
    configuration: str
    names: frozenset[str]
    target: str
    sizes: str
    measure: str
    counter: str
    counts: str
    work: int
    work_unit: str
    points: tuple[Point, ...]
    failed: bool = False
    compared: bool = True
    disturbed: bool = False
    imported: bool = False
    place: str = ""

    def values(self, unit: str) -> list[float]:
        """Return one value per launch in `cycles`, `ticks` or `nanoseconds`, where known."""
        found = (getattr(point, unit) for point in self.points)
        return [value for value in found if value is not None]

    def knows(self, unit: str) -> bool:
        """Return whether every launch has a value in a unit."""
        return len(self.values(unit)) == len(self.points) > 0


def own_series(
    store: Store, meant: Callable[[StoredCell], bool] = lambda _: True
) -> tuple[Series, ...]:
    """Return everything that was measured or counted of the cells that are meant."""
    machine = store.machine()
    host = machine.host if machine else "unknown"
    known: dict[ObjectKey, tuple[Launch, ...]] = {}
    found: list[Series] = []
    for cell in store.cells():
        if cell.key is None or not meant(cell):
            continue
        if cell.key not in known:
            known[cell.key] = store.launches_of(cell.key)
        read = _operation if cell.package.kind == PackageKind.OPERATION else _stream
        found += read(host, cell, known[cell.key])
    return tuple(found)


def imported_series(store: Store) -> tuple[Series, ...]:
    """Return what was imported, process by process: those of a machine's newest day."""
    groups: dict[tuple[str, Subject, str, int | None, str], list[Measurement]] = {}
    for one in ImportedRecords(store).measurements():
        if one.unit in TIMES:
            key = (one.source.machine, one.subject, one.key, one.size, one.unit)
            groups.setdefault(key, []).append(one)
    return tuple(_imported(group) for group in groups.values())


def _stream(host: str, cell: StoredCell, launches: Sequence[Launch]) -> Iterator[Series]:
    """Yield the measures of a cell of the kind `stream`, at every size."""
    groups: dict[tuple[str, str], list[tuple[Launch, Sample]]] = {}
    for launch in counted(launches):
        for sample in launch.samples:
            groups.setdefault((str(sample.sizes), sample.measure), []).append((launch, sample))
    for (sizes, measure), pairs in groups.items():
        work, unit = pairs[0][1].work, pairs[0][1].work_unit.removesuffix("s")
        points = (_point(launch, per_test(launch, sample)) for launch, sample in pairs)
        yield _series(host, cell, sizes, measure, [one for one, _ in pairs], points, work, unit)


def _operation(host: str, cell: StoredCell, launches: Sequence[Launch]) -> Iterator[Series]:
    """Yield the timed measures of a cell of the kind `operation`."""
    for pool in pools_of(launches).values():
        if pool.measure == SCORE or pool.key.rpartition("_")[2] in COUNTS:
            continue
        own = {id(launch): launch for launch, _ in pool.samples}
        middle = {
            number: stabilised(
                [
                    ticks / sample.tests
                    for one, sample in pool.samples
                    if one is launch
                    for ticks in sample.ticks
                ]
            ).median
            for number, launch in own.items()
        }
        points = (_point(launch, middle[number]) for number, launch in own.items())
        yield _series(host, cell, "", pool.measure, list(own.values()), points, 1, "call")


def _series(
    host: str,
    cell: StoredCell,
    sizes: str,
    measure: str,
    launches: Sequence[Launch],
    points: Iterable[Point],
    work: int,
    work_unit: str,
) -> Series:
    """Put a series of one's own together."""
    own, configuration = cell.build.cell, cell.configuration
    failed = not cell.build.ok or any(c.verdict is Verdict.FAIL for c in cell.checks or ())
    return Series(
        machine=host,
        implementation=cell.package.selector,
        variant=own.variant,
        configuration=configuration.name,
        names=frozenset({configuration.name, configuration.tag}),
        target=own.target,
        sizes=sizes,
        measure=measure,
        counter=launches[-1].counter.name,
        counts=launches[-1].counter.exact_unit,
        work=work,
        work_unit=work_unit,
        points=tuple(points),
        failed=failed,
        compared=not uncompared(cell.checks or ()),
        disturbed=any(launch.disturbed for launch in launches),
        place=cell.package.place,
    )


def _point(launch: Launch, ticks: float) -> Point:
    """Return a launch's value in all units."""
    counter = launch.counter
    ratio, rate = counter.cycles_per_tick, counter.ticks_per_second
    cycles = None if ratio is None else ticks * ratio
    return Point(ticks, cycles, ticks * NANO / rate if rate else None, launch.started_at)


def _imported(group: Sequence[Measurement]) -> Series:
    """Make one series of the processes of the newest day."""
    day = max(one.source.date for one in group)
    newest = [one for one in group if one.source.date == day]
    first = newest[-1]
    cycles = first.unit == "cycles"
    points = (
        Point(None if cycles else one.median, one.median if cycles else None, None, None)
        for one in newest
    )
    return Series(
        machine=first.source.machine,
        implementation=first.subject.implementation,
        variant=1,
        configuration=first.subject.compiler,
        names=frozenset({first.subject.compiler}),
        target="native",
        sizes="",
        measure=f"{first.key}/{'-' if first.size is None else first.size}",
        counter=_said(first.source),
        counts="",
        work=1,
        work_unit="call",
        points=tuple(points),
        imported=True,
    )


def _said(source: Source) -> str:
    """Name the counter of an imported result: that of its machine."""
    return f"the counter of {source.machine}"

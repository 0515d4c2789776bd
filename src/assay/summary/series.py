# SPDX-License-Identifier: MIT
"""From a store to series: everything that was timed, counted, sized or imported, in one form.

`own_series` goes through a store package by package, so that no store has to fit into memory.
What kinds differ in is here and nowhere above: which launches count for a figure, how its
quartiles are taken, and in which unit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from msgspec.structs import asdict, replace

from assay import __version__
from assay.model import (
    NATIVE_NAME,
    Cell,
    Configuration,
    Counter,
    Dropped,
    Launch,
    Machine,
    PackageKind,
    Slower,
    Unreached,
    Unused,
)
from assay.model.compared import compared
from assay.model.notes import CodeOrigin
from assay.model.series import BYTES, CALLS, CYCLES, TICKS, Implementation, Point, Series
from assay.model.supercop import LEAGUES, Source
from assay.stats.quartiles import quartiles, stabilised, stabilised_median
from assay.stats.summary import (
    Taken,
    common_counter,
    counted,
    counted_samples,
    over_layouts,
    pace_of,
    per_test,
    usual_ratios,
)
from assay.store import Store
from assay.store.rows import Notes, ObjectKey, StoredCell
from assay.summary.sizes import object_places, own_objects, size_series, sizes_of
from assay.targets.architectures import abi_word

NANO = 1e9
COUNTS = {"randombytes": BYTES, "randomcalls": CALLS, "bytes": BYTES}

NOTHING = Series(
    Implementation(PackageKind.STREAM, "", "", ""), Configuration("", "", "", "", "", ""),
    "", Source("", "", "", ""), "", None, "", 0.0, 0.0, 0.0, None, (),
)  # fmt: skip
Meant = Callable[[StoredCell], bool]


def own_series(store: Store, meant: Meant = lambda _: True) -> Iterator[Series]:
    """Yield what was timed, counted and sized of the cells that are meant, by their place."""
    inside = object_places(store.path.parent)
    for one in measured_cells(store, meant):
        yield from one.figures
        yield from size_series(one.first, sizes_of(one, own_objects(one, inside)))


def timed_series(store: Store, meant: Meant = lambda _: True) -> Iterator[Series]:
    """Yield what was timed and counted, also by launches that do not count, and no sizes."""
    for cell in measured_cells(store, meant):
        for one in cell.figures:
            yield replace(one, noisy=() if one.disturbed else _noisy(one, cell.launches))


def _noisy(figure: Series, launches: Iterable[Launch]) -> tuple[Point, ...]:
    """Return what disturbed launches timed of a measure, by the same counter."""
    return tuple(
        _point(launch, per_test(launch, sample))
        for launch in launches
        for sample in launch.samples
        if (sample.measure, sample.sizes) == (figure.measure, figure.sizes)
        and (launch.disturbed and not sample.quiet and not launch.purpose)
        and launch.counter.name == figure.clock
        and (not figure.core_cycles or launch.counter.cycles_per_tick is not None)
    )


class CellResult(StoredCell, frozen=True):
    """A cell with the launches of its machine code, their series, and what is noted of the code.

    `first` is what all series of the cell have in common, as a series of nothing. `dropped` says
    that it dropped out of a race, and the figures come from that; `unreached` that a wanted
    precision was not reached; `unused` that it was compiled without code that this machine could
    run; `slower` that its cipher was skipped; `origin` where the code was first measured.
    """

    launches: tuple[Launch, ...]
    first: Series
    figures: tuple[Series, ...]
    dropped: Dropped | None = None
    unreached: Unreached | None = None
    unused: Unused | None = None
    slower: Slower | None = None
    origin: CodeOrigin | None = None

    @property
    def counted(self) -> tuple[Launch, ...]:
        """Return the launches that count."""
        return counted(self.launches)

    @property
    def counter(self) -> Counter | None:
        """Return the counter of all figures; None without any."""
        return self.figures[0].counter if self.figures else None

    @property
    def estimated(self) -> bool:
        """Return whether core cycles come from what the machine's other launches know."""
        return any(one.estimated for one in self.figures)

    @property
    def disturbed(self) -> bool:
        """Return whether nothing quiet was timed of some measure, so that it is disturbed."""
        return any(one.disturbed for one in self.figures)

    @property
    def shared_with(self) -> Cell | None:
        """Name the cell that was launched in its place, the machine code being the same."""
        cells = [one.cell for one in self.counted]
        return cells[0] if cells and self.cell not in cells else None

    @property
    def measured_at(self) -> str | None:
        """Return when the last launch began."""
        return self.counted[-1].started_at if self.counted else None


def measured_cells(
    store: Store,
    meant: Meant = lambda _: True,
    *,
    timings: bool = False,
) -> Iterator[CellResult]:
    """Yield the cells that are meant, place by place: those of `measured_batches`."""
    return chain.from_iterable(measured_batches(store, meant, timings=timings))


def measured_batches(
    store: Store,
    meant: Meant = lambda _: True,
    *,
    timings: bool = False,
    older: bool = False,
) -> Iterator[list[CellResult]]:
    """Yield the cells that are meant, those of some places at once; equal code is read once.

    With those of `older` contents that packages had before, too; with `timings` each series of an
    operation has all of its raw timings.
    """
    campaigns = store.campaigns()
    where = partial(
        _source, store.machine(), day_of(campaigns[-1].started_at) if campaigns else ""
    )
    notes = _notes(store)
    for batch in store.batches():
        built = (*store.cells(batch), *(store.cells(batch, older=True) if older else ()))
        cells = sorted(filter(meant, built), key=lambda one: one.package.place)
        launches = store.launches_of({one.key: None for one in cells if one.key})
        chosen = _launched_cells(cells, launches)
        # Step by step for all: a processor then has the code of a step at hand.
        launched = [(cell, launches[cell.key] if cell.key else ()) for cell in cells]
        firsts = [_first(cell, where(cell, own), chosen) for cell, own in launched]
        read = [
            tuple(_pooled(first, own, timings=timings) if first.subject.kind.rules.pooled
                  else series_over(own, first))
            for first, (_, own) in zip(firsts, launched, strict=True)
        ]  # fmt: skip
        yield [
            CellResult(
                **asdict(cell), launches=own, first=first, figures=figures,
                **{name: known[cell.key] for name, known in notes.items()
                   if cell.key in known and (figures or name == "origin")},
            )
            for (cell, own), first, figures in zip(launched, firsts, read, strict=True)
        ]  # fmt: skip


def _notes(store: Store) -> dict[str, Any]:
    """Return what is noted of codes by their keys, each by its field of a CellResult."""
    notes = Notes(store)
    return {
        "dropped": notes.all(Dropped), "unreached": notes.all(Unreached),
        "unused": notes.all(Unused), "slower": notes.all(Slower), "origin": notes.all(CodeOrigin),
    }  # fmt: skip


def in_usual_cycles(store: Store, read: Sequence[CellResult]) -> list[CellResult]:
    """Return cells whose launches know no core cycles in those of the machine's other launches.

    A disturbed launch of one package must not change the unit of a whole table.
    """
    if not any(one.unit == TICKS for cell in read for one in cell.figures):
        return list(read)
    ratios = usual_ratios(store.launch_heads())

    def known(one: Series) -> Series:
        ratio = ratios.get((one.target, one.counter.name)) if one.counter else None
        return one if ratio is None or one.unit != TICKS else one.in_cycles(ratio)

    return [replace(cell, figures=tuple(map(known, cell.figures))) for cell in read]


def _source(
    machine: Machine | None, day: str, cell: StoredCell, launches: Iterable[Launch]
) -> Source:
    """State where and when: an emulated target is a machine, the day is the last launch's.

    That `day` stands where nothing was launched.
    """
    host, architecture = (machine.host, machine.architecture) if machine else ("unknown",) * 2
    target = cell.build.cell.target
    days = [launch.started_at for launch in launches]
    narrow = architecture == "x86_64" and "-m32" in cell.configuration.arch.split()
    return Source(
        host if target == NATIVE_NAME else target,
        "x86" if narrow else abi_word(architecture),
        day_of(max(days)) if days else day,
        f"assay-{__version__}",
    )


def day_of(moment: str) -> str:
    """Turn an ISO 8601 time into YYYYMMDD."""
    return moment[:10].replace("-", "")


def _launched_cells(
    cells: Iterable[StoredCell], launches: Mapping[ObjectKey, Sequence[Launch]]
) -> dict[ObjectKey, StoredCell]:
    """Choose, for each machine code, the cell that was launched: others share its figures."""
    chosen: dict[ObjectKey, StoredCell] = {}
    for cell in cells:
        if cell.key is not None:
            if any(one.cell == cell.build.cell for one in launches[cell.key]):
                chosen[cell.key] = cell
            chosen.setdefault(cell.key, cell)
    return chosen


def _first(cell: StoredCell, source: Source, chosen: Mapping[ObjectKey, StoredCell]) -> Series:
    """Return what all series of a cell have in common, as a series of nothing."""
    launched = cell if cell.key is None else chosen[cell.key]
    return replace(
        NOTHING,
        subject=subject_of(cell),
        configuration=cell.configuration,
        target=cell.build.cell.target,
        source=source,
        failed=cell.failed,
        compared=cell.failed or not cell.checks or compared(cell.checks),
        shared="" if launched is cell else launched.configuration.name,
    )  # fmt: skip


def subject_of(cell: StoredCell) -> Implementation:
    """Return whose results a cell has."""
    package = cell.package
    league = cell.build.league or LEAGUES[-1] if package.kind.rules.leagues else ""
    return Implementation(
        package.kind, package.family, package.primitive, package.selector, league,
        cell.build.cell.variant, package.place, package.content_hash,
    )  # fmt: skip


def series_over(launches: Sequence[Launch], first: Series = NOTHING) -> Iterator[Series]:
    """Yield the measures of launches whose loops time them: quartiles are over launches.

    Each launch gives one value, the median of its timings, and every layout has the same weight.
    """
    groups = counted_samples(launches)
    counter = common_counter(launch for group in groups for launch, _ in group)
    for group in groups:
        points = tuple(_point(launch, per_test(launch, sample)) for launch, sample in group)
        core = counter is not None and counter.cycles_per_tick is not None
        values = [one.cycles or 0.0 if core else one.ticks or 0.0 for one in points]
        placed = zip((one.layout for one in points), values, strict=True)
        q1, _, q3 = quartiles(values)
        median = over_layouts(placed)
        near = min(range(len(values)), key=lambda at: abs(values[at] - median))
        sample = group[near][1]
        exact = counter.exact_unit if counter else ""
        yield replace(
            first, measure=sample.measure, sizes=sample.sizes, size=sample.block_bytes or None,
            unit=exact or (CYCLES if core else TICKS), exact=bool(exact), counter=counter,
            q1=min(q1, median), median=median, q3=max(q3, median),
            launches=len(points), points=points, keys=sample.keys, tests=sample.tests,
            work=sample.work, work_unit=sample.work_unit,
            disturbed=any(launch.disturbed and not one.quiet for launch, one in group),
            deferred=2 * sum(one.deferred_ticks > 0 for _, one in group) > len(group),
        )  # fmt: skip


def _pooled(first: Series, launches: Sequence[Launch], *, timings: bool) -> Iterator[Series]:
    """Yield the measures of an operation: stabilised quartiles of all timings of all launches.

    So they hold what differs from call to call and from process to process.
    """
    pools = [_knowing(pool) for pool in counted_samples(launches)]
    counters = {id(one.counter): one.counter for pool in pools for one, _ in pool}
    units = set(map(_unit, counters.values()))
    unit = units.pop() if len(units) == 1 else TICKS
    for pool in pools:
        measure, counter = pool[0][1].measure, pool[-1][0].counter
        key, _, size = measure.rpartition("/")
        counts = COUNTS.get(key.rpartition("_")[2], "")
        values, points = _timed(pool, core=(counts or unit) == CYCLES)
        found = stabilised(values)
        yield replace(
            first, measure=measure, size=int(size) if size.isdigit() else None,
            unit=counts or unit, exact=bool(counts or counter.exact_unit), counter=counter,
            launches=len(points), points=points,
            disturbed=any(launch.disturbed and not one.quiet for launch, one in pool),
            timings=tuple(map(round, values)) if timings else (),
            q1=found.q1, median=found.median, q3=found.q3,
        )  # fmt: skip


def _knowing(pool: list[Taken]) -> list[Taken]:
    """Keep the samples of launches that know core cycles; all if none does."""
    return [one for one in pool if one[0].counter.cycles_per_tick is not None] or pool


def _unit(counter: Counter) -> str:
    """Name what was counted: cycles, if it is known how many a tick is."""
    return counter.exact_unit or (TICKS if counter.cycles_per_tick is None else CYCLES)


def _scaled(ticks: Sequence[float], factor: float) -> Sequence[float]:
    return ticks if factor == 1.0 else [one * factor for one in ticks]


def _timed(pool: Iterable[Taken], *, core: bool) -> tuple[list[float], tuple[Point, ...]]:
    """Return all timings, of a call each, in `core` cycles or ticks, and each launch's middle."""
    values: list[float] = []
    known: dict[tuple[str, int], tuple[Launch, Sequence[float]]] = {}
    for launch, sample in pool:
        scale = pace_of(launch.counter, sample.beats) / sample.tests
        ratio = launch.counter.cycles_per_tick if core else None
        values += _scaled(sample.ticks, scale if ratio is None else ratio * scale)
        which, timings = (launch.started_at, launch.seed), _scaled(sample.ticks, scale)
        before = known.get(which)
        known[which] = (before[0], (*before[1], *timings)) if before else (launch, timings)
    points = [_point(launch, stabilised_median(each)) for launch, each in known.values()]
    return values, tuple(points)


def _point(launch: Launch, ticks: float) -> Point:
    """Return a launch's value in all units."""
    counter = launch.counter
    ratio, rate = counter.cycles_per_tick, counter.ticks_per_second
    cycles = None if ratio is None else ticks * ratio
    nanoseconds = ticks * NANO / rate if rate else None
    layout = launch.conditions.layout if launch.conditions else 0
    return Point(ticks, cycles, nanoseconds, launch.started_at, layout)

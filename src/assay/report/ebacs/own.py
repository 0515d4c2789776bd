# SPDX-License-Identifier: MIT
"""One's own results as SUPERCOP's records: from the store's launches, checks and builds.

All timings of all counted launches are pooled, per call, and their stabilised quartiles
taken: so the quartiles hold what differs from call to call and from process to process.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay import __version__
from assay.elf.sizes import object_sizes
from assay.model import (
    BuildStage,
    CheckResult,
    Configuration,
    OperationDetails,
    PackageKind,
    Verdict,
)
from assay.model.compared import COMPARISONS, compared
from assay.model.operations import SCORE
from assay.model.supercop import LEAGUES, Attempt, Measurement, ObjectSize, Source, Subject
from assay.report.canaries import health
from assay.report.ebacs.pools import TICKS, Pool, cycles_per_tick, pools_of, unit_of
from assay.report.ebacs.ranking import UNKNOWN
from assay.report.ebacs.records import BenchMachine, Records
from assay.report.ebacs.scores import score_of, was_held
from assay.stats.stabilised import stabilised
from assay.store import Store
from assay.store.rows import ObjectKey, StoredCell

CHECKSUM = "checksum/"  # begins the names of the checks that compare checksums
AbiOf = Callable[[Configuration], str]


@dataclass(frozen=True, slots=True)
class Own:
    """A cell with what was measured of it; `pools` by measure, the score's among them."""

    cell: StoredCell
    pools: dict[str, Pool]
    abi: str

    @property
    def subject(self) -> Subject:
        """State whose results these are."""
        package, configuration = self.cell.package, self.cell.configuration
        operation = package.details.operation if package.details else package.primitive
        words = (configuration.command, configuration.arch, configuration.opt)
        command = " ".join(word for word in words if word)
        league = self.cell.build.league or LEAGUES[-1]
        return Subject(operation, package.primitive, league, package.selector, command)


def own_records(store: Store, abi_of: AbiOf | None = None) -> Records:
    """Return the records of all packages of kind `operation` in the store.

    `abi_of` gives SUPERCOP's word for the ABI of a configuration (`amd64`); without it the
    machine's architecture stands there. Times of a cell are cycles if its counted launches
    know how many cycles a tick is, otherwise ticks.
    """
    machine = store.machine()
    architecture = machine.architecture if machine else "unknown"
    cells = [one for one in store.cells() if one.package.kind == PackageKind.OPERATION]
    pools = _all_pools(store, cells)
    owns = [
        Own(one, pools.get(one.key, {}) if one.key else {}, (abi_of or _same(architecture))(
            one.configuration))
        for one in cells
    ]  # fmt: skip
    days = [_day(campaign.started_at) for campaign in store.campaigns()]
    host = machine.host if machine else "unknown"
    writer = _Writer(host, days[-1] if days else "", _measured_cells(owns), _contests(owns))
    return Records.of(record for own in owns for record in writer.records(own))


def own_bench(store: Store) -> BenchMachine | None:
    """Return the machine of the store with its counters and canaries; None if it has none."""
    machine = store.machine()
    if machine is None:
        return None
    launches = [one for one in store.launch_heads() if one.cell.target == "native"]
    return BenchMachine(machine.host, machine, health(launches))


def _same(text: str) -> AbiOf:
    return lambda _: text


def _all_pools(store: Store, cells: Iterable[StoredCell]) -> dict[ObjectKey, dict[str, Pool]]:
    """Read the launches of every machine code once."""
    keys = {one.key for one in cells if one.key is not None}
    return {key: pools_of(store.launches_of(key)) for key in keys}


def _measured_cells(owns: Iterable[Own]) -> set[int]:
    """Choose, for each machine code, the cell that was launched: others share its figures."""
    chosen: dict[ObjectKey, Own] = {}
    for own in owns:
        key = own.cell.key
        if key is not None and own.pools:
            launched = {launch.cell for pool in own.pools.values() for launch, _ in pool.samples}
            if own.cell.build.cell in launched:
                chosen[key] = own
            chosen.setdefault(key, own)
    return {id(own) for own in chosen.values()}


def _contests(owns: Iterable[Own]) -> set[tuple[str, str]]:
    """Name the primitives, by operation, whose implementations met in a contest."""
    found: dict[tuple[str, str], list[Mapping[str, Pool]]] = {}
    for own in owns:
        found.setdefault((own.subject.operation, own.subject.primitive), []).append(own.pools)
    return {key for key, codes in found.items() if was_held(codes, key[0])}


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns cells into records; `day` stands where nothing was launched.

    Contests were `held` for these primitives.
    """

    host: str
    day: str
    measured: set[int]
    held: set[tuple[str, str]]

    def records(self, own: Own) -> Iterator[Measurement | Attempt | ObjectSize]:
        """Yield the records of one cell."""
        attempt = self._attempt(own)
        if attempt is not None:
            yield attempt
        source = self._source(own)
        for path in own.cell.build.objects:
            sizes = object_sizes(path)
            if sizes is not None:
                yield ObjectSize(source, own.subject, *sizes, path.name)
        if id(own) in self.measured:
            for pool in own.pools.values():
                if pool.measure != SCORE:
                    yield self._measurement(own, pool)

    def _measurement(self, own: Own, pool: Pool) -> Measurement:
        unit = pool.counts or self._unit(own)
        values = pool.values(unit)
        launches = len({id(launch) for launch, _ in pool.samples})
        rounded = tuple(round(value) for value in values)
        return Measurement(
            self._source(own), own.subject, pool.key, pool.size, *stabilised(values), unit,
            rounded, launches, tuple(pool.medians(unit)),
        )  # fmt: skip

    def _attempt(self, own: Own) -> Attempt | None:
        """Describe what came of one build; None if it was not for this machine, or not tried."""
        build, checks = own.cell.build, own.cell.checks
        if build.stage is BuildStage.SKIPPED:
            return None
        subject, source = own.subject, self._source(own)
        if not build.ok:
            return Attempt(source, subject, "tryfails", reason=build.reason or build.stage.value)
        if checks is None:
            return None
        outcome, reason = outcome_of(checks)
        small, big = _checksums(own.cell.package.details, checks) if outcome == "ok" else ("", "")
        attempt = Attempt(source, subject, outcome, small, big, reason=reason)
        return self._scored(attempt, own)

    def _scored(self, attempt: Attempt, own: Own) -> Attempt:
        operation = own.subject.operation
        score = score_of(
            own.pools, operation, held=(operation, own.subject.primitive) in self.held
        )
        if not score.parts:
            return attempt
        unit = self._unit(own)
        contest = score.parts if score.parts[0].measure == SCORE else ()
        rates = [
            launch.counter.ticks_per_second * cycles_per_tick(launch, unit)
            for launch, _ in score.parts[0].samples
        ]
        return dataclasses.replace(
            attempt,
            score=score.median(unit),
            values=tuple(round(value) for one in contest for value in one.values(unit)),
            cycles_per_second=round(rates[-1]),
            unit=unit,
            medians=score.medians(unit),
        )

    def _unit(self, own: Own) -> str:
        """Return the one unit of all times of a cell; no table mixes units of its cells."""
        pools = own.pools.values()
        units = {unit_of(launch) for pool in pools for launch, _ in pool.samples}
        return units.pop() if len(units) == 1 else TICKS

    def _source(self, own: Own) -> Source:
        """State where and when: on the day of the last launch."""
        target = own.cell.build.cell.target
        machine = self.host if target == "native" else target
        starts = [launch.started_at for pool in own.pools.values() for launch, _ in pool.samples]
        day = _day(max(starts)) if starts else self.day
        return Source(machine, own.abi, day, f"assay-{__version__}")


def outcome_of(checks: Sequence[CheckResult]) -> tuple[str, str]:
    """Return SUPERCOP's word for verdicts, and the first failing check with its reason."""
    failed = [check for check in checks if check.verdict is Verdict.FAIL]
    if failed:
        first = failed[0]
        only = all(check.check.startswith(COMPARISONS) for check in failed)
        return ("fails" if only else "tryfails"), f"{first.check}: {first.reason}"
    return ("ok" if compared(checks) else UNKNOWN), ""


def _checksums(details: OperationDetails | None, checks: Sequence[CheckResult]) -> tuple[str, str]:
    """Return the checksums that the outputs have; known answers say nothing of them."""
    sums = any(one.check.startswith(CHECKSUM) and one.verdict is Verdict.PASS for one in checks)
    if details is None or not sums:
        return "", ""
    return details.checksum_small or "", details.checksum_big or ""


def _day(moment: str) -> str:
    """Turn an ISO 8601 time into YYYYMMDD."""
    return moment[:10].replace("-", "")

# SPDX-License-Identifier: MIT
"""Fake results: packages, cells and launches as a campaign would have stored them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, sync_playwright
from tests.unit.report.browsing import CHROMIUM, FLAGS

from assay.model import (
    BrokenPackage,
    Build,
    BuildStage,
    Campaign,
    Cell,
    CheckResult,
    Configuration,
    Counter,
    HashSubject,
    Launch,
    Machine,
    Package,
    PackageKind,
    PackageRole,
    Quirk,
    Sample,
    SizeChoice,
    StreamSubject,
    Verdict,
)
from assay.model.series import Point, Series
from assay.store import Store
from assay.summary.cells import Results, load_all
from assay.summary.imported import imported_series
from assay.summary.series import NOTHING, CellResult, Meant, own_series

TSC = Counter("RDTSC instruction", 2, 2.4e9, 1.25, 0.002)
SIZES = SizeChoice(128, 64)
HARNESS = "harness-1"

# Work of one test in bytes (1 for setups), keys, tests.
MEASURES = {
    "stream/long": (4096, 1, 22),
    "packet/40": (40, 10, 350),
    "packet/576": (576, 10, 120),
    "packet/1500": (1500, 1, 50),
    "setup/key": (0, 10, 7000),
    "setup/iv": (0, 10, 500),
    "agility": (256, 270, 270),
}
HASH_MEASURES = {"long/256": (8192, 1, 10), "short/256": (0, 1, 40)}
PASSED = (
    CheckResult("api/enumeration", Verdict.PASS),
    CheckResult("vectors/verified", Verdict.PASS),
)
SKIPPED = CheckResult("api/aad", Verdict.SKIPPED, "the API has no associated data")
FAILED = CheckResult(
    "context/interleaved",
    Verdict.FAIL,
    "calls with another context changed the result",
    "Move static variables into the context structure.",
    "C by K1 = 00FF\nC by K1 after IV2 setup = 1234",
)


class Campaigner:
    """Stores packages and cells with plausible figures."""

    def __init__(self, store: Store) -> None:
        """Write to `store`."""
        self.store = store
        self.seed = 0
        self.hashes: set[str] = set()

    def package(
        self,
        selector: str,
        role: PackageRole = PackageRole.SUBMISSION,
        quirks: tuple[Quirk, ...] = (),
    ) -> Package:
        """Store a package."""
        package = make_package(selector, role, quirks)
        self.store.put_package(package)
        return package

    def hash(self, selector: str, **changes: object) -> Package:
        """Store a package that is a hash."""
        package = make_package(selector)
        package = replace(package, kind=PackageKind.HASH, api="compact-hash", **changes)
        self.store.put_package(package)
        self.hashes.add(selector)
        return package

    def cell(
        self,
        package: Package,
        opt: str = "-O3 -fomit-frame-pointer",
        speed: float = 4.0,
        checks: tuple[CheckResult, ...] = PASSED,
        launches: int = 5,
        counter: Counter = TSC,
        **changes: str,
    ) -> Cell:
        """Store a cell that runs at `speed` ticks per byte; `changes` go into its build."""
        option = opt.split(maxsplit=1)[0].lstrip("-")
        name = f"gcc-12_default_{option}"
        configuration = Configuration("gcc", "gcc-12", "", opt, f"gcc_default_{option}", name)
        cell = Cell(package.selector, 1, name)
        build = Build(
            cell=cell,
            stage=BuildStage.DONE,
            object_hash=f"object {package.selector} {option}",
            agent=Path("/agent"),
            diagnostics="",
            command=f"gcc-12 {opt} -c cipher.c",
            jail="bubblewrap",
            compile_seconds=0.5,
        )
        self.store.put_build(replace(build, **changes), package, configuration, HARNESS)
        one = HashSubject("compact-hash", package.primitive, 108, 8)
        hashes = package.kind is PackageKind.HASH
        self.store.put_subject(cell, one if hashes else subject(package.primitive))
        self.store.put_checks(cell, checks)
        for number in range(launches):
            self.launch(cell, speed * (1 + 0.002 * number), counter)
        return cell

    def broken_build(self, package: Package, reason: str) -> None:
        """Store a build that failed."""
        configuration = Configuration("gcc", "gcc-12", "", "-O9", "gcc_default_O9", "gcc-12_O9")
        build = Build(
            cell=Cell(package.selector, 1, "gcc-12_O9"),
            stage=BuildStage.COMPILE,
            object_hash=None,
            agent=None,
            diagnostics="cipher.c:7:1: error: unknown type name 'u64'",
            command="gcc-12 -O9 -c cipher.c",
            jail="bubblewrap",
            compile_seconds=0.1,
            reason=reason,
            cure="Write `std = -std=c99` in the Makefile.",
        )
        self.store.put_build(build, package, configuration, HARNESS)

    def launch(
        self, cell: Cell, speed: float, counter: Counter = TSC, disturbed: str = ""
    ) -> None:
        """Store a launch."""
        self.seed += 1
        measures = HASH_MEASURES if cell.selector in self.hashes else MEASURES
        build = next(each.build for each in self.store.cells() if each.build.cell == cell)
        assert build.object_hash is not None
        self.store.put_launch(
            Launch(
                cell=cell,
                object_hash=build.object_hash,
                seed=self.seed,
                started_at=f"2026-11-21T10:{self.seed % 60:02d}:00+00:00",
                counter=counter,
                latency_canary=(1.0 + 0.001 * (self.seed % 7), 1.0),
                throughput_canary=(0.25, 0.25 + 0.0005 * (self.seed % 3)),
                timed_seconds=0.2,
                total_seconds=0.5,
                jail="bubblewrap",
                samples=tuple(_sample(measure, speed) for measure in measures),
                disturbed=disturbed,
            )
        )


def make_package(
    selector: str, role: PackageRole = PackageRole.SUBMISSION, quirks: tuple[Quirk, ...] = ()
) -> Package:
    """Describe a package."""
    primitive, _, implementation = selector.partition("/")
    return Package(
        selector=selector,
        primitive=primitive,
        implementation=implementation,
        place=f"{role.value}s/{selector}",
        role=role,
        api="ecrypt-sync",
        kind=PackageKind.STREAM,
        root=Path("/src") / selector,
        header="ecrypt-sync.h",
        sources=("cipher.c",),
        files=("cipher.c", "ecrypt-sync.h"),
        std=(),
        variants=1,
        vectors=None,
        quirks=quirks,
        content_hash=f"hash of {selector}",
    )


def _sample(measure: str, speed: float) -> Sample:
    """Make a sample: setups and short packets cost more, as they do."""
    work, keys, tests = {**MEASURES, **HASH_MEASURES}[measure]
    ticks = round(speed * tests * (work + 200 if work else 120))
    return Sample(measure, SIZES, keys, tests, work, (ticks - 9, ticks, ticks + 700))


def subject(name: str) -> StreamSubject:
    """Describe a stream cipher."""
    return StreamSubject(
        api="ecrypt-sync",
        name=name.upper(),
        profile="SW",
        key_bits=(128,),
        iv_bits=(64,),
        mac_bits=(),
        max_key_bits=128,
        max_iv_bits=64,
        max_mac_bits=0,
        context_bytes=108,
        block_bytes=64,
        buffer_bytes=4096,
        flags=frozenset(),
        functions=frozenset({"keysetup"}),
    )


MACHINE = Machine(
    host="bench",
    cpu="Example CPU at 2.4 GHz",
    architecture="x86_64",
    cores=2,
    memory_bytes=8 << 30,
    kernel="6.1.0",
    system="Debian 12",
    mhz=2400.0,
    governor=None,
    turbo=True,
    smt=None,
    virtualised="kvm",
    notes=("turbo cannot be switched off from inside a guest",),
)


def load(store: Store, kind: PackageKind = PackageKind.STREAM) -> Results:
    """Read everything in a store that is of a kind."""
    (found,) = load_all(store, (kind,))
    return found


def at_ratio(result: CellResult, ratio: float | None) -> CellResult:
    """Give a result of ratio 1 another number of cycles in a tick, or an unknown one."""
    figures = []
    for one in result.figures:
        assert one.counter is not None
        unknown = replace(one.counter, cycles_per_tick=None)
        found = replace(one, unit="ticks", counter=unknown)
        figures.append(found if ratio is None else found.in_cycles(ratio))
    return replace(result, figures=tuple(figures))


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Start headless Chromium."""
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty store in a folder `results`."""
    with Store.create(tmp_path / "results") as opened:
        yield opened


@pytest.fixture
def campaigner(store: Store) -> Campaigner:
    """Give a fake campaign on the store."""
    return Campaigner(store)


@pytest.fixture
def results(store: Store, campaigner: Campaigner) -> Results:
    """Fill the store with a bit of everything and load it."""
    store.put_machine(MACHINE)
    number = store.start_campaign(Campaign(("run", "--all"), "2026-11-21T10:00:00+00:00"))
    quirk = Quirk("quirk/no-profile", "the header has no profile", "Define ECRYPT_PROFILE.")
    salsa = campaigner.package("salsa20/ref", quirks=(quirk,))
    campaigner.cell(salsa, speed=6.5, checks=(*PASSED, SKIPPED))
    campaigner.cell(salsa, "-O2 -fomit-frame-pointer", speed=7.25, diagnostics="warning: x")
    campaigner.cell(salsa, "-Os -fomit-frame-pointer", speed=5.0, checks=(*PASSED, FAILED))
    campaigner.broken_build(salsa, "gcc-12 knows no -O9")
    fast = campaigner.package("hc-128/fast")
    first = campaigner.cell(fast, speed=2.1)
    campaigner.cell(fast, "-O2", launches=0, object_hash="object hc-128/fast O3")
    campaigner.launch(first, 9.0, disturbed="the latency canary moved by 12 %")
    campaigner.cell(campaigner.package("aes-ctr/ref", PackageRole.BENCHMARK), speed=11.0)
    wrong = campaigner.package("<script>alert(1)</script>/ref")
    campaigner.cell(wrong, speed=0.5, checks=(FAILED,))
    broken = BrokenPackage("mosquito/ref", "submissions/mosquito/ref", Path("/src/mosquito/ref"),
                           "there is no ecrypt-sync.h", "Add the header of the API.")  # fmt: skip
    store.put_broken_package(broken)
    store.finish_campaign(number, "2026-11-21T11:00:00+00:00")
    return load(store)


@pytest.fixture
def snow() -> CellResult:
    """Give SNOW 2.0 as measured for the HOWTO's Example 1: 1694.814 MHz, ratio 1."""
    sizes = SizeChoice(128, 128)
    counts = {
        "stream/long": (4096, 1, 22, 415015),
        "packet/40": (40, 10, 350, 411499),
        "packet/576": (576, 10, 120, 416341),
        "packet/1500": (1500, 1, 50, 395528),
        "setup/key": (1, 10, 7000, 446655),
        "setup/iv": (1, 10, 500, 397912),
        "agility": (256, 270, 270, 412653),
    }
    counter = Counter("RDTSC instruction", 1, 1694.814e6, 1.0, 0.0)
    figures = tuple(
        replace(
            NOTHING,
            measure=name,
            sizes=sizes,
            work=work,
            work_unit="setup" if name.startswith("setup") else "byte",
            unit="cycles",
            counter=counter,
            points=(Point(ticks / tests, ticks / tests),),
            q1=ticks / tests,
            median=ticks / tests,
            q3=ticks / tests,
            keys=keys,
            tests=tests,
        )
        for name, (work, keys, tests, ticks) in counts.items()
    )
    cell = Cell("snow-2.0/ref", 1, "gcc_default_O3")
    launch = Launch(cell=cell, object_hash="o", seed=1, started_at="2005-11-01T12:00:00+00:00",
                    counter=counter, latency_canary=(1.0, 1.0), throughput_canary=(0.25, 0.25),
                    timed_seconds=0.2, total_seconds=0.5, jail="bubblewrap",
                    samples=())  # fmt: skip
    return CellResult(
        package=make_package("snow-2.0/ref", PackageRole.BENCHMARK),
        configuration=Configuration("gcc", "gcc", "", "-O3", "gcc_default_O3", "gcc_default_O3"),
        build=Build(cell, BuildStage.DONE, "o", None, "", "gcc -O3", "bubblewrap", 0.1),
        subject=replace(subject("snow-2.0"), context_bytes=108),
        checks=PASSED,
        key=None,
        marked=lambda: True,
        launches=(launch,),
        first=NOTHING,
        figures=figures,
    )


def series_of(store: Store, meant: Meant = lambda _: True) -> Iterator[Series]:
    """Read all series of a store: one's own, of the cells that are meant, and imported ones."""
    yield from own_series(store, meant)
    yield from imported_series(store)

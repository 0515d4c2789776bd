# SPDX-License-Identifier: MIT
"""A store as a campaign over operations would fill it."""

from pathlib import Path

from msgspec.structs import replace

from assay.model import (
    Build,
    BuildStage,
    Campaign,
    Cell,
    CheckResult,
    Configuration,
    Counter,
    Launch,
    Machine,
    OperationDetails,
    Package,
    PackageKind,
    PackageRole,
    Sample,
    SizeChoice,
    Verdict,
)
from assay.model.supercop import Measurement
from assay.report.supercop.own import database_records
from assay.store import Store

CYCLES = Counter("RDTSC instruction", 2, 2.0e9, 1.25, 0.002)
TICKS = replace(CYCLES, cycles_per_tick=None)
O3 = Configuration("gcc", "gcc", "-march=native", "-O3", "gcc_native_O3", "gcc_native_O3")
O2 = replace(O3, opt="-O2", tag="gcc_native_O2", name="gcc_native_O2")
PASSED = (CheckResult("checksum/small", Verdict.PASS), CheckResult("memory/guard", Verdict.PASS))
MACHINE = Machine(
    "bench", "Example CPU", "x86_64", 2, 1 << 30, "6.1", "Debian 12", None, None, None, None, None
)


class Fake:
    """Stores what a campaign over operations would store."""

    def __init__(self, store: Store) -> None:
        """Begin with a machine and a campaign."""
        self.store = store
        self.seed = 0
        store.put_machine(MACHINE)
        store.start_campaign(Campaign(("run",), "2026-11-20T10:00:00+00:00"))

    def package(self, selector: str = "crypto_hash/sha256/ref") -> Package:
        """Store a package."""
        operation, primitive, implementation = selector.split("/", 2)
        details = OperationDetails(
            operation, Path("/tree"), "c", "supercop", (), checksum_small="0fb5",
            checksum_big="55ff",
        )  # fmt: skip
        package = Package(
            selector, primitive, implementation, selector, PackageRole.SUBMISSION, "supercop",
            PackageKind.OPERATION, Path("/tree") / selector, "api.h", ("hash.c",),
            ("hash.c", "api.h"), (), 1, None, (), f"hash of {selector}", details=details,
        )  # fmt: skip
        self.store.put_package(package)
        return package

    def cell(
        self,
        package: Package,
        configuration: Configuration = O3,
        checks: tuple[CheckResult, ...] | None = PASSED,
        code: str = "code",
        **changes: object,
    ) -> Cell:
        """Store a build with its checks."""
        cell = Cell(package.selector, 1, configuration.name)
        build = Build(
            cell, BuildStage.DONE, code, Path("/agent"), "", "gcc -c", "bubblewrap", 0.1,
            league="constbranchindex",
        )  # fmt: skip
        self.store.put_build(replace(build, **changes), package, configuration, "harness")
        if checks is not None:
            self.store.put_checks(cell, checks)
        return cell

    def launch(
        self,
        cell: Cell,
        *samples: Sample,
        counter: Counter = CYCLES,
        disturbed: str = "",
        code: str = "code",
    ) -> None:
        """Store a launch."""
        self.seed += 1
        moment = f"2026-11-21T10:00:{self.seed:02d}+00:00"
        canary = (1.0, 1.0)
        self.store.put_launch(
            Launch(
                cell, code, self.seed, moment, counter, canary, canary, 0.1, 0.2, "bubblewrap",
                samples, disturbed,
            )
        )  # fmt: skip


def sample(measure: str, *ticks: int, tests: int = 1) -> Sample:
    """Make a sample."""
    return Sample(measure, SizeChoice(0, 0), 1, tests, 0, ticks)


def measurements(store: Store) -> tuple[Measurement, ...]:
    """Read what was measured, as it goes into database lines."""
    return tuple(one for one in database_records(store) if isinstance(one, Measurement))

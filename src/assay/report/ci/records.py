# SPDX-License-Identifier: MIT
"""What a command found, apart from how it is shown: verdicts on cells, and figures."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.model import NATIVE_NAME, CheckResult, Quirk, Verdict, overall
from assay.model.compared import uncompared
from assay.model.work import FORMERLY, examined


class CellVerdict(Struct, frozen=True):
    """The verdicts on a variant of a package, in one configuration on one target.

    `root` is the package's folder, and `files` are relative to it. `skipped` says why nothing
    was examined. `seconds` is how long building and examining took, None where that is not known.
    """

    package: str
    root: Path
    checks: tuple[CheckResult, ...]
    files: tuple[str, ...] = ()
    variant: int = 1
    configuration: str = ""
    compiler: str = ""
    target: str = NATIVE_NAME
    jail: str = ""
    object_hash: str | None = None
    quirks: tuple[Quirk, ...] = ()
    goals: frozenset[str] = frozenset()
    skipped: str = ""
    seconds: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the whole; skipped if nothing was examined."""
        return overall(one.verdict for one in self.checks)

    @property
    def passed(self) -> bool:
        """Return whether nothing failed."""
        return all(one.verdict is not Verdict.FAIL for one in self.checks)

    @property
    def where(self) -> str:
        """Name configuration and target, and the variant where there are several."""
        variant = f"variant {self.variant}" if self.variant > 1 else ""
        target = "" if self.target == NATIVE_NAME else self.target
        return ", ".join(part for part in (variant, self.configuration, target) if part)

    def count(self, verdict: Verdict) -> int:
        """Count the checks with a verdict."""
        return sum(one.verdict is verdict for one in self.checks)

    @property
    def record(self) -> dict[str, Any]:
        """Return what JSON has of it."""
        if self.skipped:
            return {"package": self.package, "target": self.target, "passed": None,
                    "verdict": self.verdict, "skipped": self.skipped, "checks": []}  # fmt: skip
        return {
            "package": self.package,
            "variant": self.variant,
            "configuration": self.configuration,
            "compiler": self.compiler,
            "target": self.target,
            "jail": self.jail,
            "object_hash": self.object_hash,
            "verdict": self.verdict,
            "passed": self.passed,
            "compared": not uncompared(self.checks),
            "goals": sorted(self.goals),
            "goals_examined": examined(self.checks) if self.goals else None,
            "checks": list(map(_check_record, self.checks)),
            "warnings": [
                {"name": one.name, "message": one.message, "cure": one.cure} for one in self.quirks
            ],
        }


def _check_record(one: CheckResult) -> dict[str, Any]:
    formerly = {"formerly": FORMERLY[one.check]} if one.check in FORMERLY else {}
    return {"check": one.check, "verdict": one.verdict, "reason": one.reason, "cure": one.cure,
            "evidence": one.evidence, "follows": one.follows, **formerly}  # fmt: skip


class CheckText(Struct, frozen=True):
    """What a reader of a check's verdict wants to know: question, reason and cure."""

    asks: str
    why: str
    cure: str


class PackageFigure(Struct, frozen=True):
    """A figure of a package: lower is better. `low` and `high` are quartiles, None if unknown.

    `values` has a value for each launch, and `exact` says that it was counted and not timed.
    """

    package: str
    measure: str
    unit: str
    value: float
    low: float | None = None
    high: float | None = None
    values: tuple[float, ...] = ()
    configuration: str = ""
    target: str = NATIVE_NAME
    machine: str = ""
    exact: bool = False

    @property
    def name(self) -> str:
        """Name the figure: what programs compare from commit to commit."""
        target = "" if self.target == NATIVE_NAME else self.target
        where = (self.configuration, target)
        return " ".join(part for part in (self.package, self.measure, *where) if part)


class Harvest(Struct, frozen=True):
    """All that a command found."""

    verdicts: tuple[CellVerdict, ...] = ()
    metrics: tuple[PackageFigure, ...] = ()

    def __add__(self, other: "Harvest") -> "Harvest":
        """Put what was found apart together."""
        return Harvest(self.verdicts + other.verdicts, self.metrics + other.metrics)

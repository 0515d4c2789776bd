# SPDX-License-Identifier: MIT
"""Checking very many packages: what came of each, and how often for which reason."""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field

from assay.check.engine.cells import COMPILES, LINKS, LOADS
from assay.model import BrokenPackage, CheckResult, Package, Verdict, overall
from assay.model.compared import PATIENCE, comparisons, unfinished
from assay.model.work import unexamined

_LIBRARY = re.compile(r"^it needs |apt-get|cannot be built|[Cc]argo|[Rr]ust")
_LAYOUT = re.compile(
    r"included but not in the package|, unknown here|nothing (?:that is compiled )?defines"
    r"|is a link to nothing"
)


class Fault(StrEnum):
    """Why a package did not pass; the value is how summaries call it."""

    CODE = "its code"
    TIME = "it needs more time than --patience allows"
    LAYOUT = "its layout: files are missing or not found"
    LIBRARY = "a library is missing here"
    MACHINE = "it is for another machine"
    UNKNOWN = "nothing to compare with, or not examined"


def fault_of(verdict: Verdict, check: str, reason: str) -> Fault:
    """Return whose fault a verdict on a package is, by its first check with that verdict."""
    if verdict is Verdict.OPEN:
        return Fault.TIME if check == PATIENCE else Fault.UNKNOWN
    if verdict is Verdict.SKIPPED:
        return Fault.LIBRARY if _LIBRARY.search(reason) else Fault.MACHINE
    missing = check in (COMPILES, LINKS) and _LAYOUT.search(reason)
    return Fault.LAYOUT if check == LOADS or missing else Fault.CODE


LONGEST_REASON = 100
_VARIABLE = re.compile(r"\b(?:0x[0-9a-f]+|[0-9a-f]{16,}|\d+)\b")


class Reason(Struct, frozen=True):
    """Why packages fail or are skipped: the check that said so, and its words without numbers.

    The package's own folder is `it`.
    """

    verdict: Verdict
    check: str
    text: str

    @property
    def fault(self) -> Fault:
        """Whose fault it is."""
        return fault_of(self.verdict, self.check, self.text)


class PackageOutcome(Struct, frozen=True):
    """What came of one package; `check`, `reason` and `fault` are empty if it passed.

    `compared` are the verdicts of the checks that compared its outputs with others. `seconds` is
    how long it took to build and check it by the clock, beside others.
    """

    package: str
    verdict: Verdict
    check: str = ""
    reason: str = ""
    fault: Fault | None = None
    compared: tuple[CheckResult, ...] = ()
    seconds: float = 0.0


class Summary(Struct):
    """What came of a sweep: verdicts by operation, and reasons with the packages they hit."""

    verdicts: dict[str, Counter[Verdict]] = field(default_factory=dict)
    reasons: dict[Reason, list[str]] = field(default_factory=dict)
    outcomes: list[PackageOutcome] = field(default_factory=list)
    unexamined: list[str] = field(default_factory=list)  # packages with goals nobody asked about
    unfinished: list[str] = field(default_factory=list)  # slow ones, whose tests ended early
    loaded: int = 0

    def add(
        self,
        package: Package | BrokenPackage,
        checks: Sequence[CheckResult],
        seconds: float = 0.0,
    ) -> None:
        """Count one package under its first reason."""
        verdict = overall(one.verdict for one in checks)
        goals = package.goals if isinstance(package, Package) else frozenset()
        self.loaded += isinstance(package, Package)
        self.unexamined += [package.selector] if unexamined(goals, checks) else []
        self.unfinished += [package.selector] if unfinished(checks) else []
        kind = package.place.split("/")[0]
        self.verdicts.setdefault(kind, Counter())[verdict] += 1
        why: tuple[str, str, Fault | None] = ("", "", None)
        if verdict is not Verdict.PASS:
            those = (one for one in checks if one.verdict is verdict)
            first = min(those, key=lambda one: one.check != PATIENCE)
            line = first.reason.splitlines()[0] if first.reason else ""
            text = _VARIABLE.sub("N", line.replace(str(package.root), "it"))
            reason = Reason(verdict, first.check, text[:LONGEST_REASON])
            self.reasons.setdefault(reason, []).append(package.selector)
            why = first.check, line, reason.fault
        self.outcomes.append(
            PackageOutcome(package.selector, verdict, *why, comparisons(checks), seconds)
        )

    @property
    def packages(self) -> int:
        """How many packages there are; each counts once, whatever came of it."""
        return sum(sum(counts.values()) for counts in self.verdicts.values())

    @property
    def compared(self) -> dict[str, Counter[Verdict]]:
        """How many packages are right and wrong by each check that compares their outputs.

        A package counts once for a check, and is wrong if it was wrong once.
        """
        counts: dict[str, Counter[Verdict]] = {}
        for outcome in self.outcomes:
            for check in {one.check for one in outcome.compared}:
                verdict = overall(one.verdict for one in outcome.compared if one.check == check)
                counts.setdefault(check, Counter())[verdict] += 1
        return dict(sorted(counts.items()))

    @property
    def faults(self) -> dict[Fault, int]:
        """How many packages did not pass by whose fault, the most last."""
        counts = Counter[Fault]()
        for reason, hit in self.reasons.items():
            counts[reason.fault] += len(hit)
        return dict(sorted(counts.items(), key=lambda one: (one[1], one[0])))

    @property
    def slowest(self) -> list[PackageOutcome]:
        """What took longest, the longest first, as far as it is known what packages took."""
        timed = (one for one in self.outcomes if one.seconds)
        return sorted(timed, key=lambda one: -one.seconds)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: one package that fails is a failure."""
        return overall(one for counts in self.verdicts.values() for one in counts)

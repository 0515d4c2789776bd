# SPDX-License-Identifier: MIT
"""Which failures explain others: causes come first, and what follows from them says so.

One defect fails many checks. A package that calls `system` dies of SIGSYS in each of them, and
the reason is what `object/calls` says. A rule names a check, and the sort of evidence by which
other failures follow from it; the first rule that applies decides.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.model.compared import COMPARISONS, GIVEN, SHIPPED, SIBLINGS
from assay.model.work import CheckResult, Verdict

CALLS = "object/calls"
WARNINGS = "build/warnings"
"""The finding of what a compiler warned of: a declaration that is missing explains a crash."""

CONSTANTS = "build/constants"
"""The finding of sizes that a header does not define, and that count as 0."""

DENIED = re.compile(r"\bSIGSYS\b")
EXITED = re.compile(r"\bit exited with code\b|\bSIGABRT\b")
ENDED = re.compile(r"\bit exited with code\b|\bno answer in time\b|\bthe agent (?:ended|died)\b")
CRASHED = re.compile(r"\bSIG(?:SEGV|BUS|ILL|FPE|ABRT|TRAP)\b")
DIFFERS = re.compile(r"\banother\b|\bdiffer|\bis not the checksum")
SIGNAL = re.compile(r"\bSIG[A-Z]+\b")
OVERRUN = re.compile(r"\b(?:behind|before) the buffer \w+")
CUT = re.compile(r"\bimplicit declaration\b|\ba pointer does not fit\b")
UNDEFINED = re.compile(r"\bthe header defines no\b")
GENERATORS = r"\b(?:rand|random|[delmnj]rand48)\b"
ORDINARY = (
    *("agent/answers", "supercop/returns", "vectors/verified", "vectors/consistent"),
    "digest/verified",
)
"""Checks whose calls have nothing special: what dies there dies everywhere."""


class Rule(Struct, frozen=True):
    """A check, what its reason must match, and what follows from it: checks and evidence.

    What `alike` finds, such as the signal, must be the same in both.
    """

    cause: tuple[str, ...]
    shows: re.Pattern[str]
    effects: tuple[str, ...] = ("",)
    evidence: tuple[re.Pattern[str], ...] = ()
    alike: re.Pattern[str] | None = None

    def is_cause(self, one: CheckResult) -> bool:
        """Return whether a verdict can explain others."""
        named = one.check.startswith(self.cause)
        blamed = one.verdict is Verdict.FAIL or (
            one.verdict is Verdict.FINDING and one.check in (WARNINGS, CALLS, CONSTANTS)
        )
        return named and blamed and self.shows.search(one.reason) is not None

    def explains(self, cause: CheckResult, other: CheckResult) -> bool:
        """Return whether a failure follows from its cause."""
        if other.check == cause.check or not other.check.startswith(self.effects):
            return False
        text = other.reason
        if self.alike is not None:
            return found_in(cause.reason, self.alike) == found_in(text, self.alike) != ""
        return any(pattern.search(text) for pattern in self.evidence)


ANYTHING = re.compile("")
BEYOND = re.compile(r"^(?!it can end the program|it uses errno)")
OUTPUTS = (
    *(*COMPARISONS, GIVEN, SHIPPED, SIBLINGS, "schemes/", "answers/", "state/"),
    *("calls/at-once", "calls/threads", "calls/surroundings", "calls/sparse", "lengths/"),
    "calls/deterministic",
    *("buffers/distance", "buffers/alignment", "buffers/in-place", "calls/related"),
)
RULES = (
    Rule((CALLS,), BEYOND, evidence=(DENIED, ENDED)),
    Rule((CALLS,), re.compile("it can end the program"), evidence=(EXITED,)),
    Rule((CALLS,), re.compile(r"\b(?:raise|\w*kill\w*|sigqueue)\b"), evidence=(SIGNAL,)),
    Rule((CALLS,), re.compile(rf"surroundings|{GENERATORS}"), OUTPUTS, (DIFFERS,)),
    Rule((CONSTANTS,), UNDEFINED, evidence=(ANYTHING,)),
    Rule((WARNINGS,), CUT, evidence=(CRASHED,)),
    Rule(("object/names",), ANYTHING, (*COMPARISONS, "calls/randomness"), (ANYTHING,)),
    Rule(ORDINARY, SIGNAL, alike=SIGNAL),
    Rule(("buffers/guard",), OVERRUN, alike=OVERRUN),
    Rule(ORDINARY, ENDED, evidence=(ENDED,)),
    Rule(("calls/deterministic", "memory/initialised"), ANYTHING, OUTPUTS, (DIFFERS,)),
)
EFFECTS = (Verdict.FAIL, Verdict.FINDING)


def found_in(text: str, pattern: re.Pattern[str]) -> str:
    """Return the first match of a pattern, such as a signal's name; empty if there is none."""
    found = pattern.search(text)
    return found[0] if found else ""


def explained(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Return verdicts of one cell with each cause before what follows from it.

    Nothing else changes its place.
    """
    given = [replace(one, follows="") for one in checks]
    for rule in RULES:
        for cause in (one for one in list(given) if not one.follows and rule.is_cause(one)):
            given = [_follow(rule, cause, one) for one in given]
    return tuple(in_order(given))


def _follow(rule: Rule, cause: CheckResult, one: CheckResult) -> CheckResult:
    if one.follows or one.verdict not in EFFECTS or not rule.explains(cause, one):
        return one
    return replace(one, follows=cause.check)


def in_order(given: Sequence[CheckResult]) -> list[CheckResult]:
    """Move each cause in front of the first that follows from it."""
    ordered = list(given)
    for name in dict.fromkeys(one.follows for one in given if one.follows):
        first = next(at for at, one in enumerate(ordered) if one.follows == name)
        late = [one for one in ordered[first:] if one.check == name and not one.follows]
        for one in late:
            ordered.remove(one)
        ordered[first:first] = late
    return ordered


def causes(checks: Iterable[CheckResult]) -> list[CheckResult]:
    """Return what explains failures: those that follow from no other, and findings they follow."""
    given = list(checks)
    named = {one.follows for one in given}
    return [
        one
        for one in given
        if not one.follows and (one.verdict is Verdict.FAIL or one.check in named)
    ]


def consequences(checks: Iterable[CheckResult]) -> list[tuple[str, tuple[str, ...]]]:
    """Return for each cause the names of the checks that follow from it."""
    found: dict[str, list[str]] = {}
    for one in checks:
        if one.follows:
            found.setdefault(one.follows, []).append(one.check)
    return [(cause, tuple(names)) for cause, names in found.items()]

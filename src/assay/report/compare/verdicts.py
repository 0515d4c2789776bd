# SPDX-License-Identifier: MIT
"""The verdicts on two sides, check by check: new failures, fixed ones, and what stayed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.model import CheckResult, Verdict, overall
from assay.report.table import Note, Style

MADE = ("package/", "build/")  # checks of whether there is anything to ask
GRAVEST = (Verdict.FAIL, Verdict.OPEN, Verdict.FINDING, Verdict.PASS, Verdict.SKIPPED)


class ComparedVerdicts(Struct, frozen=True):
    """The gravest result of each check on either side."""

    first: Mapping[str, CheckResult]
    second: Mapping[str, CheckResult]

    @property
    def new(self) -> tuple[CheckResult, ...]:
        """Return what fails on the second side alone."""
        return _failing(self.second, self.first)

    @property
    def fixed(self) -> tuple[CheckResult, ...]:
        """Return what fails on the first side alone."""
        return _failing(self.first, self.second)

    @property
    def still(self) -> tuple[CheckResult, ...]:
        """Return what fails on both sides."""
        old = _those(self.first, Verdict.FAIL)
        return tuple(one for one in _those(self.second, Verdict.FAIL).values() if one.check in old)

    @property
    def unexamined(self) -> bool:
        """Return whether nothing could be asked of the second side, which is not made."""
        return any(one.check.startswith(MADE) for one in self.still)

    @property
    def opened(self) -> tuple[CheckResult, ...]:
        """Return what was answered on the first side, and is open on the second."""
        known = {Verdict.PASS, Verdict.FAIL, Verdict.FINDING}
        given = _those(self.second, Verdict.OPEN).values()
        before = {name for name, one in self.first.items() if one.verdict in known}
        return tuple(one for one in given if one.check in before)


def _those(side: Mapping[str, CheckResult], verdict: Verdict) -> dict[str, CheckResult]:
    return {name: one for name, one in side.items() if one.verdict is verdict}


def _failing(
    here: Mapping[str, CheckResult], there: Mapping[str, CheckResult]
) -> tuple[CheckResult, ...]:
    """Return the failures of one side that the other has not.

    What only follows from another of them says nothing more.
    """
    other = _those(there, Verdict.FAIL)
    new = {name: one for name, one in _those(here, Verdict.FAIL).items() if name not in other}
    return tuple(one for one in new.values() if one.follows not in new)


def compare_verdicts(
    first: Iterable[CheckResult], second: Iterable[CheckResult]
) -> ComparedVerdicts:
    """Compare the results of all variants and configurations, each check by its gravest."""
    return ComparedVerdicts(_gravest(first), _gravest(second))


def _gravest(checks: Iterable[CheckResult]) -> dict[str, CheckResult]:
    found: dict[str, CheckResult] = {}
    for one in checks:
        known = found.get(one.check)
        if known is None or GRAVEST.index(one.verdict) < GRAVEST.index(known.verdict):
            found[one.check] = one
    return found


def verdict_notes(compared: ComparedVerdicts) -> tuple[Note, ...]:
    """Describe what changed, in lines; the gravest first."""
    lines = [Note(_line("new failure", one), Style.FAIL) for one in compared.new]
    lines += [Note(_line("open now", one), Style.OPEN) for one in compared.opened]
    lines += [Note(f"fixed: {one.check}", Style.PASS) for one in compared.fixed]
    lines += [Note(_line("fails as before", one), Style.FAIL) for one in compared.still]
    verdicts = [_overall(side) for side in (compared.first, compared.second)]
    both = verdicts[0] if verdicts[0] == verdicts[1] else " : ".join(verdicts)
    count = len(compared.second)
    changed = "" if lines else ", none of them changed"
    return (Note(f"Verdicts: {both} ({count} checks{changed})."), *lines)


def _line(what: str, one: CheckResult) -> str:
    return f"{what}: {one.check}: {one.reason}" if one.reason else f"{what}: {one.check}"


def _overall(side: Mapping[str, CheckResult]) -> str:
    return overall(one.verdict for one in side.values()).value


def verdict_facts(compared: ComparedVerdicts) -> dict[str, Any]:
    """Return what JSON has of it."""
    return {
        "verdicts": [_overall(compared.first), _overall(compared.second)],
        **{
            name: _records(listed)
            for name, listed in (
                ("new_failures", compared.new),
                ("fixed", compared.fixed),
                ("still_failing", compared.still),
                ("now_open", compared.opened),
            )
        },
    }


def _records(listed: Sequence[CheckResult]) -> list[dict[str, str]]:
    return [{"check": one.check, "reason": one.reason, "cure": one.cure} for one in listed]

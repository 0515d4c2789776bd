# SPDX-License-Identifier: MIT
"""A cell's verdicts in a few words; skipped is never shown as passed."""

from dataclasses import dataclass

from assay.model import CellResult, Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """How a cell stands: `state` is pass, partial, open, fail, unchecked or broken.

    `partial` means that nothing failed and something was skipped, `open` that something that
    decides a pass was not examined.
    """

    state: str
    text: str
    reasons: tuple[str, ...] = ()


def standing(result: CellResult) -> Standing:
    """Say how a cell stands."""
    if not result.build.ok:
        return Standing("broken", "does not build", (result.build.reason or "no reason given",))
    counts = {verdict: _count(result, verdict) for verdict in Verdict}
    if counts[Verdict.FAIL]:
        failed = [check for check in result.checks if check.verdict is Verdict.FAIL]
        reasons = tuple(f"{check.check}: {check.reason}" for check in failed)
        return Standing("fail", f"{len(failed)} failed", reasons)
    if counts[Verdict.OPEN]:
        left = [check for check in result.checks if check.verdict is Verdict.OPEN]
        reasons = tuple(f"{check.check}: {check.reason}" for check in left)
        return Standing("open", f"{len(left)} open", reasons)
    if not counts[Verdict.PASS]:
        return Standing("unchecked", "not checked")
    passed = f"{counts[Verdict.PASS]} passed"
    if result.disturbed:
        passed = f"measured under disturbance; {passed}"
    notes = [str(note) for note in (result.dropped, result.unreached) if note is not None]
    passed = "; ".join([*notes, passed])
    if counts[Verdict.SKIPPED]:
        return Standing("partial", f"{passed}, {counts[Verdict.SKIPPED]} skipped")
    return Standing("pass", passed)


def _count(result: CellResult, verdict: Verdict) -> int:
    """Count the checks with this verdict."""
    return sum(check.verdict is verdict for check in result.checks)

# SPDX-License-Identifier: MIT
"""A cell's verdict in a few words, apart from what is to be said of its figures."""

from msgspec import Struct

from assay.model import Verdict, overall
from assay.model.compared import (
    COMPARED,
    GLANCE,
    UNCOMPARED,
    UNENDED,
    ended_early,
    glanced,
    uncompared,
)
from assay.model.measuring import IV_SETUP, KEY_SETUP
from assay.model.work import UNEXAMINED, unexamined
from assay.summary.series import CellResult

ESTIMATED = "core cycles estimated"
DEFERRED = {
    KEY_SETUP: "key setup left to the IV setup or the first block",
    IV_SETUP: "IV setup left to the first block",
}


class Standing(Struct, frozen=True):
    """How a cell stands: `state` is pass, open, fail, unchecked or broken.

    `open` means that nothing failed, but something that decides a pass was not examined.
    `text` counts the checks, the skipped ones too. `remarks` are about the figures alone:
    measured under disturbance, dropped out of a race. They never change the state.
    """

    state: str
    text: str
    reasons: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def standing(result: CellResult) -> Standing:
    """Return how a cell stands."""
    if not result.build.ok:
        return Standing("broken", "does not build", (result.build.reason or "no reason given",))
    verdict = overall(check.verdict for check in result.checks)
    if verdict is Verdict.SKIPPED:
        return Standing("unchecked", "not checked")
    if verdict is Verdict.FAIL:
        return Standing("fail", f"{_count(result, verdict)} failed", _reasons(result, verdict))
    remarks = remarks_on(result)
    if verdict is Verdict.OPEN:
        text = COMPARED if glanced(result.checks) else f"{_count(result, verdict)} open"
        text = UNCOMPARED if uncompared(result.checks) else text
        text = UNENDED if ended_early(result.checks) else text
        return Standing("open", text, _reasons(result, verdict), remarks)
    text = f"{_count(result, Verdict.PASS)} passed"
    skipped = _count(result, Verdict.SKIPPED)
    return Standing("pass", f"{text}, {skipped} skipped" if skipped else text, (), remarks)


def remarks_on(result: CellResult) -> tuple[str, ...]:
    """Return what a reader has to know of a cell's figures."""
    notes = (result.dropped, result.unreached, result.unused, result.slower)
    disturbed = ("measured under disturbance",) if result.disturbed else ()
    estimated = (ESTIMATED,) if result.estimated else ()
    deferred = {DEFERRED[one.measure]: None for one in result.figures if one.deferred}
    goals = (UNEXAMINED,) if unexamined(result.package.goals, result.checks) else ()
    known = (str(note) for note in notes if note is not None)
    return (*known, *disturbed, *estimated, *deferred, *goals)


def _reasons(result: CellResult, verdict: Verdict) -> tuple[str, ...]:
    """Return the checks with this verdict and their reasons."""
    asked = (one for one in result.checks if one.check != GLANCE)  # every row of a race has it
    return tuple(f"{one.check}: {one.reason}" for one in asked if one.verdict is verdict)


def _count(result: CellResult, verdict: Verdict) -> int:
    """Count the checks with this verdict."""
    return sum(check.verdict is verdict for check in result.checks)

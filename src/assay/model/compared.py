# SPDX-License-Identifier: MIT
"""Whether outputs were compared with anything that the package did not make itself."""

from collections.abc import Iterable

from msgspec.structs import replace

from assay.model.work import CheckResult, Verdict

ANSWERED = "answers/verified"
GIVEN, SHIPPED = "against/given", "against/shipped"
SIBLINGS = "against/siblings"  # is no independent origin
CONFIGURATIONS, TARGETS = "against/configurations", "against/targets"  # nor are these
COMPARISONS = ("vectors/verified", "digest/verified", "checksum/", ANSWERED, GIVEN)
"""How the names of the checks begin that compare outputs with known answers."""
LIBRARY = "schemes/library"
INDEPENDENT = (*COMPARISONS, LIBRARY)
"""How the names of all begin that compare outputs with an independent origin."""

UNCOMPARED = "correctness not compared"
GONE = "Leave the folder as it is until the command has ended, and start that again."
"""What helps where files were moved that had been there when a command began."""

UNFINISHED = "not compared to the end"
UNENDED = "not examined to the end"
COMPARED = "only compared with known answers"
GLANCE = "agent/glance"  # open as long as nothing but the outputs was looked at

PATIENCE = "agent/patience"  # open where the package used up the time for its answers


def settled(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Return the checks of one examination; one comparison that passed answers the open ones.

    A comparison without anything to compare with is open. That the checksum over long inputs
    is unknown leaves no question where that over short ones is right, or a file of known
    answers. A file that the user named stays open if nothing of it could be compared.
    """
    given = tuple(checks)
    right = next(filter(_agrees, given), None)
    if right is None:
        return given
    return tuple(_in_its_light(one, right.check) for one in given)


def _in_its_light(one: CheckResult, right: str) -> CheckResult:
    """Return what a verdict is where a comparison has passed: a sibling has none to pass."""
    if one.check == SIBLINGS and one.verdict is Verdict.FAIL:
        reason = f"{one.reason}; known answers were right here, and are unknown of the other"
        return replace(one, verdict=Verdict.FINDING, reason=reason)
    if not _lacks(one):
        return one
    reason = f"{one.reason.removeprefix(f'{UNCOMPARED}: ')}; {right} has compared outputs"
    return replace(one, verdict=Verdict.SKIPPED, reason=reason, cure="")


def compared(checks: Iterable[CheckResult]) -> bool:
    """Return whether a comparison with an independent origin passed, whatever its form.

    Checksums, vectors, known answers beside a package and what Python's libraries compute
    count alike, in every command.
    """
    return any(map(_agrees, checks))


def uncompared(checks: Iterable[CheckResult]) -> bool:
    """Return whether nothing failed, and nothing was there to compare the outputs with."""
    given = tuple(checks)
    if compared(given) or any(one.verdict is Verdict.FAIL for one in given):
        return False
    return any(map(_lacks, given))


def glanced(checks: Iterable[CheckResult]) -> bool:
    """Return whether nothing failed, and nothing but the outputs was looked at."""
    given = tuple(checks)
    if any(one.verdict is Verdict.FAIL for one in given):
        return False
    return any(one.check == GLANCE for one in given)


def ended_early(checks: Iterable[CheckResult]) -> bool:
    """Return whether the package used up the time for its answers; failures stand all the same."""
    return any(one.check == PATIENCE and one.verdict is not Verdict.PASS for one in checks)


def fails(checks: Iterable[CheckResult]) -> bool:
    """Return whether a reader must not trust figures: something failed, or time was used up."""
    given = tuple(checks)
    return any(one.verdict is Verdict.FAIL for one in given) or ended_early(given)


def unfinished(checks: Iterable[CheckResult]) -> bool:
    """Return whether SUPERCOP's tests were ended early, as the code is slow."""
    return any(UNFINISHED in one.reason for one in checks if one.check.startswith("checksum/"))


def comparisons(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Return the checks that compared outputs with others, and say whether they are right."""
    return tuple(
        one
        for one in checks
        if one.check.startswith((*COMPARISONS, SHIPPED, SIBLINGS))
        and one.verdict in (Verdict.PASS, Verdict.FAIL)
    )


def _agrees(one: CheckResult) -> bool:
    """Return whether a comparison with an independent origin passed."""
    return one.verdict is Verdict.PASS and one.check.startswith(INDEPENDENT)


def _lacks(one: CheckResult) -> bool:
    """Return whether a comparison had nothing to compare with."""
    return (
        one.verdict is Verdict.OPEN
        and one.check.startswith(COMPARISONS)
        and one.check not in (ANSWERED, GIVEN)
    )

# SPDX-License-Identifier: MIT
"""The checks that run under valgrind, the same for every kind.

A kind brings what is used there, and which bytes are secret. A package promises by the files
`goal-constbranch` and `goal-constindex`, as in SUPERCOP, that its time depends on public
data only; one without them is not asked: many a cipher looks things up in tables by design.
"""

from platform import machine
from typing import Any, TypeVar

from assay.check.check import Check, CheckFailed, CheckOpen, CheckSkipped
from assay.check.memory.passes import Complaints, Examine, ask
from assay.check.trial import BaseTrial
from assay.execute.valgrind import MOST_PLACES, Complaint

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
DIVIDES_VISIBLY = ("x86_64",)
DIVISIONS = "divisions are made visible on x86-64 only"


NO_GOAL = (
    "no goal is declared; to have it examined, create the empty files goal-constbranch and "
    "goal-constindex in the package"
)


def checks(examine: Examine[TrialT]) -> tuple[Check[TrialT], ...]:
    """Return the checks of a kind; `examine` says what valgrind complains of."""
    return _timing(examine), _division(examine), _initialised(examine)


def _timing(examine: Examine[TrialT]) -> Check[TrialT]:
    def run(trial: TrialT) -> None:
        """Fail where a branch or an address depends on what is secret."""
        said = _promised(trial)
        examined = ask(trial, examine)
        found = [one for one in examined.complaints if one.secret]
        if found:
            raise CheckFailed(
                f"{found[0].what.lower()}, and it is secret, in {_places(found)}; "
                f"declared is {said}",
                _evidence(found),
            )
        _decided(examined, said)

    return Check(
        name="secrets/timing",
        asks="Do branches and addresses depend only on public data, as the goal files declare?",
        why=(
            "Otherwise timing reveals secrets: caches and branch predictors show which path "
            "was taken."
        ),
        cure=(
            "Replace the branch by masks and the table by computation; declassify public "
            "data with crypto_declassify (SUPERCOP API); or remove the goal files."
        ),
        run=run,
    )


def _division(examine: Examine[TrialT]) -> Check[TrialT]:
    def run(trial: TrialT) -> None:
        """Fail where a division has a secret operand."""
        said = _promised(trial)
        plain = ask(trial, examine)
        if machine() not in DIVIDES_VISIBLY:
            plain = Complaints((), DIVISIONS, "Check it on an x86-64 machine.")
        _decided(plain, said)
        examined = ask(trial, examine, divisions=True)
        known = {one.where for one in plain.complaints}
        found = [one for one in examined.complaints if one.secret and one.where not in known]
        if found:
            raise CheckFailed(
                f"a division has a secret operand in {_places(found)}; declared is {said}",
                _evidence(found),
            )
        _decided(examined, said)

    return Check(
        name="secrets/division",
        asks="Is no secret an operand of a division, as the goal files declare?",
        why="On many processors the time of a division depends on its operands (KyberSlash).",
        cure="Multiply by the inverse and shift; or remove the goal files.",
        run=run,
    )


def _initialised(examine: Examine[TrialT]) -> Check[TrialT]:
    def run(trial: TrialT) -> None:
        """Fail where code depends on memory that nobody wrote."""
        examined = ask(trial, examine)
        found = [one for one in examined.complaints if not one.secret]
        if found:
            raise CheckFailed(f"{found[0].what.lower()} in {_places(found)}", _evidence(found))
        if examined.problem:
            raise CheckSkipped(f"{examined.problem} ({examined.cure})")

    return Check(
        name="memory/initialised",
        asks="Are results independent of uninitialised memory?",
        why="Such code works until a compiler or a caller leaves other values there.",
        cure="Initialise the variable that valgrind's report names.",
        run=run,
    )


def _promised(trial: BaseTrial[Any, Any]) -> str:
    """Name the goals that the package declares; CheckSkipped if there are none."""
    if not trial.package.goals:
        raise CheckSkipped(NO_GOAL)
    return " and ".join(sorted(trial.package.goals))


def _decided(examined: Complaints, said: str) -> None:
    """Raise CheckOpen where a declared goal was not examined to the end."""
    if examined.problem:
        raise CheckOpen(f"declared {said} not examined: {examined.problem}", cure=examined.cure)


def _places(found: list[Complaint]) -> str:
    """Name the first place, and count the others."""
    first = found[0].where[0] if found[0].where else "the package"
    more = len(found) - 1
    return f"{first} and {more} more place{'s' * (more > 1)}" if more else first


def _evidence(found: list[Complaint]) -> str:
    """List all places; say where the list was cut off."""
    lines = [f"{one.what}\n    " + "\n    ".join(one.where) for one in found]
    cut = [f"the list ends after {MOST_PLACES} places"] if len(found) >= MOST_PLACES else []
    return "\n".join([*lines, *cut])

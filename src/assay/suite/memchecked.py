# SPDX-License-Identifier: MIT
"""The checks that run under valgrind, the same for every kind.

A kind brings what is used there, and which bytes are secret. A package promises by the files
`goal-constbranch` and `goal-constindex`, as in SUPERCOP, that its time depends on public
data only; one without them is not asked: many a cipher looks things up in tables by design.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from platform import machine
from typing import Any, TypeVar

from assay.execute.agent import Agent, AgentError, AgentFault
from assay.execute.memcheck import Complaint
from assay.suite.bench import Memchecked
from assay.suite.check import Check, CheckFailed, CheckSkipped
from assay.suite.trial import BaseTrial

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
Examine = Callable[[TrialT, Memchecked, bool], tuple[Complaint, ...]]
Use = Callable[[TrialT, Agent, bool], Iterable[Complaint]]
GOALS = frozenset({"constbranch", "constindex"})
FILES = "goal-"
DIVIDES_VISIBLY = ("x86_64",)
SHOWN = 4


def goals(trial: BaseTrial[Any, Any]) -> frozenset[str]:
    """Give the goals that a package declares."""
    names = {name.removeprefix(FILES) for name in trial.package.files if name.startswith(FILES)}
    return GOALS & names


def checks(
    examine: Examine[TrialT], declared: Callable[[TrialT], frozenset[str]] = goals
) -> tuple[Check[TrialT], ...]:
    """Give the checks of a kind; `examine` says what valgrind complains of."""

    def promised(trial: TrialT) -> str:
        found = sorted(declared(trial))
        if not found:
            raise CheckSkipped("no goal is declared: constbranch, constindex")
        return " and ".join(found)

    def run_timing(trial: TrialT) -> None:
        """Fail where a branch or an address depends on what is secret."""
        said = promised(trial)
        found = [one for one in complaints(trial, examine) if one.secret]
        if found:
            raise CheckFailed(
                f"{found[0].what.lower()}, and it is secret, in {_where(found[0])}; "
                f"declared is {said}",
                _evidence(found),
            )

    def run_division(trial: TrialT) -> None:
        """Fail where a division has a secret operand."""
        said = promised(trial)
        if machine() not in DIVIDES_VISIBLY:
            raise CheckSkipped("divisions are made visible on x86-64 only")
        known = {one.where for one in complaints(trial, examine)}
        found = [
            one
            for one in complaints(trial, examine, divisions=True)
            if one.secret and one.where not in known
        ]
        if found:
            raise CheckFailed(
                f"a division has a secret operand in {_where(found[0])}; declared is {said}",
                _evidence(found),
            )

    def run_initialised(trial: TrialT) -> None:
        """Fail where code depends on memory that nobody wrote."""
        found = [one for one in complaints(trial, examine) if not one.secret]
        if found:
            raise CheckFailed(f"{found[0].what.lower()} in {_where(found[0])}", _evidence(found))

    return (
        Check(
            "secrets/timing",
            "Do branches and addresses depend on public data only, as the goal files declare?",
            "Time then tells secrets: a cache or a branch predictor shows which way was taken.",
            "Replace the branch by masks and the table by computation; declassify what is public "
            "with crypto_declassify (API of SUPERCOP); or remove the goal files.",
            run_timing,
        ),
        Check(
            "secrets/division",
            "Is nothing secret divided, or divided by, as the goal files declare?",
            "A division takes longer for some numbers than for others on many processors "
            "(KyberSlash).",
            "Multiply by the inverse and shift; or remove the goal files.",
            run_division,
        ),
        Check(
            "memory/initialised",
            "Does nothing depend on memory that nobody has written?",
            "It works until a compiler or a caller leaves something else there.",
            "Initialise what the account names.",
            run_initialised,
        ),
    )


def complaints(
    trial: TrialT, examine: Examine[TrialT], *, divisions: bool = False
) -> tuple[Complaint, ...]:
    """Give what valgrind says of a few calls; it is run once per trial and sort of build."""
    if not trial.deep:
        raise CheckSkipped("it takes a while: `--deep` asks it")
    key = f"memcheck {divisions}"
    if key not in trial.notes:
        trial.notes[key] = _examined(trial, examine, divisions)
    found = trial.notes[key]
    if isinstance(found, CheckSkipped):
        raise found
    return tuple(found)


def _examined(
    trial: TrialT, examine: Examine[TrialT], divisions: bool
) -> tuple[Complaint, ...] | CheckSkipped:
    checked = trial.bench.memchecked if trial.bench else None
    if checked is None:
        return CheckSkipped("there is no valgrind for this target")
    try:
        return examine(trial, checked, divisions)
    except AgentFault as fault:
        if fault.signal == "SIGILL":
            return CheckSkipped("it uses instructions that valgrind does not know")
        return CheckSkipped(f"under valgrind: {fault}")
    except AgentError as error:
        return CheckSkipped(f"under valgrind: {error}")


def in_two_passes(use: Use[TrialT]) -> Examine[TrialT]:
    """Make of a use of an agent what valgrind says of it, for a kind without marks of its own.

    At first only what nobody has written is undefined, and everything that depends on it is
    a complaint; then, if a goal is declared, what is secret.
    """

    def examine(trial: TrialT, checked: Memchecked, divisions: bool) -> tuple[Complaint, ...]:
        found: list[Complaint] = []
        if not divisions:
            with checked(False) as (agent, report):
                found += use(trial, agent, False)
                found += [replace(one, secret=False) for one in report.read()]
        if goals(trial):
            with checked(divisions) as (agent, report):
                use(trial, agent, True)
                found += [one for one in report.read() if one.secret]
        return tuple(found)

    return examine


def _where(one: Complaint) -> str:
    return one.where[0] if one.where else "the package"


def _evidence(found: list[Complaint]) -> str:
    lines = [f"{one.what}\n    " + "\n    ".join(one.where) for one in found[:SHOWN]]
    more = len(found) - SHOWN
    return "\n".join([*lines, *([f"and {more} more places"] if more > 0 else [])])

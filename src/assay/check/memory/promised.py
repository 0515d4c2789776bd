# SPDX-License-Identifier: MIT
"""What is said of secrets: the goals that a package declares, and the places that break them.

A branch need not be in the source: another compiler, or another level, may make one.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, TypeVar

from assay.check.check import Check, CheckFailed, CheckOpen, CheckSkipped
from assay.check.memory.passes import Complaints, Examine, ask, examined_by
from assay.check.trial import BaseTrial
from assay.compile.recipe import Recipe
from assay.execute.valgrind import MOST_PLACES, Complaint
from assay.model.secrets import SHOWN

NO_GOAL = (
    "no goal is declared; to have it examined, create the empty files goal-constbranch and "
    "goal-constindex in the package"
)

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
SECONDS = 120.0  # for all of them, by the clock: valgrind takes fifty times as long as the code


def promised(trial: BaseTrial[Any, Any]) -> str:
    """Name the goals that the package declares."""
    return " and ".join(sorted(trial.package.goals))


def declared(trial: BaseTrial[Any, Any]) -> str:
    """Return what a reason ends with where goals are declared."""
    return f"; declared is {promised(trial)}" if trial.package.goals else ""


def decided(trial: BaseTrial[Any, Any], examined: Complaints) -> None:
    """Raise CheckOpen where a declared goal was not examined to the end; CheckSkipped for none."""
    if examined.problem and trial.package.goals:
        said = f"declared {promised(trial)} not examined: {examined.problem}"
        raise CheckOpen(said, cure=examined.cure)
    if examined.problem:
        raise CheckSkipped(f"{examined.problem} ({examined.cure})")


def places(found: list[Complaint]) -> str:
    """Name the first place, and count the others."""
    first = found[0].where[0] if found[0].where else "the package"
    more = len(found) - 1
    return f"{first} and {more} more place{'s' * (more > 1)}" if more else first


def evidence(found: list[Complaint]) -> str:
    """List all places; say where the list was cut off."""
    lines = ["\n".join(_lines(one)) for one in found]
    cut = [f"the list ends after {MOST_PLACES} places"] if len(found) >= MOST_PLACES else []
    return "\n".join([*lines, *cut])


def _lines(one: Complaint) -> Iterator[str]:
    yield one.what
    yield from (f"    {place}" for place in one.where)
    if one.instruction:
        yield f"{SHOWN}{one.instruction}"


def compilers_check(examine: Examine[TrialT]) -> Check[TrialT]:
    """Return the check of a kind; `examine` says what valgrind complains of."""
    return Check(
        name="secrets/compilers",
        asks="Is that so in the code of every compiler that is here, at every level?",
        why=(
            "A compiler can turn a mask into a branch, at one level only, and another compiler "
            "another mask."
        ),
        cure=(
            "Hide from the compiler that the mask has two values only (an empty asm statement, "
            "crypto_int64.h of SUPERCOP), and look at the code again."
        ),
        run=partial(_run, examine=examine),
    )


def _run(trial: TrialT, examine: Examine[TrialT]) -> str:
    """Fail where the code of another compiler or level depends on a secret."""
    if not trial.package.goals:
        raise CheckSkipped(NO_GOAL)
    mine = ask(trial, examine)
    if any(one.secret for one in mine.complaints):
        raise CheckSkipped("this code does not keep what it declares (secrets/timing)")
    others = trial.bench.other_recipes() if trial.bench else ()
    left = {one.configuration.name: "" for one in others}
    for recipe, examined in _in_time(trial, others, examine):
        found = [one for one in examined.complaints if one.secret]
        if found:
            raise CheckFailed(
                f"{found[0].what.lower()}, and it is secret, in {places(found)}, compiled by "
                f"{recipe.configuration.name}; declared is {promised(trial)}",
                evidence(found),
            )
        left[recipe.configuration.name] = examined.problem
        if not examined.problem:
            del left[recipe.configuration.name]
    if not left:
        return ""
    said = (f"{name} ({why})" if why else name for name, why in left.items())
    return f"not examined: {', '.join(said)}"


def _in_time(
    trial: TrialT, others: tuple[Recipe, ...], examine: Examine[TrialT]
) -> Iterator[tuple[Recipe, Complaints]]:
    """Examine one after the other, as long as there is time."""
    began = time.monotonic()
    for recipe in others:
        if time.monotonic() - began > SECONDS:
            return
        yield recipe, examined_by(trial, examine, recipe)

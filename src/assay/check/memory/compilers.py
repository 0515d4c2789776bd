# SPDX-License-Identifier: MIT
"""Secrets in the code of other compilers and levels: a branch need not be in the source."""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, TypeVar

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.memory.passes import Complaints, Examine, ask, examined_by
from assay.check.memory.promised import NO_GOAL, evidence, places, promised
from assay.check.trial import BaseTrial
from assay.compile.recipe import Recipe

TrialT = TypeVar("TrialT", bound=BaseTrial[Any, Any])
SECONDS = 120.0  # for all of them, by the clock: valgrind takes fifty times as long as the code


def check(examine: Examine[TrialT]) -> Check[TrialT]:
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

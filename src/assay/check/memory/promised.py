# SPDX-License-Identifier: MIT
"""What is said of secrets: the goals that a package declares, and the places that break them."""

from collections.abc import Iterator
from typing import Any

from assay.check.check import CheckOpen, CheckSkipped
from assay.check.memory.passes import Complaints
from assay.check.trial import BaseTrial
from assay.execute.valgrind import MOST_PLACES, Complaint
from assay.model.secrets import SHOWN

NO_GOAL = (
    "no goal is declared; to have it examined, create the empty files goal-constbranch and "
    "goal-constindex in the package"
)


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

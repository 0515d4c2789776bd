# SPDX-License-Identifier: MIT
"""What differs from target to target and portable code must not depend on.

A target's traits come from what its agent says of itself. Where the rows that
fail have a trait in common that no other row has, it is most likely the cause.
"""

from collections.abc import Iterable

from assay.check.engine.examination import Examination
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent, AgentError
from assay.model import Build, Target
from assay.model.portability import Portability

SMALL_BITS = 16  # an int has no more where a machine word has fewer


def traits_of(target: Target, agent: Agent) -> frozenset[str]:
    """Name the traits of a target, each so that `where ...` can stand before it."""
    order = "little" if agent.little_endian else "big"
    sign = "signed" if agent.char_signed else "unsigned"
    names = {
        f"the machine is {order}-endian",
        f"char is {sign}",
        f"pointers have {agent.pointer_bits} bits",
        f"int has {min(max(target.bits, SMALL_BITS), 32)} bits",
    }
    if target.aligned:
        names.add("words must be aligned")
    return frozenset(names)


def portability_of(
    workshop: Workshop, recipe: Recipe, build: Build, outcome: Examination
) -> Portability:
    """Return what a code tells of its portability; nothing if its agent does not answer."""
    misaligned = workshop.misaligned(recipe, build, outcome)
    if not build.ok:
        return Portability(misaligned)
    try:
        with workshop.connector(build)() as agent:
            traits = traits_of(workshop.stage.target, agent)
    except AgentError:
        return Portability(misaligned)
    return Portability(misaligned, tuple(sorted(traits)))


def common_trait(failed: Iterable[frozenset[str]], passed: Iterable[frozenset[str]]) -> str:
    """Describe what all that failed have and none that passed; needs both kinds."""
    red, green = tuple(failed), tuple(passed)
    if not red or not green:
        return ""
    shared = frozenset.intersection(*red) - frozenset.union(*green)
    return " and ".join(sorted(shared))

# SPDX-License-Identifier: MIT
"""Another package that takes part in a check: built, and asked what it is."""

from assay.check.engine.foundry import Foundry
from assay.check.kinds import kind_of
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.model import Build, Subject
from assay.timing.witness import making_sense


class OtherUnusableError(Exception):
    """The other package does not build, or does not answer, for the reason in the message."""


def described(foundry: Foundry, recipe: Recipe) -> tuple[Build, Subject]:
    """Build another package, and ask it what it is; OtherUnusableError if that fails."""
    build = foundry.build(recipe)
    if not build.ok:
        raise OtherUnusableError(f"does not build here: {build.reason}")
    try:
        with making_sense(), foundry.connector(build, recipe.package.kind)() as agent:
            return build, kind_of(recipe.package).describe(agent)
    except AgentError as error:
        raise OtherUnusableError(f"does not answer: {error}") from error

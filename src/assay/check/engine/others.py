# SPDX-License-Identifier: MIT
"""Another package that takes part in a check: built, and asked what it is."""

from assay.check.engine.foundry import Foundry
from assay.check.kinds import kind_of
from assay.compile.recipe import Recipe
from assay.errors import PackageError
from assay.execute.agent import AgentError
from assay.fence import ends_all
from assay.model import Build, Subject
from assay.timing.witness import making_sense


class OtherUnusableError(Exception):
    """The other package does not build, or does not answer, for the reason in the message."""


class OtherGoneError(OtherUnusableError):
    """The other package's files are not those any more that were read when the command began."""


def described(foundry: Foundry, recipe: Recipe) -> tuple[Build, Subject]:
    """Build another package, and ask it what it is; OtherUnusableError if that fails."""
    try:
        build = foundry.build(recipe)
    except (PackageError, OSError) as error:
        if ends_all(error):
            raise
        raise OtherGoneError(f"cannot be built any more: {error}") from error
    if not build.ok:
        raise OtherUnusableError(f"does not build here: {build.reason}")
    try:
        with making_sense(), foundry.connector(build, recipe.package.kind)() as agent:
            return build, kind_of(recipe.package).describe(agent)
    except AgentError as error:
        raise OtherUnusableError(f"does not answer: {error}") from error

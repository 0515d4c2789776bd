# SPDX-License-Identifier: MIT
"""Asking the agents of one cell everything: it describes itself, and the checks are run."""

from collections.abc import Callable, Iterator

from assay.check.engine.examination import ANSWERS, CONSTANTS, FITS, build_verdict, warning
from assay.check.engine.foundry import Foundry
from assay.check.engine.lanes import ask_all
from assay.check.engine.questions import AskedBuild, Extent, Questioner
from assay.check.kinds import Kind, kind_of
from assay.check.object.calling import complaint
from assay.check.patience import took_too_long
from assay.check.session import ImplausibleSizeError
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent, AgentError, AgentFault
from assay.execute.patience import OutOfPatience
from assay.machine.extensions import lacking, traps
from assay.model import Build, CheckResult, PackageKind, Subject, Verdict
from assay.timing.witness import making_sense

ILLEGAL_INSTRUCTION = "SIGILL"
IMPLAUSIBLE = "Correct the constant in the header; a negative one becomes a very large one."


def interview(
    foundry: Foundry, recipe: Recipe, build: Build, depth: Extent
) -> tuple[tuple[CheckResult, ...], Subject | None]:
    """Ask the agents of a package everything; also return how it describes itself."""
    connect = foundry.connector(build, recipe.package.kind)
    kind = kind_of(recipe.package)
    try:
        with making_sense():
            agent, subject = _introduced(connect, kind)
    except AgentError as error:
        return (build_verdict(build), *_calls(build), _mute(error)), None
    unfit = _unfit(recipe, build, agent, subject)
    if unfit is not None:
        return (unfit,), subject
    asked = AskedBuild(recipe, build, subject, depth)
    if warned := warning(build, fails=True):
        foundry.company.tell(warned)
    with Questioner(foundry, asked, agent) as here:
        checks = ask_all(asked, here, foundry.company.helpers, foundry.company.tell)
    return (build_verdict(build), CheckResult(ANSWERS, Verdict.PASS), *checks), subject


def _unfit(recipe: Recipe, build: Build, agent: Agent, subject: Subject) -> CheckResult | None:
    """Try every function once where code may need what this processor lacks.

    The agent lives on if all went well.
    """
    if recipe.package.kind != PackageKind.OPERATION:
        return None
    try:
        with making_sense():
            kind_of(recipe.package).exercise(agent, subject)
    except AgentFault as fault:
        agent.close()
        if fault.signal == ILLEGAL_INSTRUCTION:
            missing = ", ".join(lacking(build.objects))
            if not missing and traps(build.objects):
                return None  # it ended itself, and the checks will tell
            missing = missing or "an extension"
            reason = f"this processor does not have {missing}, which the code uses"
            return CheckResult(FITS, Verdict.SKIPPED, reason)
    except AgentError:
        agent.close()  # the checks will tell
    return None


def _introduced(connect: Callable[[], Agent], kind: Kind) -> tuple[Agent, Subject]:
    """Launch an agent and let it describe itself; one that cannot is ended."""
    agent = connect()
    try:
        return agent, kind.describe(agent)
    except BaseException:
        agent.close()
        raise


def _calls(build: Build) -> Iterator[CheckResult]:
    """Yield what explains that code dies before it can be asked, if its calls do."""
    if found := complaint(build):
        yield found


def _mute(error: AgentError) -> CheckResult:
    if isinstance(error, ImplausibleSizeError):
        return CheckResult(CONSTANTS, Verdict.FAIL, str(error), IMPLAUSIBLE)
    if isinstance(error, OutOfPatience):
        return took_too_long(error)
    cure = "Constructors and ECRYPT_NAME are all that runs before the first call; look there."
    return CheckResult(ANSWERS, Verdict.FAIL, str(error), cure)

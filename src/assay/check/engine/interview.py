# SPDX-License-Identifier: MIT
"""Asking the agents of one cell everything: it describes itself, and the checks are run."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from assay.check.bench import Bench
from assay.check.check import run_checks
from assay.check.engine.examination import ANSWERS, FITS, build_verdict
from assay.check.engine.foundry import Foundry
from assay.check.engine.instruments import apart, bench_of
from assay.check.engine.long import with_long
from assay.check.engine.wanted import LongWanted
from assay.check.kinds import Kind, kind_of, open_trial
from assay.check.patience import took_too_long
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent, AgentError, AgentFault
from assay.execute.patience import OutOfPatience
from assay.machine.extensions import lacking, traps
from assay.model import Build, CheckResult, PackageKind, Subject, Verdict
from assay.timing.witness import making_sense

ILLEGAL_INSTRUCTION = "SIGILL"


@dataclass(frozen=True, slots=True)
class Extent:
    """How far examining goes: a thorough trial, slow checks, and checks whose names begin so.

    `long` is there for checks that take hours.
    """

    thorough: bool = True
    deep: bool = False
    only: tuple[str, ...] = ("",)
    long: LongWanted | None = None


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
        return (build_verdict(build), _mute(error)), None
    unfit = _unfit(recipe, build, agent, subject)
    if unfit is not None:
        return (unfit,), subject
    with apart(foundry) if depth.deep else nullcontext(foundry) as instruments:
        bench = bench_of(foundry, recipe, build, deep=depth.deep, instruments=instruments)
        if depth.long:
            bench = with_long(foundry, bench, depth.long)
        checks = _asked(foundry, (agent, connect), subject, bench, depth)
    return (build_verdict(build), CheckResult(ANSWERS, Verdict.PASS), *checks), subject


def _asked(
    foundry: Foundry,
    agents: tuple[Agent, Callable[[], Agent]],
    subject: Subject,
    bench: Bench,
    depth: Extent,
) -> tuple[CheckResult, ...]:
    """Run the checks, the first of them on the agent that lives."""
    agent, connect = agents
    package = bench.recipe.package
    trial = open_trial(
        package,
        subject,
        connect,
        bench=bench,
        thorough=depth.thorough,
        deep=depth.deep,
        only=depth.only,
    )
    if foundry.stage.target.is_native:
        trial.opened = agent
    else:
        agent.close()  # of a board there is one
    wanted = (one for one in kind_of(package).checks if one.name.startswith(depth.only))
    try:
        return run_checks(wanted, trial, foundry.stage.patience)
    finally:
        trial.close()


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


def _mute(error: AgentError) -> CheckResult:
    if isinstance(error, OutOfPatience):
        return took_too_long(error)
    cure = "Constructors and ECRYPT_NAME are all that runs before the first call; look there."
    return CheckResult(ANSWERS, Verdict.FAIL, str(error), cure)

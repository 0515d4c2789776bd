# SPDX-License-Identifier: MIT
"""Building one cell and putting it on trial: what `check`, `vectors` and `run` share."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.build.builder import Builder
from assay.build.recipe import Recipe
from assay.campaign.launch import Stage
from assay.execute.agent import Agent, AgentError, AgentLost
from assay.execute.jail import Jail
from assay.execute.staging import hand_over, staged_folder, sweep
from assay.model import Build, CheckResult, Package, StreamSubject, Verdict
from assay.suite.check import run_checks
from assay.suite.stream.checks import CHECKS
from assay.suite.stream.session import describe
from assay.suite.stream.sizes import accepted_sizes
from assay.suite.stream.trial import Trial

ANSWERS = "agent/answers"
COMPILES = "build/compiles"
LINKS = "build/links"


@dataclass(frozen=True, slots=True)
class Examination:
    """What came out of a trial; `subject` is None if the agent never described itself."""

    subject: StreamSubject | None
    checks: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(check.verdict is not Verdict.FAIL for check in self.checks)


class Workshop:
    """Builds agents and examines them. Use `open_workshop`."""

    def __init__(self, builder: Builder, stage: Stage) -> None:
        """Build with `builder`, run on `stage`."""
        self._builder = builder
        self.stage = stage

    def build(self, recipe: Recipe) -> Build:
        """Build a cell; a failure is a Build with a reason."""
        return self._builder.build(recipe)

    def admit(self, build: Build) -> Path:
        """Copy a built agent to where jailed processes can see it."""
        if build.agent is None:
            raise ValueError("only built cells have an agent")
        admitted = self.stage.home / build.agent.name
        if not admitted.exists():
            partial = admitted.with_suffix(f".{os.getpid()}.{id(build)}")
            shutil.copyfile(build.agent, partial)
            hand_over(partial)
            partial.rename(admitted)
        return admitted

    def connector(self, build: Build) -> Callable[[], Agent]:
        """Give a function that launches the cell's agent."""
        agent = self.admit(build)
        return lambda: self.stage.connect(agent)

    def examine(
        self,
        package: Package,
        build: Build,
        *,
        thorough: bool = True,
        only: tuple[str, ...] = ("",),
    ) -> Examination:
        """Run the checks whose names begin with `only`; a failed build is a failed check."""
        if not build.ok:
            return Examination(None, (build_verdict(build),))
        connect = self.connector(build)
        try:
            with connect() as agent:
                subject = _sensible(describe(agent))
        except AgentError as error:
            return Examination(None, (build_verdict(build), _mute(error)))
        trial = Trial(package, subject, accepted_sizes(subject), connect, thorough=thorough)
        try:
            checks = run_checks((c for c in CHECKS if c.name.startswith(only)), trial)
        finally:
            trial.close()
        passed = CheckResult(ANSWERS, Verdict.PASS)
        return Examination(subject, (build_verdict(build), passed, *checks))


def _sensible(subject: StreamSubject) -> StreamSubject:
    """Refuse a description that nothing could be asked of."""
    sizes = (
        subject.key_bits and subject.iv_bits and (subject.mac_bits or not subject.authenticates)
    )
    if not sizes or not subject.block_bytes or not subject.buffer_bytes:
        raise AgentLost(
            f"by its header a block has {subject.block_bytes} bytes, the buffer "
            f"{subject.buffer_bytes}, and there are {len(subject.key_bits)} key sizes"
        )
    return subject


@contextmanager
def open_workshop(
    jail: Jail, agents: Path | None = None, cpu: int | None = None
) -> Iterator[Workshop]:
    """Set up a workshop; agents are kept in `agents`, or thrown away at the end."""
    sweep()
    with ExitStack() as stack:
        home = stack.enter_context(staged_folder("assay-run-"))
        kept = agents or stack.enter_context(staged_folder("assay-agents-"))
        yield Workshop(Builder(kept, jail), Stage(jail, home, cpu))


def build_verdict(build: Build) -> CheckResult:
    """Show a build as the check that it is."""
    if build.ok:
        return CheckResult(LINKS, Verdict.PASS)
    name = LINKS if build.object_hash else COMPILES
    return CheckResult(name, Verdict.FAIL, build.reason, build.cure, build.diagnostics)


def _mute(error: AgentError) -> CheckResult:
    cure = "Constructors and ECRYPT_NAME are all that runs before the first call; look there."
    return CheckResult(ANSWERS, Verdict.FAIL, str(error), cure)

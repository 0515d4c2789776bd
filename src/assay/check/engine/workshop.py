# SPDX-License-Identifier: MIT
"""Building one cell and putting it on trial: what `check`, `vectors` and `run` share."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from assay.check.bench import Bench, CountedAgent, Sanitized, UnderValgrind
from assay.check.check import run_checks
from assay.check.engine.sanitizers import sanitized
from assay.check.engine.valgrind import known_to_valgrind
from assay.check.kinds import Kind, kind_of, open_trial
from assay.check.patience import is_final, took_too_long
from assay.compile.builder import Builder
from assay.compile.kept import Kept
from assay.compile.reasons import NO_ROOM
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent, AgentError, AgentFault
from assay.execute.counting import difference
from assay.execute.jail import Jail
from assay.execute.patience import OutOfPatience, Patience
from assay.execute.sanitizers import Findings, under_sanitizers
from assay.execute.stage import Stage
from assay.execute.staging import hand_over, staged_folder, sweep
from assay.execute.valgrind import ValgrindOutput, under_valgrind
from assay.machine.extensions import lacking, traps
from assay.model import (
    Build,
    BuildStage,
    CheckResult,
    PackageKind,
    Subject,
    Target,
    Verdict,
    overall,
)
from assay.model.compared import settled
from assay.model.portability import Portability
from assay.targets.catalogue import native
from assay.timing.witness import making_sense

ANSWERS = "agent/answers"
COMPILES = "build/compiles"
LINKS = "build/links"
FITS = "build/fits"
ILLEGAL_INSTRUCTION = "SIGILL"


@dataclass(frozen=True, slots=True)
class Examination:
    """What came out of a trial; `subject` is None if the agent never described itself.

    `portability` is None where nobody asked.
    """

    subject: Subject | None
    checks: tuple[CheckResult, ...]
    portability: Portability | None = None

    @property
    def passed(self) -> bool:
        """Return whether nothing failed."""
        return all(check.verdict is not Verdict.FAIL for check in self.checks)

    def accepted(self, names: tuple[str, ...]) -> bool:
        """Return whether something passed, and nothing failed but checks whose names begin so.

        What is open does not keep a package from being measured; every table says that it is.
        """
        failed = [one.check for one in self.checks if one.verdict is Verdict.FAIL]
        if names and failed and all(name.startswith(names) for name in failed):
            return any(check.verdict is Verdict.PASS for check in self.checks)
        return self.verdict in {Verdict.PASS, Verdict.OPEN}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: skipped if nothing passed and nothing failed."""
        return overall(check.verdict for check in self.checks)


class AnyBuilder(Protocol):
    """Whatever makes agents of recipes: `Builder`, or what tests put in its place."""

    def build(self, recipe: Recipe) -> Build:
        """Build the agent of one cell; a failure is a Build with a reason and a cure."""

    def bare(self, recipe: Recipe) -> Path:
        """Build the agent without a package that fits a recipe."""

    def layouts(self, recipe: Recipe, build: Build, count: int) -> tuple[Path, ...]:
        """Link a built agent `count` further times, with its code at other addresses."""


class Workshop:
    """Builds agents and examines them. Use `open_workshop`."""

    def __init__(self, builder: AnyBuilder, stage: Stage) -> None:
        """Build with `builder`, run on `stage`."""
        self._builder = builder
        self.stage = stage

    @property
    def _confined(self) -> tuple[Jail, Patience]:
        """The jail of agents under instruments, and how long they are waited for."""
        return self.stage.jail, self.stage.patience or self.stage.fresh_patience()

    def patient(self, recipe: Recipe, *, deep: bool = False) -> "Workshop":
        """Return the workshop for one package, whose agents share the time that it may take.

        One that was made for a package already stays as it is.
        """
        if self.stage.patience is not None:
            return self
        return Workshop(self._builder, self.stage.patient(recipe.package.kind, deep=deep))

    def on(self, target: Target) -> "Workshop":
        """Return the workshop that examines on a target."""
        return Workshop(self._builder, replace(self.stage, target=target))

    def build(self, recipe: Recipe) -> Build:
        """Build a cell; a failure is a Build with a reason."""
        return self._builder.build(recipe)

    def admit(self, build: Build) -> Path:
        """Copy a built agent to where jailed processes can see it."""
        if build.agent is None:
            raise ValueError("only built cells have an agent")
        return self._admit(build.agent)

    def bare(self, recipe: Recipe) -> Path:
        """Return the agent without a package that fits a recipe, for jailed processes to see."""
        return self._admit(self._builder.bare(recipe))

    def layouts(self, recipe: Recipe, build: Build, count: int) -> tuple[Path, ...]:
        """Return `count` further layouts of a built agent, for jailed processes to see."""
        linked = self._builder.layouts(recipe, build, count)
        return tuple(map(self._admit, linked))

    def _admit(self, agent: Path) -> Path:
        admitted = self.stage.home / agent.name
        if not admitted.exists():
            partial = admitted.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
            shutil.copyfile(agent, partial)
            hand_over(partial)
            partial.rename(admitted)
        return admitted

    def discard(self, build: Build) -> None:
        """Remove what a build left on the disk, when it will not be used again."""
        if build.agent is not None:
            (self.stage.home / build.agent.name).unlink(missing_ok=True)
            build.agent.unlink(missing_ok=True)
        for one in build.objects:
            one.unlink(missing_ok=True)

    def connector(self, build: Build, kind: str = "") -> Callable[[], Agent]:
        """Return a function that launches the cell's agent.

        Slow implementations of the kind `operation` are not ended after two minutes:
        SUPERCOP gives their tests an hour, and no limit of memory.
        """
        agent = self.admit(build)
        roomy = kind == PackageKind.OPERATION and self.stage.target.is_native
        return lambda: self.stage.connect(agent, roomy=roomy)

    def counted(self, build: Build) -> Callable[[], AbstractContextManager[CountedAgent]] | None:
        """Return a function that launches the agent with its memory accesses counted."""
        if self.stage.target.counts is None:
            return None
        agent = self.admit(build)
        return lambda: self.stage.counted(agent, build.objects, memory=True)

    @staticmethod
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

    def _under_valgrind(self, recipe: Recipe) -> UnderValgrind | None:
        """Return a function that launches the package under valgrind; None where it cannot."""
        if not self.stage.target.is_native:
            return None

        @contextmanager
        def launched(divisions: bool) -> Iterator[tuple[Agent, ValgrindOutput]]:
            build = self.build(known_to_valgrind(recipe, divisions=divisions))
            if not build.ok:
                raise AgentError(f"it does not build for valgrind: {build.reason}")
            with under_valgrind(self.admit(build), *self._confined) as both:
                yield both

        return launched

    def _sanitized(self, recipe: Recipe) -> Sanitized | None:
        """Return a function that launches the package with sanitizers; None where it cannot."""
        if not self.stage.target.is_native:
            return None

        @contextmanager
        def launched(threads: bool) -> Iterator[tuple[Callable[[], Agent], Findings]]:
            build = self.build(sanitized(recipe, threads=threads))
            if not build.ok:
                raise AgentError(f"it does not build with sanitizers: {build.reason}")
            with under_sanitizers(self.admit(build), *self._confined) as both:
                yield both

        return launched

    @contextmanager
    def _apart(self) -> Iterator["Workshop"]:
        """Yield a workshop for builds with instruments; it is gone in the end, with their agents.

        Every code has some of its own, and nobody asks for them twice.
        """
        with staged_folder("assay-run-") as home, staged_folder("assay-agents-") as kept:
            yield Workshop(Builder(kept, self.stage.jail), replace(self.stage, home=home))

    def bench(
        self,
        recipe: Recipe,
        build: Build,
        *,
        deep: bool = False,
        instruments: "Workshop | None" = None,
    ) -> Bench:
        """Return what checks need besides an agent; `instruments` builds for valgrind and such."""
        agent, other = self.admit(build), instruments or self
        return Bench(
            recipe,
            build,
            self.stage.jail,
            self.counted(build),
            lambda: self.stage.connect(agent, roomy=True),
            other._under_valgrind(recipe) if deep else None,  # noqa: SLF001 - of this class
            other._sanitized(recipe) if deep else None,  # noqa: SLF001
        )

    def misaligned(self, recipe: Recipe, build: Build, outcome: Examination) -> int | None:
        """Count the memory accesses of a little use that are not aligned; None if unknown."""
        counted = self.counted(build) if build.ok else None
        if counted is None or outcome.subject is None or self.stage.target.counts == "cycles":
            return None
        try:
            with making_sense(), counted() as (agent, counting):
                before = counting.read()
                kind_of(recipe.package).exercise(agent, outcome.subject)
                return difference(counting.read(), before).package.misaligned
        except AgentError:
            return None

    def examine(
        self,
        recipe: Recipe,
        build: Build,
        *,
        thorough: bool = True,
        deep: bool = False,
        only: tuple[str, ...] = ("",),
    ) -> Examination:
        """Run the checks whose names begin with `only`; a failed build is a failed check."""
        if not build.ok:
            return Examination(None, (build_verdict(build),))
        mine = self.patient(recipe, deep=deep)
        checks, subject = mine._asked(recipe, build, thorough=thorough, deep=deep, only=only)  # noqa: SLF001
        patience = mine.stage.patience
        if patience is not None and patience.exhausted and is_final(checks):
            checks = (*checks, took_too_long(patience.error()))
        return Examination(subject, settled(checks))

    def _asked(
        self, recipe: Recipe, build: Build, *, thorough: bool, deep: bool, only: tuple[str, ...]
    ) -> tuple[tuple[CheckResult, ...], Subject | None]:
        """Ask the agents of a package everything; also return how it describes itself."""
        connect = self.connector(build, recipe.package.kind)
        kind = kind_of(recipe.package)
        try:
            with making_sense():
                agent, subject = _introduced(connect, kind)
        except AgentError as error:
            return (build_verdict(build), _mute(error)), None
        unfit = self._unfit(recipe, build, agent, subject)
        if unfit is not None:
            return (unfit,), subject
        with self._apart() if deep else nullcontext(self) as instruments:
            bench = self.bench(recipe, build, deep=deep, instruments=instruments)
            trial = open_trial(
                recipe.package,
                subject,
                connect,
                bench=bench,
                thorough=thorough,
                deep=deep,
                only=only,
            )
            if self.stage.target.is_native:
                trial.opened = agent
            else:
                agent.close()  # of a board there is one
            try:
                checks = run_checks(
                    (c for c in kind.checks if c.name.startswith(only)), trial, self.stage.patience
                )
            finally:
                trial.close()
        return (build_verdict(build), CheckResult(ANSWERS, Verdict.PASS), *checks), subject


@contextmanager
def open_workshop(
    jail: Jail,
    agents: Path | None = None,
    cpu: int | None = None,
    target: Target | None = None,
    *,
    reuse: bool = False,
) -> Iterator[Workshop]:
    """Set up a workshop for a target (this machine by default).

    Agents are kept in `agents`, or thrown away at the end. With `reuse` what the user's cache
    has of earlier campaigns is not compiled again.
    """
    sweep()
    with ExitStack() as stack:
        home = stack.enter_context(staged_folder("assay-run-"))
        kept = agents or stack.enter_context(staged_folder("assay-agents-"))
        objects = Kept.ours(jail.mode.value) if reuse else None
        yield Workshop(Builder(kept, jail, objects), Stage(jail, home, cpu, target or native()))


def build_verdict(build: Build) -> CheckResult:
    """Show a build as the check that it is."""
    if build.ok:
        return CheckResult(LINKS, Verdict.PASS, "; ".join(_linked(build)))
    if build.stage is BuildStage.SKIPPED or build.reason.startswith(NO_ROOM):
        return CheckResult(FITS, Verdict.SKIPPED, build.reason, build.cure)
    name = LINKS if build.object_hash else COMPILES
    return CheckResult(name, Verdict.FAIL, build.reason, build.cure, build.diagnostics)


def _linked(build: Build) -> Iterator[str]:
    """Name the subroutines in a build, and those that came first and do not compile."""
    if build.subroutines:
        names = (f"{one.selector} ({one.league})" for one in build.subroutines)
        yield f"linked with {', '.join(names)}"
    if build.passed_over:
        yield f"not with {', '.join(build.passed_over)}, which does not compile here"


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

# SPDX-License-Identifier: MIT
"""Where agents are built, and launched from: a builder and a stage."""

import hashlib
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, Self

from msgspec import Struct
from msgspec.structs import replace

from assay.check.bench import CountedAgent
from assay.check.kinds import kind_of
from assay.compile.files import content_of_agent, is_kept
from assay.compile.recipe import Recipe
from assay.errors import PackageError
from assay.execute.agent import Agent, AgentError
from assay.execute.jail import Jail
from assay.execute.patience import Patience
from assay.execute.stage import Stage
from assay.execute.staging import hand_over
from assay.fence import ends_all
from assay.machine.helper import SecondProcess
from assay.model import Build, CheckResult, PackageKind, Subject, Target
from assay.timing.witness import making_sense


class AnyBuilder(Protocol):
    """Whatever makes agents of recipes: `Builder`, or what tests put in its place."""

    @property
    def folder(self) -> Path:
        """The folder in which agents are kept."""

    def build(self, recipe: Recipe) -> Build:
        """Build the agent of one cell; a failure is a Build with a reason and a cure."""

    def bare(self, recipe: Recipe) -> Path:
        """Build the agent without a package that fits a recipe."""

    def layouts(self, recipe: Recipe, build: Build, count: int) -> tuple[Path, ...]:
        """Link a built agent `count` further times, with its code at other addresses."""


def nobody(_: CheckResult) -> None:
    """Hear a verdict, and tell nobody."""


class Company(Struct, frozen=True):
    """Who works with a foundry: further processes, and who hears of each verdict at once.

    The checks in `first` are asked before all others.
    """

    helpers: tuple[SecondProcess, ...] = ()
    tell: Callable[[CheckResult], None] = nobody
    first: frozenset[str] = frozenset()


class Foundry:
    """Builds agents and launches them."""

    def __init__(self, builder: AnyBuilder, stage: Stage, company: Company = Company()) -> None:
        """Build with `builder`, run on `stage`."""
        self._builder = builder
        self.stage = stage
        self.company = company

    @property
    def confined(self) -> tuple[Jail, Patience]:
        """The jail of agents under instruments, and how long they are waited for."""
        return self.stage.jail, self.stage.patience or self.stage.fresh_patience()

    def patient(self, recipe: Recipe, *, deep: bool = False) -> Self:
        """Return the foundry for one package, whose agents share the time that it may take.

        One that was made for a package already stays as it is.
        """
        if self.stage.patience is not None:
            return self
        return self.staged(self.stage.patient(recipe.package.kind, deep=deep))

    def unhurried(self, seconds: float) -> Self:
        """Return the foundry whose agents may take so long, whatever their package may."""
        return self.staged(replace(self.stage, patience=Patience(seconds)))

    def on(self, target: Target) -> Self:
        """Return the foundry that launches on a target."""
        return self.staged(replace(self.stage, target=target))

    def staged(self, stage: Stage) -> Self:
        """Return the foundry that launches on another stage."""
        return type(self)(self._builder, stage, self.company)

    def build(self, recipe: Recipe) -> Build:
        """Build a cell; a failure is a Build with a reason."""
        return self._builder.build(recipe)

    def keeps(self, build: Build) -> bool:
        """Return whether a stored build failed, or its agent is kept here, and nowhere else.

        The store may be a stranger's, and name any file as an agent.
        """
        agent, code = build.agent, build.object_hash
        if not build.ok or agent is None or code is None:
            return not build.ok
        here = agent.parent == self._builder.folder and agent.name.startswith(code)
        return here and is_kept(agent)

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

    def _place_of(self, agent: Path) -> Path:
        """Name the copy of an agent; the names of all are alike, those of layouts, too."""
        return self.stage.home / hashlib.sha256(agent.name.encode()).hexdigest()

    def _admit(self, agent: Path) -> Path:
        admitted = self._place_of(agent)
        if not admitted.exists():
            partial = admitted.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
            partial.write_bytes(content_of_agent(agent))
            hand_over(partial)
            partial.rename(admitted)
        return admitted

    def discard(self, build: Build) -> None:
        """Remove what a build left on the disk, when it will not be used again."""
        if build.agent is not None:
            self._place_of(build.agent).unlink(missing_ok=True)
            build.agent.unlink(missing_ok=True)
        for one in build.objects:
            one.unlink(missing_ok=True)

    def connector(self, build: Build, kind: PackageKind | None = None) -> Callable[[], Agent]:
        """Return a function that launches the cell's agent.

        Slow implementations of the kind `operation` are not ended after two minutes:
        SUPERCOP gives their tests an hour, and no limit of memory.
        """
        agent = self.admit(build)
        large = kind is not None and kind.rules.large and self.stage.target.is_native
        return lambda: self.stage.connect(agent, large=large)

    def counted(self, build: Build) -> Callable[[], AbstractContextManager[CountedAgent]] | None:
        """Return a function that launches the agent with its memory accesses counted."""
        if self.stage.target.counts is None:
            return None
        agent = self.admit(build)
        return lambda: self.stage.counted(agent, build.objects, memory=True)


class ReferenceUnusableError(Exception):
    """The other package does not build, or does not answer, for the reason in the message."""


class ReferenceGoneError(ReferenceUnusableError):
    """The other package's files are not those any more that were read when the command began."""


def described(foundry: Foundry, recipe: Recipe) -> tuple[Build, Subject]:
    """Build another package, and ask it what it is; ReferenceUnusableError if that fails."""
    try:
        build = foundry.build(recipe)
    except (PackageError, OSError) as error:
        if ends_all(error):
            raise
        raise ReferenceGoneError(f"cannot be built any more: {error}") from error
    if not build.ok:
        raise ReferenceUnusableError(f"does not build here: {build.reason}")
    try:
        with making_sense(), foundry.connector(build, recipe.package.kind)() as agent:
            return build, kind_of(recipe.package).describe(agent)
    except AgentError as error:
        raise ReferenceUnusableError(f"does not answer: {error}") from error

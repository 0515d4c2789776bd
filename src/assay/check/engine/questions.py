# SPDX-License-Identifier: MIT
"""What one build is asked: the checks of its kind, and the comparison with another package."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Self

from assay.check.check import Check, run_checks
from assay.check.engine.foundry import Foundry
from assay.check.engine.instruments import apart, bench_of
from assay.check.engine.wanted import LongWanted, Peer
from assay.check.kinds import kind_of, open_trial
from assay.check.trial import AnyTrial
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.model import Build, CheckResult, Subject

# What most often fails, in the order in which it is soon answered; the others follow.
FIRST = (
    "object/calls", "vectors/verified", "digest/verified", "object/names", "checksum/small",
    "buffers/guard", "vectors/consistent", "lengths/splits", "buffers/alignment",
    "buffers/in-place",
)  # fmt: skip
# What waits longest, for compilers and signals: asked next, while others are computed.
WAITING = ("object/externals", "header/alone", "reentrant/signal", "lengths/beyond-4-mib")
TURNS = (*FIRST, *WAITING)


@dataclass(frozen=True, slots=True)
class Extent:
    """How far examining goes: a thorough trial, slow checks, and checks whose names begin so.

    A `hurried` trial asks slow code less. `peer` is the package that outputs are compared with,
    where there is one. `long` is there for checks that take hours.
    """

    thorough: bool = True
    deep: bool = False
    hurried: bool = False
    only: tuple[str, ...] = ("",)
    peer: Peer | None = None
    long: LongWanted | None = None


@dataclass(frozen=True, slots=True)
class AskedBuild:
    """A build that describes itself, and how far it is examined."""

    recipe: Recipe
    build: Build
    subject: Subject
    extent: Extent

    @property
    def checks(self) -> tuple[Check[Any], ...]:
        """Return the checks, in the order in which they are shown."""
        every = kind_of(self.recipe.package).checks
        return tuple(one for one in every if one.name.startswith(self.extent.only))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the questions, in the order in which they are shown."""
        peer = self.extent.peer
        names = tuple(one.name for one in self.checks)
        return names if peer is None else (*names, peer.origin.value)

    def groups(self) -> list[tuple[str, ...]]:
        """Return the names of the questions in the order of asking; groups stay together."""
        groups: dict[str, list[str]] = {}
        for one in self.checks:
            groups.setdefault(one.notes or one.name, []).append(one.name)
        found = sorted((tuple(each) for each in groups.values()), key=_turn)
        if self.extent.peer is not None:
            found.insert(len(FIRST), (self.extent.peer.origin.value,))
        return found


def _turn(group: tuple[str, ...]) -> int:
    """Return when a group has its turn."""
    return min((TURNS.index(name) for name in group if name in TURNS), default=len(TURNS))


class Questioner:
    """Asks the agents of one build, question by question; they live on in between."""

    def __init__(self, foundry: Foundry, asked: AskedBuild, opened: Agent | None = None) -> None:
        """Launch nothing yet; an agent that is `opened` is asked first."""
        self.foundry, self._asked = foundry, asked
        self._checks = {one.name: one for one in asked.checks}
        self._opened = opened
        self._trial: AnyTrial | None = None
        self._held = ExitStack()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the agents, and remove what was built for single checks."""
        if self._trial is not None:
            self._trial.close()
        elif self._opened is not None:
            self._opened.close()
        self._held.close()

    def answers(self, name: str) -> tuple[CheckResult, ...]:
        """Ask one question; there is no answer where it never applies."""
        peer, patience = self._asked.extent.peer, self.foundry.stage.patience
        if peer is not None and name == peer.origin.value:
            return self._compared(peer)
        if self._trial is None:
            self._trial = self._open()
        return run_checks((self._checks[name],), self._trial, patience)

    def _compared(self, peer: Peer) -> tuple[CheckResult, ...]:
        from assay.check.engine.against import peer_checks  # noqa: PLC0415 - seldom wanted

        asked = self._asked
        deep = asked.extent.deep
        return peer_checks(self.foundry, asked.recipe, asked.build, asked.subject, peer, deep=deep)

    def _open(self) -> AnyTrial:
        """Put the build on trial."""
        asked, foundry = self._asked, self.foundry
        kind, extent = asked.recipe.package.kind, asked.extent
        instruments = self._held.enter_context(apart(foundry)) if extent.deep else foundry
        bench = bench_of(
            foundry, asked.recipe, asked.build, deep=extent.deep, instruments=instruments
        )
        if extent.long:
            from assay.check.engine.long import with_long  # noqa: PLC0415 - seldom wanted

            other = extent.peer.package if extent.peer else None
            bench = with_long(foundry, bench, extent.long, other)
        trial = open_trial(
            asked.recipe.package,
            asked.subject,
            foundry.connector(asked.build, kind),
            bench=bench,
            thorough=extent.thorough,
            deep=extent.deep,
            hurried=extent.hurried,
            only=extent.only,
        )
        if foundry.stage.target.is_native:
            trial.opened = self._opened
        elif self._opened is not None:
            self._opened.close()  # of a board there is one
        return trial

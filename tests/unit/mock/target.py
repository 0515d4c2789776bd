# SPDX-License-Identifier: MIT
"""A machine without compilers and processes: builds by word, agents in Python behind pipes."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
from tests.unit.mock.agent import NS_A_SECOND, Agent, Program

from assay.check.engine.workshop import Workshop
from assay.compile.files import keep_agent
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent as Client
from assay.execute.counting import Counting
from assay.execute.jail import Jail, JailMode
from assay.execute.patience import Patience
from assay.execute.pipe import Guise, PipeClosed
from assay.execute.protocol import CHECKSUM, HEADER, decode_header, encode
from assay.execute.stage import Stage
from assay.model import Build, BuildStage
from assay.timing.agent import ProcessUse, TimedAgent

AgentT = TypeVar("AgentT", bound=Client)
BARE = "bare"
Making = Callable[[Recipe], Program | str]


@dataclass
class MockPipe:
    """A pipe whose other end answers at once."""

    agent: Agent
    _answers: bytearray = field(default_factory=bytearray)

    def write(self, data: bytes) -> None:
        """Have all requests answered."""
        at = 0
        while at < len(data):
            code, sequence, length = decode_header(data[at : at + HEADER.size])
            payload = data[at + HEADER.size : at + HEADER.size + length]
            at += HEADER.size + length + CHECKSUM.size
            status, answer = self.agent.answer(code, payload)
            self._answers += encode(status, sequence, answer)

    def read(self, length: int, deadline: float) -> bytes:
        """Take what was answered."""
        del deadline
        if self.agent.program.stops or len(self._answers) < length:
            raise PipeClosed
        taken = bytes(self._answers[:length])
        del self._answers[:length]
        return taken

    def close(self) -> str:
        """End without a word."""
        return ""


class MockAgent(Client):
    """A client whose agent uses the processor for as long as its own clock runs."""

    def processor_seconds(self) -> float:
        """Return the time on the agent's clock."""
        assert isinstance(self._pipe, MockPipe)
        return self._pipe.agent.ticks / NS_A_SECOND


class MockTimedAgent(TimedAgent):
    """A client that has the agent's clock for its own."""

    def since_timing(self) -> ProcessUse:
        """Return how much time passed on the agent's clock."""
        assert isinstance(self._pipe, MockPipe)
        return ProcessUse(self._pipe.agent.ticks / NS_A_SECOND)


class MockStage(Stage, frozen=True):
    """Where programs run: `programs` by the names of their agents' files."""

    programs: dict[str, Program] = msgspec.field(default_factory=dict)
    launched: list[str] = msgspec.field(default_factory=list)

    def _open(
        self,
        client: type[AgentT],
        agent: Path,
        seed: int | None,
        *,
        pinned: bool = False,
        roomy: bool = False,
        large: bool = False,
        guise: Guise = Guise.SEALED,
        counting: Counting | None = None,
    ) -> AgentT:
        """Start a program's agent, wherever it would be placed."""
        del seed, pinned, roomy, large, guise, counting
        name = self._name_of(agent)
        self.launched.append(name)
        pipe = MockPipe(Agent(self.programs[name]))
        opened = MockTimedAgent if issubclass(client, TimedAgent) else MockAgent
        made = opened(pipe, patience=self.patience or Patience(60.0))
        assert isinstance(made, client)
        made.timeless_on = "" if self.target.tells_time else self.target.name
        return made

    def _name_of(self, agent: Path) -> str:
        """Return a program's name by its agent's, which is that of a copy (`Foundry`)."""
        copies = {hashlib.sha256(one.encode()).hexdigest(): one for one in self.programs}
        return copies.get(agent.name, agent.name)


@dataclass
class MockBuilder:
    """Builds what `makes` says of a recipe: a program, or the reason why there is none."""

    folder: Path
    makes: Making
    programs: dict[str, Program]
    built: list[Recipe] = field(default_factory=list)

    def build(self, recipe: Recipe) -> Build:
        """Make a build; programs of one name are one code."""
        self.built.append(recipe)
        found = self.makes(recipe)
        if isinstance(found, str):
            return self._build(recipe, BuildStage.COMPILE, None, found)
        self.programs[self._agent(found.name).name] = found
        return self._build(recipe, BuildStage.DONE, found.name, "")

    def bare(self, recipe: Recipe) -> Path:
        """Return an agent without a package."""
        del recipe
        self.programs[BARE] = Program(BARE)
        return self._agent(BARE)

    def layouts(self, recipe: Recipe, build: Build, count: int) -> tuple[Path, ...]:
        """Return no further layouts: the code has no addresses."""
        del recipe, build, count
        return ()

    def _agent(self, name: str) -> Path:
        made, path = self.folder / f"{name}.made", self.folder / name
        made.touch()
        keep_agent(made, path)
        return path

    def _build(self, recipe: Recipe, stage: BuildStage, code: str | None, reason: str) -> Build:
        agent = self._agent(code) if code else None
        jail = JailMode.LIMITS_ONLY.value
        return Build(recipe.cell, stage, code, agent, "", "", jail, 0.0, reason)


def mock_workshop(folder: Path, makes: Making) -> Workshop:
    """Open a workshop in which every recipe becomes the program that `makes` says."""
    programs: dict[str, Program] = {}
    home, kept = folder / "home", folder / "kept"
    home.mkdir()
    kept.mkdir()
    stage = MockStage(Jail(JailMode.LIMITS_ONLY), home, None, programs=programs)
    return Workshop(MockBuilder(kept, makes, programs), stage)

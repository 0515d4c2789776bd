# SPDX-License-Identifier: MIT
"""Where agents run: jail, folder, processor and target, and how each one is placed."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from assay.execute.agent import Agent
from assay.execute.counting import Counting
from assay.execute.jail import Jail
from assay.execute.opening import AgentT, Placing, confinement, open_agent
from assay.execute.patience import Patience, seconds_for
from assay.execute.pipe import Guise
from assay.execute.ranges import ranges_of, traced_ranges
from assay.machine.processors import processor_beside
from assay.model import Target
from assay.targets.catalogue import native

if TYPE_CHECKING:
    from assay.execute.tracing import Tracing

MOST_STACK_OFFSET = 4096
MOST_PADDING = 2048


class Stage(Struct, frozen=True):
    """Where agents run: the jail, the folder they see, the processor they are pinned to.

    `patience` is what all of them are waited for together; without one each has its own.
    """

    jail: Jail
    home: Path
    cpu: int | None
    target: Target = field(default_factory=native)
    patience: Patience | None = None

    def patient(self, kind: str, *, deep: bool = False) -> "Stage":
        """Return the stage for one package, or for one launch: its agents share their time."""
        return replace(self, patience=self.fresh_patience(kind, deep=deep))

    def fresh_patience(self, kind: str = "", *, deep: bool = False) -> Patience:
        """Return what the user allows, or what a package of the kind may need here."""
        wanted = self.jail.patience_seconds
        native_ = self.target.is_native
        return Patience(wanted or seconds_for(kind, deep=deep, native=native_))

    def beside(self) -> "Stage":
        """Return the stage on another processor, for what is pinned and not timed."""
        return replace(self, cpu=processor_beside(self.cpu))

    def connect(
        self,
        agent: Path,
        seed: int | None = None,
        *,
        pinned: bool = False,
        roomy: bool = False,
        large: bool = False,
        guise: Guise = Guise.SEALED,
    ) -> Agent:
        """Launch an agent; `seed` places its stack and pads its environment.

        Only what is measured is pinned: checks may use every processor. A `roomy` one may
        map more than four gigabytes and take its time, a `large` one write to them, too.
        """
        return self._open(
            Agent,
            agent,
            seed,
            pinned=pinned,
            roomy=roomy,
            large=large,
            guise=guise,
        )

    def connect_as(
        self,
        client: type[AgentT],
        agent: Path,
        seed: int | None = None,
        *,
        pinned: bool = False,
        roomy: bool = False,
    ) -> AgentT:
        """Launch an agent and speak with it as a `client`; see `connect`."""
        return self._open(client, agent, seed, pinned=pinned, roomy=roomy)

    @contextmanager
    def counted(
        self, agent: Path, objects: tuple[Path, ...], *, memory: bool = False
    ) -> Iterator[tuple[Agent, Counting]]:
        """Launch an agent, counting exactly what the code of `objects` executes.

        With `memory` the accesses are counted, too, and which of them are not aligned.
        """
        with (
            Counting(ranges_of(agent, objects), memory=memory) as counting,
            self._open(Agent, agent, seed=0, counting=counting) as opened,
        ):
            yield opened, counting

    @contextmanager
    def traced(
        self, agent: Path, objects: tuple[Path, ...], own: tuple[Path, ...]
    ) -> Iterator[tuple[Agent, "Tracing"]]:
        """Launch an agent, tracing what the code of `objects` and what it calls does.

        What it calls is all that is in none of the agent's `own` objects.
        """
        from assay.execute.tracing import Tracing  # noqa: PLC0415 - for few commands

        with (
            closing(Tracing(*traced_ranges(agent, objects, own))) as tracing,
            self._open(Agent, agent, seed=0, counting=tracing) as opened,
        ):
            yield opened, tracing

    @property
    def confinement(self) -> str:
        """Describe what confines the agents, as every result states it."""
        return confinement(self.target, self.jail)

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
        random = Random(seed)
        placing = Placing(
            stack_offset=random.randrange(MOST_STACK_OFFSET),
            padding=random.randrange(MOST_PADDING),
            cpu=self.cpu if pinned else None,
            roomy=roomy,
            large=large,
            guise=guise,
        )
        patience = self.patience or self.fresh_patience()
        return open_agent(client, self.target, agent, self.jail, placing, counting, patience)

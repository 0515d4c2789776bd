# SPDX-License-Identifier: MIT
"""Reaching an agent, wherever its target runs it: the one place that knows all runners."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from assay.execute.agent import Agent
from assay.execute.conversation import ANSWER_SECONDS
from assay.execute.counting import Counting
from assay.execute.emulator import EMULATED_PATIENCE_SECONDS, Start, start_of
from assay.execute.guise import Guise
from assay.execute.jail import LARGE_LIMITS, ROOMY_LIMITS, Jail, Limits
from assay.execute.patience import Patience
from assay.execute.pipe import Pipe, ProcessPipe
from assay.model import Runner, Target

AgentT = TypeVar("AgentT", bound=Agent)
REMOTE_PATIENCE_SECONDS = 2 * ANSWER_SECONDS


@dataclass(frozen=True, slots=True)
class Placing:
    """What shifts a launch in memory, and the processor it is pinned to (None: any).

    `roomy` gives it addresses and time for what takes more than four gigabytes, and `large`
    memory, too.
    """

    stack_offset: int = 0
    padding: int = 0
    cpu: int | None = None
    roomy: bool = False
    large: bool = False
    guise: Guise = Guise.SEALED

    def limits(self, usual: Limits) -> Limits:
        """Return what the agent may use."""
        if not self.roomy:
            return LARGE_LIMITS if self.large else usual
        return (
            replace(ROOMY_LIMITS, data_bytes=LARGE_LIMITS.memory_bytes)
            if self.large
            else ROOMY_LIMITS
        )


STANDARD_STREAMS = ("0", "1")
UNMOVED = Placing()


def open_pipe(
    target: Target,
    agent: Path,
    jail: Jail,
    placing: Placing = UNMOVED,
    counting: Counting | None = None,
) -> Pipe:
    """Start `agent` on `target`; MachineError if there is no way to.

    `counting` counts what it executes, where an emulator runs it. Agents of this machine
    see the folder they lie in.
    """
    if target.runner is Runner.SERIAL:
        from assay.execute import serial  # noqa: PLC0415 - nobody needs all runners

        return serial.open_board(target, agent, jail)
    if target.runner is Runner.SSH:
        from assay.execute import ssh  # noqa: PLC0415

        return ssh.open_remote(
            target, agent, placing.stack_offset, placing.padding,
            pinned=placing.cpu is not None, sealed=placing.guise is Guise.SEALED,
        )  # fmt: skip
    if target.runner is Runner.SIMAVR and counting is None:
        with Counting(()) as unused:  # the runner keeps counters in any case
            return _start(start_of(target, agent, unused), agent, jail, placing)
    return _start(start_of(target, agent, counting), agent, jail, placing)


def _start(start: Start, agent: Path, jail: Jail, placing: Placing) -> ProcessPipe:
    """Start a process of this machine; it has its own copies of what it inherits."""
    placed = [*STANDARD_STREAMS, str(placing.stack_offset)] if start.placed else []
    return ProcessPipe(
        [*start.words, *placed],
        agent.parent,
        jail,
        placing.limits(start.limits),
        stack_offset=placing.stack_offset,
        padding=placing.padding,
        cpu=placing.cpu,
        standard_streams=start.standard_streams,
        inherited=start.inherited,
        lingers=start.lingers,
        calls=start.calls,
        guise=placing.guise,
    )


def open_agent(
    client: type[AgentT],
    target: Target,
    agent: Path,
    jail: Jail,
    placing: Placing = UNMOVED,
    counting: Counting | None = None,
    patience: Patience | None = None,
) -> AgentT:
    """Start `agent` on `target` and let `client` greet it; each answer has the time that it needs.

    All its answers together have what is left of `patience`. Where the target provides no times,
    the client refuses every request that times code.
    """
    opened = _greeted(client, target, open_pipe(target, agent, jail, placing, counting), patience)
    opened.timeless_on = "" if target.tells_time else target.name
    return opened


def _greeted(
    client: type[AgentT], target: Target, pipe: Pipe, patience: Patience | None
) -> AgentT:
    """Let `client` greet the agent behind a pipe."""
    if target.runner is Runner.SERIAL:
        from assay.execute import serial  # noqa: PLC0415

        return client(pipe, EMULATED_PATIENCE_SECONDS, serial.ADVICE, patience)
    if target.runner is Runner.SSH:
        return client(pipe, REMOTE_PATIENCE_SECONDS, patience=patience)
    seconds = ANSWER_SECONDS if target.is_native else EMULATED_PATIENCE_SECONDS
    return client(pipe, seconds, patience=patience)


def confinement(target: Target, jail: Jail) -> str:
    """Describe what confines agents on `target`, as every result states it."""
    if target.runner is Runner.SERIAL:
        how = "" if target.flash else ", flashed by hand"
        return f"board on {target.line}, nothing{how}"
    if target.runner is Runner.SSH:
        return f"ssh {target.line}, limits only"
    return jail.mode.value

# SPDX-License-Identifier: MIT
"""Reaching an agent, wherever its target runs it: the one place that knows all runners."""

from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import MachineError
from assay.execute.agent import Agent
from assay.execute.calls import Calls
from assay.execute.conversation import ANSWER_SECONDS
from assay.execute.counting import Counting
from assay.execute.jail import AGENT_LIMITS, LARGE_LIMITS, ROOMY_LIMITS, Jail, Limits
from assay.execute.patience import Patience
from assay.execute.pipe import Guise, Pipe, ProcessPipe
from assay.model import Runner, Target
from assay.targets import wine

# An emulator reserves the whole address space of its guest; what is used stays small.
EMULATED_LIMITS = replace(AGENT_LIMITS, memory_bytes=64 << 30, wall_seconds=600, cpu_seconds=600)
EMULATED_PATIENCE_SECONDS = 60.0  # an answer that takes 10 s natively is not to be had


class Start(Struct, frozen=True):
    """The words that start an agent.

    With `standard_streams` it speaks the protocol on standard input and output;
    otherwise on two descriptors whose numbers follow `words`. `inherited` are
    further descriptors that it needs. `placed` says that it takes the place of its stack as its
    third argument there, too. `lingers` says that it does not end when nobody
    speaks to it any more; `calls` what it may ask this system for.
    """

    words: list[str]
    standard_streams: bool
    limits: Limits
    inherited: tuple[int, ...] = ()
    placed: bool = False
    lingers: bool = False
    calls: Calls = Calls.TOOL


def start_of(target: Target, agent: Path, counting: Counting | None = None) -> Start:
    """Describe how `agent` is started on `target`; `counting` counts what it executes.

    MachineError if this machine has no way to.
    """
    if target.is_native:
        return Start([str(agent)], standard_streams=False, limits=AGENT_LIMITS, calls=Calls.AGENT)
    if target.runner is Runner.QEMU_USER:
        words = [target.emulator, *_cpu(target), *_plugin(agent, counting), str(agent)]
        return _emulated(words, counting, standard_streams=False)
    if target.runner is Runner.WINE:
        words = wine.words(agent, target.bits)
        return replace(_emulated(words, None, standard_streams=True), placed=True)
    if target.runner is Runner.QEMU_SYSTEM:
        words = [target.emulator, "-M", target.machine, *_plugin(agent, counting), *BARE]
        started = _emulated([*words, "-kernel", str(agent)], counting, standard_streams=True)
        return replace(started, lingers=True)
    if target.runner is Runner.SIMAVR:
        if counting is None:
            raise ValueError("simavr's runner needs counters")
        words = counting.simavr_words(agent, agent.parent)
        return _emulated(words, counting, standard_streams=True)
    raise MachineError(f"{target.name} is not started as a process", "Report this.")


BARE = ("-display", "none", "-monitor", "none", "-serial", "stdio", "-nodefaults", "-nographic")


def _cpu(target: Target) -> list[str]:
    return ["-cpu", target.machine] if target.machine else []


def _plugin(agent: Path, counting: Counting | None) -> list[str]:
    return counting.plugin_words(agent.parent) if counting else []


def _emulated(words: list[str], counting: Counting | None, *, standard_streams: bool) -> Start:
    inherited = counting.descriptors if counting else ()
    return Start(words, standard_streams, EMULATED_LIMITS, inherited)


AgentT = TypeVar("AgentT", bound=Agent)
REMOTE_PATIENCE_SECONDS = 2 * ANSWER_SECONDS


class Placing(Struct, frozen=True):
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

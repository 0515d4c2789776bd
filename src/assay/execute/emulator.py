# SPDX-License-Identifier: MIT
"""How an agent is started on a target: what to call, and where it speaks the protocol."""

from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import MachineError
from assay.execute.calls import Calls
from assay.execute.counting import Counting
from assay.execute.jail import AGENT_LIMITS, Limits
from assay.model import Runner, Target
from assay.targets import wine

# An emulator reserves the whole address space of its guest; what is used stays small.
EMULATED_LIMITS = replace(AGENT_LIMITS, memory_bytes=64 << 30, wall_seconds=600, cpu_seconds=600)
EMULATED_PATIENCE_SECONDS = 60.0  # an answer that takes 10 s natively is not to be had


@dataclass(frozen=True, slots=True)
class Start:
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

# SPDX-License-Identifier: MIT
"""A use under valgrind, with what is secret or unwritten marked by the roles of variables."""

from collections.abc import Iterable

from assay.check.arena import Arena
from assay.check.lengths.far import marked
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.execute.agent import Agent, AgentError
from assay.execute.valgrind import Complaint, fence, mark

LENGTHS = (0, 1, 64, 200, 1100)  # what takes 16 blocks of 64 bytes at once does so with the last


def use(trial: AnyTrial, agent: Agent, secrets: bool) -> list[Complaint]:
    """Use everything; return the outputs that are not of what was written."""
    session = trial.converse(agent)
    found: list[Complaint] = []
    lengths = (*LENGTHS, *marked(trial)) if secrets else LENGTHS
    for batch in trial.uses(lengths, wide=True):
        agent.forget_buffers()
        arena = Arena(session)
        for routine in batch:
            arena.lay(routine)
            arena.fill(routine)
            hidden = tuple(_secret(routine) if secrets else _unwritten(routine))
            _mark(arena, hidden, secret=True)
            fence_all(arena, routine)
            arena.go(routine.steps)
            if not secrets:
                found += _undefined(arena, routine)
            _mark(arena, hidden, secret=False)
    return found


def fence_all(arena: Arena, routine: Routine) -> None:
    """Let no use of a routine's variables go beyond them unseen."""
    for name, variable in routine.variables.items():
        fence(arena.session.agent, arena.buffer(name), variable.size)


def _secret(routine: Routine) -> Iterable[str]:
    return (name for name, one in routine.variables.items() if one.secret)


def _unwritten(routine: Routine) -> Iterable[str]:
    return (name for name, one in routine.variables.items() if not one.is_input)


def _mark(arena: Arena, names: Iterable[str], *, secret: bool) -> None:
    for name in names:
        if not mark(arena.session.agent, arena.buffers[name], secret=secret).heard:
            raise AgentError("the agent was compiled without valgrind's headers")


def _undefined(arena: Arena, routine: Routine) -> Iterable[Complaint]:
    """Name the outputs of which bytes are not defined by what was written."""
    for name in routine.outputs:
        size = routine.variables[name].size
        count = mark(arena.session.agent, arena.buffers[name], size, secret=False).undefined
        if count:
            what = f"{count} of {size} bytes of the {name} depend on uninitialised memory"
            yield Complaint(what, False, True, ())

# SPDX-License-Identifier: MIT
"""What an operation takes: stack and heap of each function, and flash.

What randombytes takes, the bench's own, is in the stack.
"""

from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import CheckFailed
from assay.check.engine.instruments import dropping
from assay.check.engine.workshop import Workshop
from assay.check.operation.routines import OperationUse, fresh, group
from assay.check.operation.session import OperationSession
from assay.check.routine import Routine, RoutineOutcome
from assay.compile.recipe import Recipe
from assay.elf.files import object_sizes
from assay.execute.agent import Agent, AgentError, AgentNoRoom
from assay.execute.circumstances import heap_use
from assay.measure.audit import WrongOutput
from assay.measure.counted import MOST_PAINT_BYTES, reached
from assay.model import BrokenPackage, OperationSubject, Package
from assay.model.footprint import FunctionMemory
from assay.model.operations import OPERATIONS
from assay.package.skeleton import definition
from assay.package.supercop.load import load

EMPTY = "x"  # the letter of which the name of an empty implementation is made
LENGTHS = (160, 32)  # of messages: the longest that there is room for


def net_flash(workshop: Workshop, recipe: Recipe, subject: OperationSubject) -> int | None:
    """Return by how many bytes of flash an agent has more with a package than with an empty one.

    Of both the linker drops what nothing refers to, and of a C library that is not linked into
    them nothing is counted. None where one of them cannot be built.
    """
    own = dropping(recipe)
    with TemporaryDirectory(prefix="assay-empty-") as folder:
        empty = replace(own, package=_empty(Path(folder), subject))
        made = [workshop.build(one).agent for one in (own, empty)]
    with_it, without = (object_sizes(one) if one else None for one in made)
    return sum(with_it[:2]) - sum(without[:2]) if with_it and without else None


def _empty(tree: Path, subject: OperationSubject) -> Package:
    """Write an implementation of the same primitive whose functions do nothing."""
    operation = OPERATIONS[subject.operation]
    name = EMPTY * len(subject.implementation)  # it is in the agent, too
    folder = tree / subject.operation / subject.primitive / name
    folder.mkdir(parents=True)
    constants = (f"#define CRYPTO_{name} {value}\n" for name, value in subject.constants)
    (folder / "api.h").write_text("".join(constants))
    own = (one for one in operation.functions if one.suffix in subject.functions)
    functions = "\n".join(definition(operation, one) for one in own)
    (folder / "empty.c").write_text(f'#include "{operation.name}.h"\n{functions}')
    package = load(tree, f"{subject.operation}/{subject.primitive}/{name}")
    if isinstance(package, BrokenPackage):
        raise AgentError(f"an empty implementation is refused: {package.reason}")
    return package


def memory(agent: Agent, subject: OperationSubject) -> tuple[FunctionMemory, ...]:
    """Return what each function takes for a message of LENGTHS."""
    room = agent.paint(MOST_PAINT_BYTES)
    for length in LENGTHS:
        try:
            found = _functions(agent, subject, length, room)
        except AgentNoRoom:
            agent.forget_buffers()
            if length == LENGTHS[-1]:
                raise
        else:
            agent.paint(0)
            return found
    raise AssertionError(LENGTHS)


def _functions(
    agent: Agent, subject: OperationSubject, length: int, room: int
) -> tuple[FunctionMemory, ...]:
    """Use all functions one after another; of one that is called more than once, the deepest."""
    session, found = OperationSession(agent, subject), dict[str, FunctionMemory]()
    arena, timed = Arena(session), group(subject, length, length)

    def perform(routine: Routine) -> RoutineOutcome:
        one, outcome = _call(session, arena, routine, room)
        known = found.setdefault(one.function, one)
        found[one.function] = max(known, one, key=lambda each: each.stack_bytes)
        return outcome

    for _ in OperationUse(subject, timed, fresh(SystemRandom().randbytes, timed)).in_turn(perform):
        pass
    return tuple(found.values())


def _call(
    session: OperationSession, arena: Arena, routine: Routine, room: int
) -> tuple[FunctionMemory, RoutineOutcome]:
    """Make a call twice, and look at the second: the first may load what was left open."""
    (step,) = routine.steps
    for _ in range(2):
        arena.lay(routine)
        arena.fill(routine)
        session.hollow(routine.steps, arena.resolved)
        session.settle()
        base = session.agent.depth()
        heap_use(session.agent)
        results = arena.go(routine.steps)
        session.settle()
        found = reached(session.agent, step.function, base, room)
        if heap := heap_use(session.agent):
            found = replace(found, allocations=heap[0], heap_bytes=heap[1])
    try:
        return found, arena.taken(routine, results).value
    except CheckFailed as failed:
        raise WrongOutput(f"while its memory was measured {failed}") from None

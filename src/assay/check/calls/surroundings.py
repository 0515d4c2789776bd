# SPDX-License-Identifier: MIT
"""Whether results depend on the arguments alone: not on process, processor, thread or modes.

Every call of a routine is made in a thread of its own, so a context is used by other threads
than the one that set it up. Then a thread changes what another one has already used.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from assay.check.arena import Arena, PendingOutcome
from assay.check.check import (
    Check,
    CheckFailed,
    CheckInapplicable,
    CheckSkipped,
    Origin,
    refusal_means,
)
from assay.check.evidence import judge
from assay.check.routine import Routine, RoutineOutcome
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial, Batch, Provoked
from assay.errors import MachineError
from assay.execute.agent import Agent, AgentFault
from assay.execute.circumstances import MODES, in_threads, set_modes
from assay.model.api import Promise, Role

UNITS = 9
REST = 7
LEAST = 64
FILLINGS = (0x3C, 0xC3, 0x99)

LENGTHS = (1, 64, 1025)

GUISE_LENGTH = 129
Answered = tuple[Routine, RoutineOutcome]

THREADS_LENGTH = 201
KIB = 1024
STACKS = tuple(64 * KIB << step for step in range(8))
SECONDS = 0.5
MOST_PROCESSES, DEEP_SECONDS = 2000, 30.0  # some bits of their addresses are one value of 256

MODES_LENGTH = 201


def deterministic(trial: AnyTrial) -> None:
    """Ask the same of several processes, each with memory and stack of its own."""
    batches = list(trial.uses((max(UNITS * trial.unit, LEAST) + REST,)))
    with trial.session() as session:
        first = [_all(Arena(session), batch, FILLINGS[0]) for batch in batches]
        expected = [[one.value for one in outcomes] for outcomes in first]
    for filling in FILLINGS[1 : 3 if trial.thorough else 2]:
        with trial.fresh_session() as session:
            for batch, outcomes in zip(batches, expected, strict=True):
                arena = Arena(session)
                again = _all(arena, batch, filling)
                for routine, before, after in zip(batch, outcomes, again, strict=True):
                    complaint = f"two processes get different results from {routine.name}"
                    judge(arena, routine, complaint, before, after.value)


def _all(arena: Arena, batch: Batch, filling: int) -> list[PendingOutcome]:
    """Perform all routines, each with something else in contexts and outputs before it."""
    outcomes = []
    for routine in batch:
        arena.lay(routine)
        for name in routine.having(Role.STATE):
            arena.put(name, bytes([filling]) * routine.variables[name].size)
        outcomes.append(arena.begin(routine, filling))
    return outcomes


DETERMINISTIC: Check[AnyTrial] = Check(
    name="calls/deterministic",
    asks="Do the same calls give the same results in every process and at every address?",
    why=(
        "Code that depends on uninitialised memory, on addresses or on time works on the "
        "author's machine and fails elsewhere. Ciphers and hashes are asked in several processes, "
        "operations at two addresses."
    ),
    cure=(
        "Let set-up functions set everything that is read later. Look for reads beyond an input "
        "and for output bytes that are never written. `valgrind` and `-fsanitize=memory` show the "
        "place."
    ),
    run=deterministic,
    origin=Origin.SUPERCOP,
)


def processor(trial: AnyTrial) -> None:
    """Ask the same of a processor that has nothing but what every one of its architecture has."""
    if trial.bench is None or trial.bench.plain is None:
        raise CheckInapplicable("a plain processor is emulated for x86-64 alone")
    trial.only_deep()
    try:
        with trial.bench.plain() as agent:
            _compare(trial, agent)
    except MachineError as error:
        raise CheckSkipped(f"{error} {error.cure}".strip()) from None
    except AgentFault as fault:
        if fault.signal != "SIGILL":
            raise
        raise CheckFailed(
            f"it does not look whether the processor has the instructions that it uses: {fault}"
        ) from None


def _compare(trial: AnyTrial, agent: Agent) -> None:
    with trial.session() as session:
        other = trial.converse(agent)
        for batch in trial.uses(LENGTHS):
            here, there = Arena.alone(session), Arena.alone(other)
            for routine in trial.representative(batch):
                complaint = f"on a processor without extensions {routine.name} differs"
                judge(there, routine, complaint, here.outcome(routine), there.outcome(routine))


PROCESSOR: Check[AnyTrial] = Check(
    name="calls/processor",
    asks="Are the results the same on a processor without extensions?",
    why=(
        "Code that uses AVX2 by an attribute, and does not ask the processor for it, ends with an "
        "illegal instruction on others; and a branch for a newer extension may be wrong where "
        "nobody tried. The package is compiled without `-march`, and QEMU runs it as the first "
        "x86-64 processors would."
    ),
    cure="Ask with __builtin_cpu_supports, or have the compiler's options say what is needed.",
    run=processor,
)


def surroundings(trial: AnyTrial) -> None:
    """Ask the same of agents that are launched in other ways.

    Functions without a context, which is set up by others, are the first call of an agent, too.
    """
    if trial.bench is None or not trial.bench.guises:
        raise CheckInapplicable("processes are launched in several ways on this machine alone")
    answered = _answered(trial)
    for one in (each for each in answered if not list(each[0].having(Role.STATE))):
        _ask(trial, trial.connect, (one,), "as the first call of a process")
    for looks, connect in trial.bench.guises:
        _ask(trial, connect, answered, f"in a process that looks like {looks}")
    if trial.deep:
        for _ in trial.budget(DEEP_SECONDS).by_clock(range(MOST_PROCESSES)):
            _ask(trial, trial.connect, answered, "in one of many processes")


def _ask(
    trial: AnyTrial, connect: Callable[[], Agent], answered: Iterable[Answered], where: str
) -> None:
    """Perform functions in an agent of their own; CheckFailed if one gives something else."""
    with connect() as agent:
        session = trial.converse(agent)
        for routine, expected in answered:
            arena = Arena.alone(session)
            complaint = f"{where}, {routine.name} differs"
            judge(arena, routine, complaint, expected, arena.outcome(routine))


def _answered(trial: AnyTrial) -> list[Answered]:
    """Perform all functions as every check does."""
    with trial.session() as session:
        batches = list(trial.computations(session, (GUISE_LENGTH,)))
        return [
            (one, Arena.alone(session).outcome(one))
            for batch in batches
            for one in batch
            if not trial.draws(one)
        ]


SURROUNDINGS: Check[AnyTrial] = Check(
    name="calls/surroundings",
    asks="Are results the same in new processes, like those that are timed, and like a user's?",
    why=(
        "Code can look for signs of a test: variables of the environment, the name of the "
        "program, a filter of system calls, one processor instead of all. So functions are "
        "called in a process that has the signs of a measurement, and in one that has none: not "
        "sealed, and with the name, the variables, the folder and the host of a user's program. "
        "Code can also set up tables in one function that another one needs: so each is the first "
        "call of a new process, too, if it needs no context. With `--deep` up to 2,000 processes "
        "are asked, each of which lies at other addresses."
    ),
    cure="Let results depend on the arguments alone.",
    run=surroundings,
)


def threads(trial: AnyTrial) -> str:
    """Make the same calls in threads as in none, with the least stack on which all go well."""
    needed = STACKS[0]
    for needed in STACKS:
        try:
            _with_stacks(trial, needed)
            break
        except Provoked:
            continue
    return "" if needed == STACKS[0] else f"threads need a stack of {needed // KIB} KiB"


def _with_stacks(trial: AnyTrial, stack: int) -> None:
    """Make calls in threads with such a stack, all by one agent."""
    with trial.fresh_session(sealed=False) as session:
        budget = trial.budget(SECONDS)
        for batch in trial.computations(session, (THREADS_LENGTH,)):
            arena = Arena.alone(session)
            for routine in budget.each(session, trial.representative(batch)):
                expected = arena.anew(routine)
                if arena.anew(routine) == expected:
                    _each_in_a_thread(arena, routine, expected, stack)
                    _taking_turns(trial, arena, routine, expected)


def _each_in_a_thread(
    arena: Arena, routine: Routine, expected: RoutineOutcome, stack: int
) -> None:
    """Make each call in a thread; Provoked for a fault that a larger stack may prevent."""
    try:
        with _threads(arena.session, stack):
            actual = arena.anew(routine)
    except AgentFault as fault:
        if stack == STACKS[-1]:
            raise
        raise Provoked(str(fault)) from None
    complaint = (
        f"{routine.name} gives another result if each call is made by another thread, with "
        f"a stack of {stack // KIB} KiB"
    )
    judge(arena, routine, complaint, expected, actual)


@contextmanager
def _threads(session: BaseSession, stack_bytes: int) -> Iterator[None]:
    """Have each call meanwhile made in a thread of its own, with such a stack."""
    with refusal_means(CheckInapplicable("there are no threads on this target")):
        in_threads(session.agent, stack_bytes)
    try:
        yield
    finally:
        in_threads(session.agent, 0)


def _taking_turns(
    trial: AnyTrial, arena: Arena, routine: Routine, expected: RoutineOutcome
) -> None:
    """Use a context for something else, set it up in a thread, and go on without one."""
    if not routine.having(Role.STATE) or len(routine.steps) < 2:
        return
    for at in sorted({max(routine.setup, 1), len(routine.steps) - 1}):
        other = routine
        for name in routine.inputs:
            other = other.given(name, trial.bytes(routine.variables[name].size))
        arena.anew(other)
        arena.forget()
        arena.fill(routine)
        with _threads(arena.session, STACKS[-1]):
            arena.go(routine.steps[:at])
            arena.session.settle()
        actual = arena.taken(routine, arena.go(routine.steps[at:])).value
        complaint = (
            f"{routine.name} gives another result if another thread has made the first "
            f"{at} of its {len(routine.steps)} calls"
        )
        judge(arena, routine, complaint, expected, actual)


THREADS: Check[AnyTrial] = Check(
    name="calls/threads",
    asks="May each call be made by another thread, whose stack is small?",
    why=(
        "Servers hand a connection with its context from thread to thread. What one thread has "
        "cached another one does not see, and stacks of 64 to 256 KiB are common."
    ),
    cure="Keep all state in the context, and no large arrays on the stack.",
    run=threads,
)


def modes(trial: AnyTrial) -> None:
    """Make the same calls under several modes."""
    with trial.session() as session:
        for batch in trial.computations(session, (MODES_LENGTH,)):
            arena = Arena.alone(session)
            for routine in batch:
                expected = arena.anew(routine)
                for mode, says in MODES.items():
                    with refusal_means(CheckInapplicable("no such modes are known here")):
                        set_modes(session.agent, mode)
                    actual = arena.anew(routine)
                    set_modes(session.agent, 0)
                    complaint = f"{routine.name} gives another result if the caller {says}"
                    if arena.anew(routine) == expected:  # what draws randomness differs anyway
                        judge(arena, routine, complaint, expected, actual)


FLOATING_POINT_MODES: Check[AnyTrial] = Check(
    name="abi/modes",
    asks="Are results the same whatever floating-point modes the caller has set?",
    why=(
        "Programs that compute with sound, pictures or intervals round otherwise and flush "
        "denormal numbers to zero; the modes hold in all functions that they call."
    ),
    cure=(
        "Compute with integers. Code that needs floating point sets the modes that it needs, and "
        "restores the caller's before it returns."
    ),
    run=modes,
    excuse=lambda trial: trial.excuse(Promise.MODES),
)

# SPDX-License-Identifier: MIT
"""Whether a call depends on what earlier ones did, or left in memory.

The agent itself compares the outputs of each of thousands of rounds with those of the first, so a
round takes little more than the calls. A byte that is read before it is written often has no
influence unless it has one value of 256. So all values are tried: in contexts, in outputs and on
the stack, at first together.

Of operations alone, whose packages are one object, an agent can read and write static memory.
"""

import time
from collections.abc import Collection, Iterator
from contextlib import suppress

from msgspec.structs import replace

from assay.check.arena import FILLING, Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckSkipped,
    refusal_means,
)
from assay.check.evidence import difference
from assay.check.operation.script import STATE, Script
from assay.check.operation.session import SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome
from assay.check.trial import AnyTrial, Provoked
from assay.execute.agent import AgentError, AgentFault, AgentLost, AgentRefusal
from assay.execute.circumstances import again
from assay.execute.patience import OutOfPatience
from assay.model.api import Role

CALLS_LENGTH = 64
ROUNDS, DEEP_ROUNDS, BOARD_ROUNDS = 4096, 1_200_000, 256  # some boards have no clock
CALLS_SECONDS, DEEP_SECONDS = 0.12, 20.0  # for each routine, and for all of them
TOLD_FROM = 1000

LENGTH = 77
RUBBISH_BYTES = 96 * 1024
SMALL_STACK_BYTES = 256  # where memory is small
RUBBISH = (0x00, 0xFF, 0x5A)

VALUES = 256
BLOCK = 64
STACK_BYTES = 2048  # below the call; what lies deeper is the business of state/stack
SECONDS, REFUSED_SECONDS, SPECIAL_SECONDS = 0.4, 0.15, 0.1
ANOTHER = 0xCA


def many_calls(trial: AnyTrial) -> str:
    """Repeat each routine, from its first step on, where nothing was called before."""
    done: list[int] = []
    with trial.fresh_session() as session:
        for batch in trial.computations(session, (CALLS_LENGTH,)):
            chosen = trial.representative(batch)
            seconds = DEEP_SECONDS / len(chosen) if trial.deep else CALLS_SECONDS
            arena = Arena.alone(session)
            done += [_repeated(trial, arena, routine, seconds) for routine in chosen]
    fewest = min(done, default=0)
    return f"{fewest} rounds of each" if trial.deep and TOLD_FROM < fewest < DEEP_ROUNDS else ""


def _repeated(trial: AnyTrial, arena: Arena, routine: Routine, seconds: float) -> int:
    """Return how often a routine was performed; raise if it gave another result."""
    most = BOARD_ROUNDS if trial.on_board else DEEP_ROUNDS if trial.deep else ROUNDS
    first = arena.outcome(routine)
    if arena.outcome(routine) != first:
        return most  # calls/deterministic says whether that may be
    watched = [(arena.buffer(name), routine.variables[name].size) for name in routine.outputs]
    requests = arena.requests(routine)
    with refusal_means(CheckInapplicable("the agent cannot repeat calls by itself")):
        seconds = trial.budget(seconds).seconds
        rounds, other = again(arena.session.agent, requests, watched, most, seconds)
    if other:
        found = f"in round {other} {routine.name} gives another result than in the first"
        if trial.draws(routine):
            raise CheckSkipped(f"{found}; it may keep randomness from call to call")
        raise CheckFailed(found)
    return rounds


MANY_CALLS: Check[AnyTrial] = Check(
    name="state/calls",
    asks="Does a call give the same result after thousands of others, as far as it is fast?",
    why=(
        "Short tests miss a static counter that overflows, a table that fills up, and a buffer "
        "that is refilled now and then. `--deep` repeats fast code a million times."
    ),
    cure="Keep all state in the context, and none between calls where there is none.",
    run=many_calls,
)


def rubbish(trial: AnyTrial) -> None:
    """Leave different rubbish on the stack before the same calls."""
    with trial.session() as session:
        for batch in trial.computations(session, (LENGTH,)):
            session.agent.forget_buffers()
            for routine in batch:
                _over_rubbish(trial, Arena(session), routine)


def _over_rubbish(trial: AnyTrial, arena: Arena, routine: Routine) -> None:
    """Compare what comes out over different rubbish; it is the stack if the same repeats."""
    first, *others = RUBBISH[:2] if trial.stretch and not trial.deep else RUBBISH
    expected = _after(trial, arena, routine, first)
    for value in others:
        shown = difference(expected, _after(trial, arena, routine, value, value))
        if shown and _after(trial, arena, routine, first) == expected:
            on_stack = _after(trial, arena, routine, value) != expected
            what = "was on the stack" if on_stack else "its outputs held"
            raise CheckFailed(f"the result of {routine.name} depends on what {what} before", shown)


def _after(
    trial: AnyTrial, arena: Arena, routine: Routine, value: int, held: int = FILLING
) -> RoutineOutcome:
    """Return what comes out with bytes of a value on the stack, and others in the outputs."""
    length = SMALL_STACK_BYTES if trial.on_board else RUBBISH_BYTES
    with refusal_means(CheckSkipped("there is no room for rubbish on the stack")):
        arena.session.dirty(length, value)
        arena.session.settle()
    arena.forget()  # what the code may have changed is not what is asked about
    outcome = arena.begin(routine, held)
    arena.session.dirty(0, 0)
    return outcome.value


STACK: Check[AnyTrial] = Check(
    name="state/stack",
    asks="Are results independent of earlier contents of the stack and of outputs?",
    why=(
        "An uninitialised variable may have the same value in every test and another one in use. "
        "Code for long messages is asked, too: it may add to an output what belongs there."
    ),
    cure="Initialise the variable; memory/initialised (`--deep`) names it.",
    run=rubbish,
)


def leftovers(trial: AnyTrial) -> str:
    """Perform a routine over every value."""
    budget = trial.budget(SECONDS)
    length = max(trial.unit, BLOCK) + 1
    with trial.session() as session:
        for batch in trial.computations(session, (length,)):
            session.agent.forget_buffers()
            for routine in trial.representative(batch):
                _over_all(trial, Memory(Arena(session), routine), budget)
        refused, few = trial.refused(session, (length,)), trial.budget(REFUSED_SECONDS)
        session.agent.forget_buffers()
        for routine in refused:
            _over_all(trial, Memory(Arena(session), routine, refused=True), few)
    _special(trial, length)
    return budget.remark("values")


def _special(trial: AnyTrial, length: int) -> None:
    """Perform routines on inputs of zeros, and of ones, over two values."""
    budget = trial.budget(SPECIAL_SECONDS)
    with suppress(AgentLost), trial.session() as session:  # some code ends where it should refuse
        for batch in trial.computations(session, (length,)):
            session.agent.forget_buffers()
            some = [one for routine in trial.representative(batch) for one in _uniform(routine)]
            for routine in trial.some(some):
                if not budget.over:
                    memory = Memory(Arena(session), routine, refused=True)
                    _over_all(trial, memory, budget, (ANOTHER,))


def _uniform(routine: Routine) -> Iterator[Routine]:
    """Set each input that matters to zeros, and to ones."""
    for name, one in routine.variables.items():
        if one.is_input and one.matters and one.size > one.fixed:
            for byte in (0x00, 0xFF):
                value = bytes(one.fixed) + bytes([byte]) * (one.size - one.fixed)
                changed = routine.given(name, value)
                yield replace(changed, name=f"{routine.name}, with {name} of {byte:02x},")


def _over_all(
    trial: AnyTrial,
    memory: "Memory",
    budget: Budget,
    values: Collection[int] = range(1, VALUES),
) -> None:
    """Perform a routine over each value; the outcomes are looked at in the end."""
    expected = memory.told(memory.holding())
    if memory.told(memory.holding()) != expected:
        return  # it draws randomness
    mixed = trial.some(tuple(values))
    chosen = mixed[:8] if trial.on_board else mixed
    outcomes = [
        (value, memory.holding(value, value, value))
        for value in budget.each(memory.arena.session, chosen)
    ]
    for value, outcome in outcomes:
        if memory.told(outcome) != expected:
            _name(memory, expected, value)


class Memory:
    """A routine, and where it is performed."""

    def __init__(self, arena: Arena, routine: Routine, *, refused: bool = False) -> None:
        """Find out whether anything can be put on the stack."""
        self.arena, self.routine, self._refused = arena, routine, refused
        self._has_stack = True
        try:
            self._stack(STACK_BYTES, 0)
            arena.session.settle()
        except AgentRefusal:
            self._has_stack = False
        self._stack(0, 0)

    def holding(self, context: int = 0, output: int = 0, stack: int = 0) -> PendingOutcome:
        """Perform the routine over bytes of these values, which stood there before."""
        self.arena.lay(self.routine)
        for name in self.routine.having(Role.STATE):
            self.arena.put(name, bytes([context]) * self.routine.variables[name].size)
        self._stack(STACK_BYTES, stack)
        outcome = self.arena.begin(self.routine, output)
        self._stack(0, 0)
        return outcome

    def told(self, pending: PendingOutcome) -> RoutineOutcome:
        """Return what came out: outputs of what is refused may stay as they were."""
        outcome = pending.value
        refuses = self._refused and any(outcome.results)
        return replace(outcome, outputs={}) if refuses else outcome

    def _stack(self, length: int, value: int) -> None:
        if self._has_stack:
            self.arena.session.dirty(length, value)


def _name(memory: Memory, expected: RoutineOutcome, value: int) -> None:
    """Raise CheckFailed with what it depends on; nothing if it does not happen again."""
    places = {
        "context": "its context held",
        "output": "its outputs held",
        "stack": "was on the stack",
    }
    for one, says in places.items():
        actual = memory.told(memory.holding(**{one: value}))
        if actual != expected and memory.told(memory.holding()) == expected:
            raise CheckFailed(
                f"the result of {memory.routine.name} is another one for one value of what {says} "
                "before",
                f"bytes of value {value}\n{difference(expected, actual)}",
            )


RESIDUE: Check[AnyTrial] = Check(
    name="state/residue",
    asks="Are results the same for every value that contexts, outputs and the stack held before?",
    why=(
        "An uninitialised byte may matter only if it has one of 256 values. Such code passes "
        "tests for years, and is wrong for one user in hundreds."
    ),
    cure="Set every byte before it is read; memory/initialised (`--deep`) names it.",
    run=leftovers,
)


STATIC_SECONDS = 0.6
STATIC_LENGTH = 64
MOST_STATE_BYTES = 4 << 20
TRIED_BYTES = 48
FEWEST_KEPT = 4  # bytes that are no number
FLIP = 0x80


def run_leftover(trial: OperationTrial) -> None:
    """Change what a call left in static memory, and call again."""
    size = trial.subject.state_bytes
    if size == 0:
        raise CheckSkipped("the package has no static memory that it could write")
    if size > MOST_STATE_BYTES:
        raise CheckSkipped(f"its static memory has {size} bytes")
    remarks: list[str] = []
    (length,), kept = trial.asked((STATIC_LENGTH,)), ""
    with trial.session() as session:
        calls = trial.calls(session, length)
        with session.seeded(trial.bytes(len(SEED))):  # with another key pair
            others = trial.calls(session, length)
    for name, routine in calls.items():
        found = ""
        with suppress(Provoked), trial.session() as session:
            found = _tamper(trial, session, routine, others[name])
        if found and not trial.draws(routine):
            raise CheckFailed(found)
        remarks += [f"{found}; it may keep randomness from call to call"] if found else []
        with trial.session() as session:
            kept = kept or _kept(session, routine, others[name])
    if kept:
        raise CheckFinding(kept)
    if remarks:
        raise CheckSkipped(remarks[0])


def _tamper(
    trial: OperationTrial, session: OperationSession, routine: Routine, other: Routine
) -> str:
    """Flip bytes that differ from call to call; none of them may matter to the next one.

    Those that differ between equal calls count them, as a lock does that gives numbers to those
    who wait: if the code then waits for ever or faults, that is Provoked. They come last.
    """
    arena, began = Arena(session), time.monotonic()
    expected = arena.outcome(routine)
    usual = time.monotonic() - began
    first = session.static_memory()
    if arena.outcome(routine) != expected:
        return ""
    arena.outcome(other)
    after_other = session.static_memory()
    arena.outcome(routine)
    state = session.static_memory()
    changed = [at for at, (a, b) in enumerate(zip(state, after_other, strict=True)) if a != b]
    budget = trial.budget(STATIC_SECONDS)
    tried = trial.some(changed, TRIED_BYTES)
    for at in sorted(tried, key=lambda one: state[one] != first[one]):
        try:
            with budget.spending(session.agent), session.waiting(usual):
                session.run(_flipped(state, at))
                same = arena.outcome(routine) == expected
        except OutOfPatience:
            raise
        except AgentError as error:
            if state[at] != first[at]:
                raise Provoked(str(error)) from None
            if not isinstance(error, AgentFault):
                raise
            same = False
        if not same:
            return (
                f"the result of {routine.name} depends on byte {at} of the package's static "
                "memory, which an earlier call has written"
            )
        if budget.over:
            break
    return ""


def _kept(session: OperationSession, routine: Routine, other: Routine) -> str:
    """Return what static memory keeps of a call's inputs, which two threads would share.

    What a call counts differs from itself, and a table is the same after all calls.
    """
    arena, states = Arena(session), list[bytes]()
    for one in (routine, other, routine, other):
        arena.outcome(one)
        states.append(session.static_memory())
    first, second = zip(states[0], states[2], strict=True), zip(states[1], states[3], strict=True)
    count = sum(a == b != c == d for (a, b), (c, d) in zip(first, second, strict=True))
    return (
        f"{count} bytes of static memory depend on what {routine.name} was given last, and two "
        "threads that call it at once share them"
        if count >= FEWEST_KEPT
        else ""
    )


def _flipped(state: bytes, at: int) -> Script:
    script = Script()
    script.write(STATE, state)
    script.add(STATE, at, at + 1, FLIP)
    return script


STATIC_MEMORY = Check(
    "state/static-memory",
    "Are results independent of what earlier calls left in static memory?",
    (
        "Code that remembers its last message wins a benchmark that repeats one input, and two "
        "threads that share static memory corrupt each other's results. Static memory that ends "
        "up as the inputs have it is a finding: calls/at-once sees by chance what threads do."
    ),
    "Make variables local, and compute tables once, at compile time.",
    run_leftover,
)

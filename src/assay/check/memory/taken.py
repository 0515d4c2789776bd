# SPDX-License-Identifier: MIT
"""What calls take of the heap and of the stack, and what becomes of them where there is none.

Allocations fail, the first one, the second one, and so on. A wrong output that looks like a right
one is a failure. Code that crashes or ends the program costs availability and lets nothing wrong
out: that is a finding, as in PQClean's SHAKE.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from assay.check.arena import Arena
from assay.check.bench import Starved
from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckSkipped,
    Remark,
    refusal_means,
)
from assay.check.evidence import difference
from assay.check.object.calling import called
from assay.check.object.linked import objects_of
from assay.check.routine import Routine
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import Agent, AgentError, AgentFault, AgentLost, AgentRefusal
from assay.execute.circumstances import again, starve
from assay.execute.protocol import Request

ALLOCATE = frozenset(
    ("malloc", "calloc", "realloc", "aligned_alloc", "memalign", "valloc", "posix_memalign")
)
LENGTH = 201
MOST = 12  # allocations of a routine that fail one after another
SECONDS, DEEP_SECONDS = 4.0, 120.0  # by the clock, as each failure has a process of its own

LENGTHS = (129,)
WARMING = 2
ROUNDS, FEW_ROUNDS = 8, 2  # of a stretch; few of long messages, or where warming was slow
QUICK_SECONDS = 0.5
STRETCHES = 10  # of so many rounds
LEAST_BYTES = 16  # a round; the smallest block of a C library has more
MANY, MANY_SECONDS, REPETITIONS, SOME_BYTES = 1024, 0.05, 3, 256  # of calls in a row

MOST_PAINT = 1 << 20  # an agent paints as much of it as it has room for
SHORT, LONG = 100, 50_000
ORDERED, WORD = 8192, 4  # items of words
NEED_SECONDS, DEEP_NEED_SECONDS = 2.0, 30.0
SMALL_THREAD = 64 << 10
KIB = 1024


def allocation(trial: AnyTrial) -> str:
    """Let each allocation of each routine fail once, the first always; return what is left out."""
    starved = _starved(trial)
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    found: list[CheckFinding] = []
    with starved() as connect:
        session = trial.converse(connect())
        with session.agent:
            for batch in trial.computations(session, (LENGTH,)):
                session.agent.forget_buffers()
                for routine in trial.representative(batch):
                    for number in budget.by_clock(range(1, _asked(session, routine) + 1)):
                        found += _without(trial, connect, routine, number)
    if found:
        raise found[0]
    return budget.remark("failures of allocations")


def _starved(trial: AnyTrial) -> Starved:
    bench = trial.bench
    if bench is None or bench.starved is None or not called(objects_of(trial)) & ALLOCATE:
        raise CheckInapplicable("nothing is allocated")
    return bench.starved


def _asked(session: BaseSession, routine: Routine) -> int:
    """Return how many allocations a routine makes."""
    with refusal_means(CheckInapplicable("allocations cannot be made to fail here")):
        starve(session.agent, 0)
    Arena(session).outcome(routine)
    return min(starve(session.agent, 0)[0], MOST)


def _without(
    trial: AnyTrial, connect: Callable[[], Agent], routine: Routine, number: int
) -> list[CheckFinding]:
    """Perform a routine in a process of its own in which an allocation fails."""
    session = trial.converse(connect())
    with session.agent as agent:
        arena = Arena(session)
        expected = arena.outcome(routine)
        session.refused()
        arena.forget()
        starve(agent, number)
        try:
            actual = arena.outcome(routine)
        except (AgentFault, AgentLost) as end:
            what = f"{routine.name} crashes or ends the program if its allocation {number} fails"
            return [CheckFinding(f"{what}: {end}")]
        failed = starve(agent, 0)[1] and not session.refused()
        if failed and actual.results == expected.results and actual != expected:
            raise CheckFailed(
                f"{routine.name} gives a wrong output as if it were right if its allocation "
                f"{number} fails",
                difference(expected, actual),
            )
    return []


ALLOCATION: Check[AnyTrial] = Check(
    name="memory/allocation",
    asks="Are allocations that fail reported, and do they spoil no output?",
    why=(
        "Where memory is short `malloc` returns NULL. A message that is then sent as it was, or "
        "under a key of zeros, is worse than a crash."
    ),
    cure=(
        "Do without allocations: sizes are known or small. Otherwise look at every pointer, and "
        "return another result than 0."
    ),
    run=allocation,
)


def leaked(trial: AnyTrial) -> None:
    """Look at the heap before and after some rounds of calls."""
    try:
        with trial.session() as session:
            lost, rounds = _lost(trial, session)
            if not trial.stretch and _allocates(trial):
                _now_and_then(trial, session)
    except AgentRefusal:
        raise CheckSkipped("what the heap holds is not known here") from None
    except AgentError as error:
        raise CheckSkipped(f"it faults, which other checks report: {error}") from None
    if lost >= rounds * LEAST_BYTES:
        raise CheckFailed(f"{rounds} rounds of calls do not free {lost} bytes of the heap")


def _lost(trial: AnyTrial, session: BaseSession) -> tuple[int, int]:
    """Return by how many bytes the heap grows in some rounds, however often they are repeated.

    The second number is how many rounds.

    The C library keeps a few freed blocks of each size for later and counts them as taken. So
    the heap of honest code grows for a while, and for a stretch what is lost may come out of
    these blocks: not in two stretches, one after the other.
    """
    refused = trial.refused(session, LENGTHS)
    refused += tuple(trial.too_short(refused))
    _heap_bytes(session)
    few = bool(trial.stretch) and not trial.deep
    warming = trial.budget(QUICK_SECONDS)
    with warming.spending(session.agent):
        for _ in range(1 if few else WARMING):
            _round(trial, session, refused)
    rounds = FEW_ROUNDS if few or warming.over else ROUNDS
    before, last, least = _heap_bytes(session), math.inf, math.inf
    for _ in range(STRETCHES):
        for _ in range(rounds):
            _round(trial, session, refused)
        after = _heap_bytes(session)
        least = min(least, max(last, after - before))
        before, last = after, after - before
        if least < rounds * LEAST_BYTES:
            break
    return int(least), rounds


def _allocates(trial: AnyTrial) -> bool:
    """Return whether the package calls what allocates, as far as its object files are there."""
    with suppress(CheckSkipped):
        return bool(called(objects_of(trial)) & ALLOCATE)
    return False


def _now_and_then(trial: AnyTrial, session: BaseSession) -> None:
    """Repeat each use a thousand times: what grows each time may be lost in one of many calls."""
    for batch in trial.computations(session, LENGTHS):
        arena = Arena.alone(session)
        for routine in trial.representative(batch):
            arena.outcome(routine)
            grown: list[int] = []
            held = _heap_bytes(session)
            while len(grown) < REPETITIONS and (not grown or grown[-1] >= SOME_BYTES):
                again(session.agent, arena.requests(routine), (), MANY, MANY_SECONDS)
                before, held = held, _heap_bytes(session)
                grown.append(held - before)
            if min(grown) >= SOME_BYTES:
                raise CheckFailed(
                    f"{routine.name}: {REPETITIONS} times up to {MANY} calls do not free "
                    f"{sum(grown)} bytes of the heap"
                )


def _round(trial: AnyTrial, session: BaseSession, refused: Batch) -> None:
    """Use everything, with what is to be refused."""
    trial.use_all(session, LENGTHS)
    session.agent.forget_buffers()
    for routine in refused:
        Arena(session).use(routine)
    session.settle()


def _heap_bytes(session: BaseSession) -> int:
    return int(session.agent.ask(Request.HEAP, b"", "asking what the heap holds").number(8))


LEAK: Check[AnyTrial] = Check(
    name="memory/leak",
    asks="Do the functions free the memory that they allocate?",
    why=(
        "The APIs have no function that destroys a context, so memory that a call keeps is "
        "never freed, and a server runs out of it."
    ),
    cure="Keep the state in the context, and free memory in the call that allocated it.",
    run=leaked,
)


def stack_need(trial: AnyTrial) -> Remark:
    """Measure the deepest call for a short message and for a long one."""
    if trial.on_board:
        raise CheckSkipped("`assay size` measures the stack on boards")
    seconds = DEEP_NEED_SECONDS if trial.deep else NEED_SECONDS
    try:
        with trial.session() as session:
            trial.skip_if_slow(session, seconds, partial(trial.use_all, session, (SHORT,)), 4)
            short = _used_and_refused(trial, session, SHORT)
            room = session.agent.paint(MOST_PAINT)
            least = most = _deepest(session, short)
            what = f"{LONG}"
            if trial.measured[0]:
                most = _deepest(session, _used_and_refused(trial, session, LONG))
            if trial.measured[0] and trial.takes_words:
                ordered = max(_need(session, one) for one in _in_order(trial))
                if ordered > most:
                    most, what = ordered, f"{ORDERED} items that are in order, or all the same"
            session.agent.paint(0)
    except AgentRefusal:
        raise CheckSkipped("the stack cannot be measured here") from None
    except AgentError as error:
        raise CheckSkipped(f"it faults, which other checks report: {error}") from None
    return _judged(least, most, room, what)


def _in_order(trial: AnyTrial) -> Iterator[Routine]:
    """Yield uses of words that ascend, descend, or are the same: some code divides them badly."""
    for routine in trial.last_use((ORDERED,)):
        for name, one in routine.variables.items():
            size = one.size if one.value else 0
            up = [one.to_bytes(WORD, "little") for one in range(size // WORD)]
            for value in (b"".join(up), b"".join(reversed(up)), bytes(size)):
                if value and len(value) == size:
                    yield routine.given(name, value)


def _used_and_refused(trial: AnyTrial, session: BaseSession, length: int) -> Batch:
    return (*trial.representative(trial.last_use((length,))), *trial.refused(session, (length,)))


def _deepest(session: BaseSession, batch: Batch) -> int:
    return max(_need(session, one) for one in batch)


def _need(session: BaseSession, routine: Routine) -> int:
    """Return the bytes that the deepest of a routine's calls takes, from the second use on."""
    arena = Arena(session)
    arena.use(routine)
    arena.fill(routine)
    deepest = 0
    for step in routine.steps:
        session.hollow((step,), arena.resolved)
        base = session.agent.depth()
        arena.go((step,))
        deepest = max(deepest, session.agent.depth() - base)
    return deepest


def _judged(short: int, long: int, room: int, what: str) -> Remark:
    most = max(short, long)
    sizes = () if _is_beyond(most, room) else (("stack", most),)
    if long - short > (LONG - SHORT) // 2:
        raise CheckFinding(
            f"the stack that it needs grows with the message: {_kib(short, room)} for {SHORT} "
            f"bytes, {_kib(long, room)} for {what}",
            sizes=sizes,
        )
    if most > SMALL_THREAD:
        raise CheckFinding(
            f"it needs {_kib(most, room)} of stack; threads may have no more than "
            f"{SMALL_THREAD // KIB} KiB",
            sizes=sizes,
        )
    return Remark(sizes=sizes)


def _is_beyond(size: int, room: int) -> bool:
    """Return whether more may be needed than was painted."""
    return size > room - SMALL_THREAD // 8


def _kib(size: int, room: int) -> str:
    least = "at least " if _is_beyond(size, room) else ""
    return f"{least}{-(-size // KIB)} KiB"


STACK_NEED: Check[AnyTrial] = Check(
    name="memory/stack-need",
    asks="Do calls need less than 64 KiB of stack, whatever the length of the message?",
    why=(
        "Threads have 8 MiB by default with glibc, 512 KiB on macOS, 128 KiB with musl, and "
        "programs with many threads or coroutines give them less. Beyond the end of a stack is "
        "a fault, or somebody else's memory. Sorts are asked of items in order and of equal ones, "
        "too, which some divide badly."
    ),
    cure="Process messages in pieces of fixed size; keep large tables static and constant.",
    run=stack_need,
)

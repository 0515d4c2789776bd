# SPDX-License-Identifier: MIT
"""How much stack calls need, and whether it grows with the message."""

from assay.check.arena import Arena
from assay.check.check import Check, CheckFinding, CheckSkipped, Remark
from assay.check.routine import Routine
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentRefusal

MOST_PAINT = 1 << 20  # an agent paints as much of it as it has room for
SHORT, LONG = 100, 50_000
SMALL_THREAD = 64 << 10
KIB = 1024


def stack_need(trial: AnyTrial) -> Remark:
    """Measure the deepest call for a short message and for a long one."""
    if trial.on_board:
        raise CheckSkipped("`assay size` measures the stack on boards")
    *_, short = trial.uses((SHORT,))
    *_, long = trial.uses((LONG,))
    with trial.session() as session:
        try:
            room = session.agent.paint(MOST_PAINT)
        except AgentRefusal:
            raise CheckSkipped("the stack cannot be measured here") from None
        try:
            needs = {size: _deepest(trial, session, one) for size, one in
                     ((SHORT, short), (LONG, long))}  # fmt: skip
        finally:
            session.agent.paint(0)
    return _judged(needs[SHORT], needs[LONG], room)


def _deepest(trial: AnyTrial, session: BaseSession, batch: Batch) -> int:
    return max(_need(session, one) for one in trial.representative(batch))


def _need(session: BaseSession, routine: Routine) -> int:
    """Return the bytes that the deepest of a routine's calls takes, from the second use on."""
    arena = Arena(session)
    arena.use(routine)
    arena.fill(routine)
    session.agent.nothing()
    base, deepest = session.agent.depth(), 0
    for step in routine.steps:
        arena.go((step,))
        deepest = max(deepest, session.agent.depth() - base)
    return deepest


def _judged(short: int, long: int, room: int) -> Remark:
    most = max(short, long)
    sizes = () if _is_beyond(most, room) else (("stack", most),)
    if long - short > (LONG - SHORT) // 2:
        raise CheckFinding(
            f"the stack that it needs grows with the message: {_kib(short, room)} for {SHORT} "
            f"bytes, {_kib(long, room)} for {LONG}",
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


CHECK: Check[AnyTrial] = Check(
    name="memory/stack-need",
    asks="Do calls need less than 64 KiB of stack, whatever the length of the message?",
    why=(
        "Threads have 8 MiB by default with glibc, 512 KiB on macOS, 128 KiB with musl, and "
        "programs with many threads or coroutines give them less. Beyond the end of a stack is "
        "a fault, or somebody else's memory."
    ),
    cure="Process messages in pieces of fixed size; keep large tables static and constant.",
    run=stack_need,
)

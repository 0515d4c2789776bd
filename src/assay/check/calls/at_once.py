# SPDX-License-Identifier: MIT
"""Whether several threads may call an operation at once, each with inputs of its own.

A thread repeats a call on other inputs while the agent makes the one that is looked at. Each
draws from a generator of its own, so what comes out must be what came out without the other.
Code without static memory of its own, and without calls into libraries that may have some, has
nothing that threads could share.
"""

import time

from assay.check.arena import SECOND_BASE
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, refusal_means
from assay.check.object.calling import called
from assay.check.object.linked import objects_of
from assay.check.operation.calling import Repeated
from assay.check.operation.routines import REGISTERS
from assay.check.operation.script import STATE, Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine
from assay.execute.circumstances import again
from assay.execute.places import Register
from assay.execute.protocol import Request

LENGTH = 200
SECONDS = 0.25  # of both threads, for a function
SLICE_SECONDS = 0.03  # beside one thread: the system lets each of two have some turns meanwhile
FEW, MANY = 1, 20_000  # calls beside one thread
FIRST_CALLS, FIRST_SLICE_SECONDS = 400, 0.1  # of a function
FIRST_SECONDS, DEEP_FIRST_SECONDS = 1.5, 10.0  # of a processor; on a quiet one it takes 0.03
MOST_STATE_BYTES = 1 << 18  # that are set before each first call
THREADS = 12  # one after another
# What code may call without sharing anything but the heap, which the C library guards.
SHARING_NOTHING = frozenset(
    {
        *("memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "explicit_bzero"),
        *("malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"),
        *("abort", "assert_fail", "stack_chk_fail", "randombytes", "GLOBAL_OFFSET_TABLE_"),
    }
)
SUBROUTINE = "crypto_"


def at_once(trial: OperationTrial) -> None:
    """Make each function's call while a thread makes another one of the same function."""
    if not trial.subject.state_bytes:
        names = called(objects_of(trial)) - SHARING_NOTHING
        if all(one.startswith(SUBROUTINE) for one in names):  # of those the memory is known
            raise CheckSkipped("the package has no static memory that threads could share")
    with trial.fresh_session(sealed=False) as session:
        calls, others = (
            (*trial.calls(session, LENGTH).values(), *trial.refused(session, (LENGTH,)))
            for _ in range(2)
        )
        for routine, other in zip(calls, others, strict=False):
            session.agent.forget_buffers()
            pair = _Pair(session, routine, other)
            if pair.is_steady:
                budget = trial.budget(SECONDS, by_chance=True)
                for _ in range(THREADS):  # each may take eight times as long as the last
                    with budget.spending(session.agent):
                        pair.compare()
                    if budget.over:
                        break


def first_at_once(trial: OperationTrial) -> str:
    """Let two threads make the first call of each function at once, hundreds of times.

    A first call is one that finds static memory as it was when the process began.
    """
    size = trial.subject.state_bytes
    if not size:
        raise CheckInapplicable("the package has no static memory that a first call could fill")
    if size > MOST_STATE_BYTES:
        raise CheckSkipped(f"the package has {size} bytes of static memory")
    with trial.fresh_session(sealed=False) as session:
        image = session.static_memory()
        calls, others = (trial.calls(session, LENGTH) for _ in range(2))
        for name, routine in calls.items():
            seconds = (DEEP_FIRST_SECONDS if trial.deep else FIRST_SECONDS) / len(calls)
            _first(session, image, routine, others[name], trial.budget(seconds, by_chance=True))
    return ""


def _repeated(
    session: OperationSession, request: list[tuple[Request, bytes]], budget: Budget
) -> tuple[int, int]:
    """Repeat a request by processor time: on a busy machine threads wait for each other."""
    rounds = wrong = 0
    while rounds < FIRST_CALLS and not wrong and not budget.over:
        with budget.spending(session.agent):
            more, wrong = again(session.agent, request, [], FIRST_CALLS, FIRST_SLICE_SECONDS)
        rounds += more
    return rounds, wrong


def _first(
    session: OperationSession, image: bytes, routine: Routine, other: Routine, budget: Budget
) -> None:
    """Repeat the first call of a function beside another one, as long as it goes well."""
    session.agent.forget_buffers()
    call, beside = Repeated(session, routine), Repeated(session, other, SECOND_BASE)
    session.settle()
    alone, both = Script(), Script()
    for script in (alone, both):
        script.write(STATE, image)
    _beside(both, beside)
    for script in (alone, both):
        script.times(1, _once(call))
    expected = session.run(alone)
    if session.run(alone) != expected:
        return  # calls/deterministic says whether that may be
    with refusal_means(CheckInapplicable("there are no threads on this target")):
        found = session.run(both)
        request = [(Request.SCRIPT, both.payload)]
        rounds, wrong = _repeated(session, request, budget)
    if found != expected or wrong:
        raise CheckFailed(
            f"{routine.name} gives another result in one of {rounds + 1} first calls while "
            "another thread makes the first, too"
        )


class _Pair:
    """A call, and another one of the same function that a thread makes."""

    def __init__(self, session: OperationSession, routine: Routine, other: Routine) -> None:
        self._session, self._routine = session, routine
        call, self._other = Repeated(session, routine), Repeated(session, other, SECOND_BASE)
        for one in (call, self._other):
            one.arena.outcome(one.routine)
        self._once = _once(call)
        self._alone = session.run(self._once)
        self._count = FEW
        self.is_steady = session.run(self._once) == self._alone  # with nothing beside it

    def compare(self) -> None:
        """Make the call many times beside the other; CheckFailed if one goes otherwise."""
        script = Script()
        _beside(script, self._other)
        script.times(self._count, self._once)
        began = self._clock()
        with refusal_means(CheckInapplicable("there are no threads on this target")):
            answer = self._session.run(script)
        size = len(self._alone)
        pieces = (answer[at : at + size] for at in range(0, len(answer), size))
        wrong = sum(one != self._alone for one in pieces)
        if wrong:
            raise CheckFailed(
                f"{self._routine.name} gives another result in {wrong} of {self._count} calls "
                "while another thread calls it on other inputs"
            )
        if self._clock() - began < SLICE_SECONDS:
            self._count = min(MANY, 8 * self._count)

    def _clock(self) -> float:
        """Return the seconds that the agent's processors have worked, where that is known."""
        return self._session.agent.processor_seconds() or time.monotonic()


def _once(call: Repeated) -> Script:
    """Return the steps that set outputs, make the call, and answer all that it gave."""
    script = Script()
    call.set_outputs(script)
    script.seed(call.session.seed)
    script.call(call.step.number, call.arena.arguments(call.step))
    call.read_outputs(script)
    return script


def _beside(script: Script, other: Repeated) -> None:
    """Have a thread repeat a call; it writes lengths to registers that nobody else uses."""
    arguments = [
        Register(one.number + REGISTERS) if isinstance(one, Register) else one
        for one in other.arena.arguments(other.step)
    ]
    script.beside(other.step.number, arguments)


CHECK = Check(
    "calls/at-once",
    "May several threads call the functions at once, each with inputs of its own?",
    (
        "Servers sign and decrypt in many threads. Code with static buffers then gives one "
        "caller the other's result, or signs with a nonce of which an attacker knows a part."
    ),
    "Make variables local, and compute tables once, at compile time.",
    at_once,
)

FIRST_CHECK = Check(
    "calls/first-at-once",
    "May two threads make the first call of a program at once?",
    (
        "Tables that the first call computes, and choices of code by the processor, stand under a "
        "flag. If it is set too early, a second thread uses tables that are not there yet, and a "
        "program fails once in some thousand starts."
    ),
    "Compute tables at compile time, or set the flag with release order when all is done.",
    first_at_once,
)

# SPDX-License-Identifier: MIT
"""Whether long messages are processed to their end: beyond 4 KiB, 4 MiB and 2 GiB.

Nothing is as long as 2 GiB here: the memory of the message ends after some thousand bytes. Code
that processes all of the message must fault there. Code that returns has taken the length for a
smaller or a negative one, and would leave a message of that length unprocessed; unless it says
that it failed.
"""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice

from msgspec.structs import replace

from assay.check.arena import FILLING, SECOND_BASE, Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.evidence import difference, judge
from assay.check.lengths.apart import IdleByte
from assay.check.lengths.dependence import change
from assay.check.lengths.far import ALL_BLOCKS, named_lengths, seconds_of
from assay.check.routine import Argument, Routine, Splitter, Step, flipped
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial, Provoked
from assay.execute.agent import AgentError, AgentFault, AgentSilent
from assay.execute.conversation import REFUSED
from assay.execute.patience import OutOfPatience
from assay.model.api import Role

LONG = (4097, 4608, 8192, 16385, 65536, 100_003, ALL_BLOCKS)
FEW_LONG = (4097, 65536)
MESSAGES = (Role.MESSAGE, Role.DATA)  # keys are tried with short ones
MOST_NAMED = 4
RUBBISH = 0xFF
KIB_SECONDS = 2.0

LARGE = 5 << 20  # beyond 2^22, with a rest
REST, SHORT = 3, 67
WHOLE = (LARGE + REST, (1 << 20) + 5003)  # of code that takes a message in one call
TIMES, WHOLE_SECONDS = 12, 0.5
PROBE_BYTES = 1 << 18
SECONDS = 2.0
DEEP_SECONDS = 30.0

AGENTS = 4
LENGTH = 8219  # no other argument has this value
FEW_BEHIND, MOST_TAG = 2, 256
HUGE = (0x8000_0000, 0x8000_0000 + LENGTH, 0xFFFF_FFFF, 0xFFFF_FFF0, 0x1_0000_0000 + LENGTH)
Question = tuple[Routine, tuple[Step, ...], int]


def beyond_4_kib(trial: AnyTrial) -> str:
    """Use messages longer than most tests have."""
    if trial.on_board:
        raise CheckInapplicable("a board has no room for long messages")
    if not any(trial.measured):
        raise CheckInapplicable("there is no message")
    budget = trial.budget(KIB_SECONDS)
    named = trial.some(named_lengths(trial, least=LONG[0]), MOST_NAMED) if trial.thorough else ()
    for length in (*LONG, *named) if trial.thorough else FEW_LONG:
        if budget.over:
            budget.left_out += 1
            continue
        with trial.session() as session:
            for routine in _with_message(trial, session, length):
                arena = Arena(session)
                with budget.spending(session.agent):
                    _written_whole(arena, routine)
                change(trial, arena, routine, budget, MESSAGES, every=False)
        budget.asked += 1
    return budget.remark()


def _with_message(trial: AnyTrial, session: BaseSession, length: int) -> Iterator[Routine]:
    """Yield uses of each function; CheckInapplicable for one that has no message."""
    batch = trial.last_computation(session, (length,))
    session.agent.forget_buffers()
    for routine in trial.representative(batch):
        if not any(routine.having(role) for role in (Role.MESSAGE, Role.CIPHERTEXT)):
            raise CheckInapplicable("there is no message")
        yield routine


def _written_whole(arena: Arena, routine: Routine) -> None:
    """With other rubbish in its outputs a call must write the same."""
    first = arena.outcome(routine, FILLING)
    if arena.outcome(routine, FILLING) != first:
        return  # not deterministic by itself: calls/deterministic says whether it may be
    shown = difference(first, arena.outcome(routine, RUBBISH))
    if shown:
        raise CheckFailed(
            f"{routine.name} does not write all of its output: what was there before can be seen "
            "in it",
            shown,
        )


BEYOND_4_KIB: Check[AnyTrial] = Check(
    name="lengths/beyond-4-kib",
    asks="Are messages of 4,097 to 100,003 bytes processed completely?",
    why=(
        "SUPERCOP tests up to 4,096 bytes and measures up to 65,536; vectors are shorter. Code "
        "that returns at once beyond the tests would win. Every part of the message must change "
        "the output, and all of the output must be written."
    ),
    cure="Look for a truncated length (16 bits, int), and for early returns.",
    run=beyond_4_kib,
)


def beyond_4_mib(trial: AnyTrial) -> None:
    """Process a message of 5 MiB in one call, and in two; if it is one call, to its end."""
    native = trial.bench is None or trial.bench.target.is_native
    if trial.on_board or not native:
        raise CheckInapplicable("messages of megabytes are processed on this machine only")
    try:
        *_, splitter = islice(trial.splitters(LARGE + REST), 1)
    except CheckInapplicable:  # a message is one call
        _to_the_end(trial)
    else:
        _in_two(trial, splitter)


def _in_two(trial: AnyTrial, splitter: Splitter) -> None:
    with trial.session() as session:
        arena, other = Arena(session), Arena(session, base=SECOND_BASE)
        seconds = DEEP_SECONDS if trial.deep else SECONDS
        length = PROBE_BYTES // splitter.unit * splitter.unit
        probe = partial(arena.outcome, splitter.whole(length))
        trial.skip_if_slow(session, seconds, probe, 2 * splitter.length / length)
        half = LARGE // 2 // splitter.unit * splitter.unit
        expected = other.begin(splitter.cut((half, splitter.length - half)))
        routine = splitter.whole(splitter.length)
        complaint = f"{routine.name} in one call gives another result than in two"
        judge(arena, routine, complaint, expected.value, arena.anew(routine))
        short = splitter.whole(SHORT)
        arena.ready(short)
        found = arena.taken(short, arena.go(short.steps[short.setup :]))
        complaint = f"{short.name} after {splitter.length} bytes in the same context differs"
        judge(arena, short, complaint, other.outcome(short), found.value)


def _to_the_end(trial: AnyTrial) -> None:
    """Change the last byte of a message, and one in its second half."""
    if not any(trial.measured):
        raise CheckInapplicable("there is no message")
    seconds = DEEP_SECONDS if trial.deep else WHOLE_SECONDS
    length = next((one for one in WHOLE if TIMES * seconds_of(trial, one) <= seconds), 0)
    if not length:
        raise CheckSkipped("the code is slow: a message of a megabyte would take too long")
    with trial.session() as session:
        for routine in _with_message(trial, session, length):
            arena = Arena(session)
            before = arena.outcome(routine)  # what is drawn is another one each time, too
            for name, place in _late(trial, routine):
                changed = flipped(routine.value(name), place)
                if arena.outcome(routine.given(name, changed)) == before:
                    raise IdleByte(place, name, routine.name)


def _late(trial: AnyTrial, routine: Routine) -> Iterator[tuple[str, int]]:
    """Yield places of inputs that are long."""
    for name, one in routine.variables.items():
        end = one.size - one.idle
        if one.matters and one.role in MESSAGES and end > WHOLE[-1] // 2:
            yield from ((name, at) for at in (end - 1, trial.random.randrange(end // 2, end)))


BEYOND_4_MIB: Check[AnyTrial] = Check(
    name="lengths/beyond-4-mib",
    asks="Is a message of 5 MiB processed completely in one call?",
    why=(
        "Programs map files and encrypt or hash them in one call. Code that processes a part of "
        "it and returns leaves the rest as it was. Two calls must give the same result; where an "
        "API has one call for a message, bytes far behind its beginning must matter."
    ),
    cure="Process the message to its end, whatever the size of internal buffers.",
    run=beyond_4_mib,
)


def beyond_2_gib(trial: AnyTrial) -> str:
    """Announce lengths that are not there; return the remark on what was not asked."""
    if trial.on_board:
        raise CheckInapplicable("there is no guard page behind messages")
    waiting = deque(_questions(trial))
    if not waiting:
        raise CheckInapplicable("no call takes the length of a message")
    lost, alone = 0, False
    while waiting and lost < AGENTS:
        try:
            _ask(trial, waiting, alone=alone)
        except Provoked:
            alone = True
        except (AgentSilent, OutOfPatience):
            raise
        except AgentError:  # as code may that begins at the message's end
            lost += 1
            waiting.popleft()
    if waiting:
        return f"{AGENTS} agents were lost in such calls; {len(waiting)} more were not made"
    return ""


def _ask(trial: AnyTrial, waiting: deque[Question], *, alone: bool) -> None:
    """Make calls in one agent, or until one has faulted if they are to be made `alone`.

    A call that faults keeps its locks, and the next one waits for them, or says that it is busy.
    So what does not fault after a fault is Provoked, and still waits.
    """
    faulted, usual, began = False, 0.0, time.monotonic()
    with trial.fresh_session() as session:
        if session.agent.page_bytes == 0:
            raise CheckSkipped("there is no guard page behind messages here")
        while waiting and not (faulted and alone):
            _, steps, length = waiting[0]
            if length < 1 << session.agent.pointer_bits:  # else no memory holds it
                fault = (
                    _tried(session, waiting[0], usual) if faulted else _try(session, *waiting[0])
                )
                if faulted and (fault is None or fault.signal == REFUSED):
                    raise Provoked(f"{steps[-1].function} does not fault after a fault")
                faulted = faulted or fault is not None
                usual = usual or time.monotonic() - began
            waiting.popleft()


def _tried(session: BaseSession, question: Question, usual_seconds: float) -> AgentFault | None:
    """Make calls in an agent that has faulted: whatever else goes wrong there is Provoked."""
    try:
        with session.waiting(usual_seconds):
            return _try(session, *question)
    except OutOfPatience:
        raise
    except (AgentError, CheckFailed) as error:
        raise Provoked(str(error)) from None


def _questions(trial: AnyTrial) -> Iterator[Question]:
    batch = trial.last_use((LENGTH,))
    for routine in batch:
        for length in HUGE:
            if length <= trial.longest_length:
                yield from ((routine, steps, length) for steps in _announcing(routine, length))
    with suppress(CheckInapplicable):  # a message is one call
        for splitter in islice(trial.splitters(LENGTH + trial.unit), FEW_BEHIND):
            routine = splitter.cut((trial.unit, LENGTH))
            rest = (1 << 32) - trial.unit  # with what was processed before it is 0 in 32 bits
            yield from ((routine, steps, rest) for steps in _announcing(routine, rest))


def _announcing(routine: Routine, length: int) -> Iterator[tuple[Step, ...]]:
    """Yield the routine's steps with another length, up to the call that takes it.

    What opens or verifies what was made gets one of 4 GiB more: code that cuts it accepts that.
    """
    more = length - LENGTH
    for at, step in enumerate(routine.steps):
        told = tuple(_longer(one, more) for one in step.arguments)
        if told != step.arguments:
            yield (*routine.steps[:at], replace(step, arguments=told))
            if more != 1 << 32:
                return


def _longer(argument: Argument, more: int) -> Argument:
    """Return the length of the message, or of that with a tag, as so much more."""
    if isinstance(argument, int) and 0 <= argument - LENGTH < MOST_TAG:
        return argument + more
    return argument


def _try(
    session: BaseSession, routine: Routine, steps: tuple[Step, ...], length: int
) -> AgentFault | None:
    """Make the calls, return how they fault; CheckFailed if all return and none refuses."""
    arena = Arena(session)
    try:
        arena.ready(routine)
        results = arena.go(steps)
        session.settle()
        refused = session.refused()
        if results:
            results.of(steps)
    except AgentFault as fault:
        return fault
    except CheckFailed:  # it returned no success, as where there is no memory for a copy
        return None
    if not refused:
        raise CheckFailed(
            f"{steps[-1].function} with a length of {length} returns, and has not processed the "
            f"message: only {LENGTH} bytes of it are there, and reading on would fault",
            routine.name,
        )
    return None


BEYOND_2_GIB: Check[AnyTrial] = Check(
    name="lengths/beyond-2-gib",
    asks="Are lengths of 2 GiB and more read correctly?",
    why=(
        "A length that is negative as an `int`, or overflows when it is rounded up to blocks, "
        "ends the call at once: the message goes out as it was, or as it stood in memory. "
        "The length is only announced, and the memory of the message ends after 8 KiB: "
        "correct code faults there, and code that returns success has misread the length. "
        "A length is also announced that reaches 4 GiB with what was processed before."
    ),
    cure="Keep lengths in the unsigned type of the API, and do not add to them.",
    run=beyond_2_gib,
)

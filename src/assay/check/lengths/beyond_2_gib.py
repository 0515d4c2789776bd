# SPDX-License-Identifier: MIT
"""Whether calls take lengths of 2 and 4 GiB for what they are.

Nothing is that long here: the memory of the message ends after some thousand bytes. Code that
processes all of the message must fault there. Code that returns has taken the length for a
smaller or a negative one, and would leave a message of that length unprocessed; unless it says
that it failed.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from assay.check.arena import Arena, StepResults
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped
from assay.check.routine import Routine, Step
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentError, AgentFault, AgentSilent
from assay.execute.patience import OutOfPatience

AGENTS = 4
LENGTH = 8219  # no other argument has this value
HUGE = (0x8000_0000, 0x8000_0000 + LENGTH, 0xFFFF_FFFF, 0xFFFF_FFF0, 0x1_0000_0000 + LENGTH)
Question = tuple[Routine, tuple[Step, ...], int]


def beyond_2_gib(trial: AnyTrial) -> str:
    """Announce lengths that are not there; return the remark on what was not asked."""
    if trial.on_board:
        raise CheckInapplicable("there is no guard page behind messages")
    waiting = deque(_questions(trial))
    if not waiting:
        raise CheckInapplicable("no call takes the length of a message")
    for _ in range(AGENTS):
        _ask(trial, waiting)
        if not waiting:
            return ""
    return f"{AGENTS} agents were lost in such calls; {len(waiting)} more were not made"


def _ask(trial: AnyTrial, waiting: deque[Question]) -> None:
    """Make calls until one loses the agent, as code may that begins at the message's end."""
    try:
        with trial.fresh_session() as session:
            if session.agent.page_bytes == 0:
                raise CheckSkipped("there is no guard page behind messages here")
            while waiting:
                _try(session, *waiting.popleft())
    except (AgentSilent, OutOfPatience):
        raise
    except AgentError:
        return


def _questions(trial: AnyTrial) -> Iterator[Question]:
    *_, batch = trial.uses((LENGTH,))
    for routine in batch:
        for length in HUGE:
            if length <= trial.longest_length:
                yield from ((routine, steps, length) for steps in _announcing(routine, length))


def _announcing(routine: Routine, length: int) -> Iterator[tuple[Step, ...]]:
    """Yield the routine's steps with another length, up to the call that takes it."""
    for at, step in enumerate(routine.steps):
        if LENGTH in step.arguments:
            told = tuple(length if one == LENGTH else one for one in step.arguments)
            yield (*routine.steps[:at], replace(step, arguments=told))
            return


def _try(session: BaseSession, routine: Routine, steps: tuple[Step, ...], length: int) -> None:
    """Make the calls; CheckFailed if all of them return and none refuses."""
    arena = Arena(session)
    try:
        arena.lay(routine)
        arena.fill(routine)
        results = arena.go(steps)
        session.settle()
        refused = session.refused() or _says_no(results, steps)
    except AgentFault:
        return
    if not refused:
        raise CheckFailed(
            f"{steps[-1].function} with a length of {length} returns, and has not processed the "
            f"message: its memory ends after {LENGTH} bytes",
            routine.name,
        )


def _says_no(results: StepResults | None, steps: tuple[Step, ...]) -> bool:
    """Return whether a call returned another value than that of success.

    So does code that gets no memory for a copy of such a message.
    """
    if results is None:
        return False
    try:
        results.of(steps)
    except CheckFailed:
        return True
    return False


CHECK: Check[AnyTrial] = Check(
    name="lengths/beyond-2-gib",
    asks="Are lengths of 2 GiB and more read correctly?",
    why=(
        "A length that is negative as an `int`, or overflows when it is rounded up to blocks, "
        "ends the call at once: the message goes out as it was, or as it stood in memory. "
        "The length is only announced, and the memory of the message ends after 8 KiB: "
        "correct code faults there, and code that returns success has misread the length."
    ),
    cure="Keep lengths in the unsigned type of the API, and do not add to them.",
    run=beyond_2_gib,
)

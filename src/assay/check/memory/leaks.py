# SPDX-License-Identifier: MIT
"""Whether calls give back the memory that they take."""

import math

from assay.check.check import Check, CheckFailed, CheckSkipped
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.check.using import use
from assay.execute.agent import AgentError, AgentRefusal
from assay.execute.protocol import Request

LENGTHS = (129,)
WARMING = 2
ROUNDS = 8
STRETCHES = 10  # of so many rounds
LEAST_BYTES = 16  # a round; the smallest block of a C library has more


def leaked(trial: AnyTrial) -> None:
    """Look at the heap before and after some rounds of calls."""
    try:
        with trial.session() as session:
            lost = _lost(trial, session)
    except AgentRefusal:
        raise CheckSkipped("what the heap holds is not known here") from None
    except AgentError as error:
        raise CheckSkipped(f"it faults, which other checks report: {error}") from None
    if lost >= ROUNDS * LEAST_BYTES:
        raise CheckFailed(f"{ROUNDS} rounds of calls do not free {lost} bytes of the heap")


def _lost(trial: AnyTrial, session: BaseSession) -> int:
    """Return by how many bytes the heap grows in some rounds, however often they are repeated.

    The C library keeps a few freed blocks of each size for later and counts them as taken. So
    the heap of honest code grows for a while, and for a stretch what is lost may come out of
    these blocks: not in two stretches, one after the other.
    """
    _heap_bytes(session)
    for _ in range(WARMING):
        use(trial, session, LENGTHS)
    before, last, least = _heap_bytes(session), math.inf, math.inf
    for _ in range(STRETCHES):
        for _ in range(ROUNDS):
            use(trial, session, LENGTHS)
        after = _heap_bytes(session)
        least = min(least, max(last, after - before))
        before, last = after, after - before
        if least < ROUNDS * LEAST_BYTES:
            break
    return int(least)


def _heap_bytes(session: BaseSession) -> int:
    return int(session.agent.ask(Request.HEAP, b"", "asking what the heap holds").number(8))


CHECK: Check[AnyTrial] = Check(
    name="memory/leak",
    asks="Do the functions free the memory that they allocate?",
    why=(
        "The APIs have no function that destroys a context, so memory that a call keeps is "
        "never freed, and a server runs out of it."
    ),
    cure="Keep the state in the context, and free memory in the call that allocated it.",
    run=leaked,
)

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
ROUNDS, FEW_ROUNDS = 8, 2  # of a stretch; few of long messages, or where warming was slow
QUICK_SECONDS = 0.5
STRETCHES = 10  # of so many rounds
LEAST_BYTES = 16  # a round; the smallest block of a C library has more


def leaked(trial: AnyTrial) -> None:
    """Look at the heap before and after some rounds of calls."""
    try:
        with trial.session() as session:
            lost, rounds = _lost(trial, session)
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
    _heap_bytes(session)
    few = bool(trial.stretch) and not trial.deep
    warming = trial.budget(QUICK_SECONDS)
    with warming.spending(session.agent):
        for _ in range(1 if few else WARMING):
            use(trial, session, LENGTHS)
    rounds = FEW_ROUNDS if few or warming.over else ROUNDS
    before, last, least = _heap_bytes(session), math.inf, math.inf
    for _ in range(STRETCHES):
        for _ in range(rounds):
            use(trial, session, LENGTHS)
        after = _heap_bytes(session)
        least = min(least, max(last, after - before))
        before, last = after, after - before
        if least < rounds * LEAST_BYTES:
            break
    return int(least), rounds


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

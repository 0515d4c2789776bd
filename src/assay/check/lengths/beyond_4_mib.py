# SPDX-License-Identifier: MIT
"""Whether one call processes more than 4 MiB, as several calls do."""

from itertools import islice

from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckInapplicable, CheckSkipped
from assay.check.evidence import judge
from assay.check.session import BaseSession
from assay.check.splitting import Splitter
from assay.check.trial import AnyTrial

LARGE = 5 << 20  # beyond 2^22, with a rest
REST = 3
PROBE_BYTES = 1 << 18
SECONDS = 2.0
DEEP_SECONDS = 30.0


def beyond_4_mib(trial: AnyTrial) -> None:
    """Process a message of 5 MiB in one call, and in two."""
    native = trial.bench is None or trial.bench.target.is_native
    if trial.on_board or not native:
        raise CheckInapplicable("messages of megabytes are processed on this machine only")
    *_, splitter = islice(trial.splitters(LARGE + REST), 1)
    with trial.session() as session:
        arena, other = Arena(session), Arena(session, base=SECOND_BASE)
        _skip_if_slow(trial, session, arena, splitter)
        arena.forget()  # what the code may have changed is not what is asked about
        half = LARGE // 2 // splitter.unit * splitter.unit
        expected = other.begin(splitter.cut((half, splitter.length - half)))
        routine = splitter.whole(splitter.length)
        complaint = f"{routine.name} in one call gives another result than in two"
        judge(arena, routine, complaint, expected.value, arena.outcome(routine))


def _skip_if_slow(trial: AnyTrial, session: BaseSession, arena: Arena, splitter: Splitter) -> None:
    """Raise CheckSkipped if it would take longer than the check may."""
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    length = PROBE_BYTES // splitter.unit * splitter.unit
    with budget.spending(session.agent):
        arena.outcome(splitter.whole(length))
    seconds = budget.used * 2 * splitter.length / length
    if seconds > budget.seconds:
        raise CheckSkipped(f"the code is slow: it would take {seconds:.1f} seconds")


CHECK: Check[AnyTrial] = Check(
    name="lengths/beyond-4-mib",
    asks="Is a message of 5 MiB processed completely in one call?",
    why=(
        "Programs map files and encrypt or hash them in one call. Code that processes a part of "
        "it and returns leaves the rest as it was. Two calls must give the same result."
    ),
    cure="Process the message to its end, whatever the size of internal buffers.",
    run=beyond_4_mib,
)

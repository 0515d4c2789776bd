# SPDX-License-Identifier: MIT
"""Whether messages beyond 4 KiB are processed to their end, and outputs are written whole."""

from assay.check.arena import FILLING, Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.evidence import difference
from assay.check.lengths.dependence import change
from assay.check.routine import Routine
from assay.check.trial import AnyTrial
from assay.model.api import Role

LONG = (4097, 4608, 8192, 16385, 65536, 100_003)
FEW_LONG = (4097, 65536)
MESSAGES = (Role.MESSAGE, Role.DATA)  # keys are tried with short ones
RUBBISH = 0xFF
SECONDS = 2.0


def beyond_4_kib(trial: AnyTrial) -> str:
    """Use messages longer than most tests have."""
    if trial.on_board:
        raise CheckInapplicable("a board has no room for long messages")
    budget = trial.budget(SECONDS)
    for length in LONG if trial.thorough else FEW_LONG:
        if budget.over:
            budget.left_out += 1
            continue
        with trial.session() as session:
            *_, batch = trial.computations(session, (length,))
            session.agent.forget_buffers()
            for routine in trial.representative(batch):
                _only_with_message(routine)
                arena = Arena(session)
                with budget.spending(session.agent):
                    _written_whole(arena, routine)
                change(trial, arena, routine, budget, MESSAGES, every=False)
        budget.asked += 1
    return budget.remark()


def _only_with_message(routine: Routine) -> None:
    if not any(routine.having(role) for role in (Role.MESSAGE, Role.CIPHERTEXT)):
        raise CheckInapplicable("there is no message")


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


CHECK: Check[AnyTrial] = Check(
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

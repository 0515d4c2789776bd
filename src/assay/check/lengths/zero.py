# SPDX-License-Identifier: MIT
"""Whether calls without data do nothing, and may be left out."""

from assay.check import splitting
from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check
from assay.check.evidence import EqualPairs
from assay.check.lengths.splits import compare
from assay.check.splitting import Splitter
from assay.check.trial import AnyTrial


def zero(trial: AnyTrial) -> None:
    """Call with nothing to do: the position stays, and the empty message has one result."""
    for splitter in trial.splitters(3 * trial.unit + 1):
        with trial.session() as session:
            arena, other = Arena(session), Arena(session, base=SECOND_BASE)
            compare(arena, other, splitter, splitting.with_nothing(trial.unit))
            _empty(arena, other, splitter)
    for batch in trial.uses((0,)):
        with trial.session() as session:
            arena, other = Arena(session), Arena(session, base=SECOND_BASE)
            pairs = EqualPairs(arena)
            for routine in batch[1:]:
                complaint = f"{routine.name} differs from {batch[0].name}"
                if routine.outputs == batch[0].outputs:
                    pairs.expect(complaint, arena.begin(batch[0]), other.begin(routine))
            pairs.judge()


def _empty(arena: Arena, other: Arena, splitter: Splitter) -> None:
    """Compare a message of no bytes with one for which no call was made."""
    pairs = EqualPairs(arena)
    expected = arena.begin(splitter.whole(0))
    for pieces in ((), (0,), (0, 0)):
        complaint = f"an empty message in {len(pieces)} calls has another result than in one"
        pairs.expect(complaint, expected, other.begin(splitter.cut(pieces)))
    pairs.judge()


CHECK: Check[AnyTrial] = Check(
    name="lengths/zero",
    asks="Do calls without data change nothing, and may they be left out?",
    why=(
        "Programs make calls of length 0 when a message is empty or ends on a boundary. A "
        "loop that tests its length at the end then processes a block, or 2^32 bytes. Compact "
        "hashes are also given a null pointer."
    ),
    cure=(
        "Test the length at the head of each loop (`while`, not `do`), and finish the empty "
        "message like any other."
    ),
    run=zero,
)

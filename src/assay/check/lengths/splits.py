# SPDX-License-Identifier: MIT
"""Whether a message comes out the same however it is split into calls, at all lengths."""

from collections import defaultdict
from collections.abc import Iterable

from assay.check import splitting
from assay.check.arena import SECOND_BASE, Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import EqualPairs
from assay.check.splitting import Pieces, Splitter
from assay.check.trial import AnyTrial, Batch

LONGEST = 321
MORE = 16  # lengths at random
MOST_UNITS = 40
LONG_BYTES = 2048
SECONDS = 2.4


def splits(trial: AnyTrial) -> str:
    """Split messages in every way, and process every length in all ways that there are."""
    budget, asked = trial.budget(SECONDS), 0
    unit = trial.unit
    length = trial.stretch or max(min(MOST_UNITS * unit, LONG_BYTES), 5 * unit, LONGEST) + 1
    for splitter in trial.splitters(length):
        asked += 1
        far = splitting.here_and_there(trial.random, splitter.unit, splitter.length)
        pieces = list(far) if trial.stretch else _pieces(trial, splitter)
        with trial.session() as session:
            compare(Arena(session), Arena(session, base=SECOND_BASE), splitter,
                    budget.each(session, pieces))  # fmt: skip
    if not asked:
        raise CheckInapplicable("a message is one call")
    lengths = [one for one in trial.lengths(thorough=trial.thorough) if one <= LONGEST]
    lengths = sorted({*lengths, *trial.random.sample(range(LONGEST), MORE)})
    for batch in trial.uses(tuple(lengths)):
        _agree(trial, batch, budget)
    return budget.remark()


def _pieces(trial: AnyTrial, splitter: Splitter) -> list[Pieces]:
    unit = splitter.unit
    chosen = [*splitting.in_all_ways(unit), *splitting.in_two(unit)]
    number = splitting.RANDOM_SPLITS if trial.thorough else splitting.FEW_RANDOM
    every = [
        *(chosen if trial.thorough else chosen[::3]),
        *splitting.at_random(trial.random, unit, splitter.length, number),
    ]
    return [one for one in every if sum(one) <= splitter.length]


def compare(whole: Arena, split: Arena, splitter: Splitter, pieces: Iterable[Pieces]) -> None:
    """Compare messages in pieces with the same in one call."""
    expected: dict[int, PendingOutcome] = {}
    pairs = EqualPairs(whole)
    for each in pieces:
        length = sum(each)
        if length not in expected:
            expected[length] = whole.begin(splitter.whole(length))
        complaint = (
            f"{length} bytes as {splitting.said(each)} give another result than in one call"
        )
        pairs.expect(complaint, expected[length], split.begin(splitter.cut(each)))
    pairs.judge()


def _agree(trial: AnyTrial, batch: Batch, budget: Budget) -> None:
    """Compare all ways to compute the same result."""
    groups = defaultdict(list)
    for routine in batch:
        if routine.result:
            groups[routine.result].append(routine)
    with trial.session() as session:
        first, other = Arena(session), Arena(session, base=SECOND_BASE)
        pairs = EqualPairs(first)
        for expected, *others in budget.each(session, groups.values()):
            if others:
                outcome = first.begin(expected)
            for routine in others:
                complaint = f"{routine.name} differs from {expected.name}"
                pairs.expect(complaint, outcome, other.begin(routine))
        pairs.judge()


CHECK: Check[AnyTrial] = Check(
    name="lengths/splits",
    asks="Does a message of any length give the same output, however it is split into calls?",
    why=(
        "Data arrives in pieces of any size. Counters, buffered keystream and partial words go "
        "wrong at the boundaries between calls and in the last piece."
    ),
    cure=(
        "Look at what a call leaves in the context, at the code for the last, incomplete block, "
        "and at pieces that end exactly at, just before or just after the end of a block. The "
        "message names the lengths."
    ),
    run=splits,
)

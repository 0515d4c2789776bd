# SPDX-License-Identifier: MIT
"""Whether a message comes out the same however it is split, for keys and messages that are rare.

Random inputs have no run of zeros or ones, in which carries, comparisons and exponents go other
ways. So inputs are set to such values one after another; with `--deep` there are also as many
random ones as it takes to meet what happens for one key in 2^16, drawn and compared in the agent.
"""

from collections.abc import Iterator

from assay.check.arena import Arena, digest, drawn, until_different
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.evidence import judge, side_by_side
from assay.check.routine import Routine, Splitter
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import MOST_PARTS

COMPLAINT = "{} gives another result in one call than in two"
Pair = tuple[Routine, Routine]

UNITS = 5
REST = 3
SECONDS = 0.5
DEEP_SECONDS = 30.0
MANY = 3 << 16
FEW_BITS = 4  # at either end of an input
GROUP = 64  # that are asked before the answers are compared
FILLINGS = (0x00, 0xFF, 0x01, 0x80, 0x55, 0xAA)


def _many_keys(trial: AnyTrial, arenas: tuple[Arena, Arena], pair: Pair, budget: Budget) -> None:
    """Draw many keys in the agent; CheckFailed for the first with which two routines differ."""
    seed, key = trial.random.getrandbits(63), pair[0].inputs[0]
    _perform(arenas, pair)

    def differ(done: int, rounds: int) -> bool:
        with budget.spending(arenas[0].session.agent):
            first, second = (
                digest(arena, one, [key], seed + done * MOST_PARTS, rounds)
                for arena, one in zip(arenas, pair, strict=True)
            )
        return first != second

    try:
        asked, differs = until_different(differ, MANY, lambda: budget.over)
    except AgentRefusal:
        asked, differs = 0, False  # an agent that cannot
    if differs:
        value = drawn(seed + asked * MOST_PARTS, 0, pair[0].variables[key].size)
        _perform(arenas, (pair[0].given(key, value), pair[1].given(key, value)))
        raise CheckFailed(
            f"{COMPLAINT.format(pair[0].name)} after {asked} others with other keys, and the "
            "same by itself"
        )
    budget.asked += asked
    budget.left_out += MANY - asked


def _perform(arenas: tuple[Arena, Arena], pair: Pair) -> None:
    """Perform both once; CheckFailed if they differ."""
    whole, cut = (arena.outcome(one) for arena, one in zip(arenas, pair, strict=True))
    judge(arenas[0], pair[0], COMPLAINT.format(pair[0].name), cut, whole)


def sparse(trial: AnyTrial) -> str:
    """Compare one call with several for each of the inputs."""
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    asked = 0
    for splitter in trial.splitters(UNITS * max(trial.unit, 16) + REST):
        asked += 1
        with side_by_side(trial) as (arena, other, pairs):
            for group in _groups(trial, splitter):
                for whole, cut in budget.each(arena.session, group):
                    complaint = COMPLAINT.format(whole.name)
                    pairs.expect(complaint, other.begin(cut), arena.begin(whole))
                pairs.judge()
                if budget.over:
                    break
            if trial.deep:
                _many_keys(trial, (arena, other), _pair(splitter), budget)
    if not asked:
        raise CheckInapplicable("a message is one call")
    return budget.remark("inputs")


def _groups(trial: AnyTrial, splitter: Splitter) -> Iterator[list[Pair]]:
    """Yield the message in one call and in two, with every input set to every rare value."""
    whole, cut = _pair(splitter)
    sizes = {name: whole.variables[name].size for name in whole.inputs}
    rare = [(name, value) for name, size in sizes.items() for value in _rare(size)]
    trial.random.shuffle(rare)
    for at in range(0, len(rare), GROUP):
        yield [(whole.given(*one), cut.given(*one)) for one in rare[at : at + GROUP]]


def _pair(splitter: Splitter) -> Pair:
    first = 2 * splitter.unit
    return splitter.whole(splitter.length), splitter.cut((first, splitter.length - first))


def _rare(size: int) -> Iterator[bytes]:
    """Yield bytes of one value, single bits, and beginnings of ones."""
    yield from (bytes([one]) * size for one in FILLINGS)
    for at in {*range(min(FEW_BITS, size)), *range(max(size - FEW_BITS, 0), size)}:
        yield bytes(at) + b"\x01" + bytes(size - at - 1)
        yield bytes(at) + b"\x80" + bytes(size - at - 1)
        yield b"\xff" * (at + 1) + bytes(size - at - 1)


CHECK: Check[AnyTrial] = Check(
    name="calls/sparse",
    asks="Do keys and messages of zeros, ones and single bits give one result in all functions?",
    why=(
        "Carries, reductions and table look-ups have cases that random inputs do not reach. Test "
        "vectors reach them in one function only."
    ),
    cure="Compare the functions on the input that the evidence shows.",
    run=sparse,
)

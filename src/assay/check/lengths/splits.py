# SPDX-License-Identifier: MIT
"""Whether a message comes out the same however it is split into calls, at all lengths.

Calls without data do nothing, and may be left out. Data of no bytes may be given as a null
pointer: no API but that of compact hashes promises it, and programs whose message or data are
empty often have no pointer to them. With `--deep`, every length up to 8 KiB is processed, and
none may take far longer than others.
"""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.arena import SECOND_BASE, Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import EqualPairs, difference, side_by_side
from assay.check.lengths.far import affordable
from assay.check.routine import (
    FEW_RANDOM,
    RANDOM_SPLITS,
    Argument,
    Pieces,
    Routine,
    Splitter,
    at_random,
    here_and_there,
    in_all_ways,
    in_two,
    said,
    with_nothing,
)
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial, Batch
from assay.execute.agent import AgentFault
from assay.execute.places import Buffer, BufferPlace

LONGEST = 321
MORE = 16  # lengths at random
MOST_UNITS = 40
LONG_BYTES = 2048
MANY = 1100  # calls with a unit each
BEHIND, MOST_REST = 9011, 144  # bytes of a message, and of the first of its two pieces
EQUAL = 4301  # bytes of a message in pieces of
BLOCKS = (64, 128, 72, 104, 136, 144, 168, 512)  # bytes: blocks and rates of hashes, some at once
SECONDS = 2.4
EVERY_UP_TO = 8192
TOGETHER = 32  # lengths at most between two looks at the processor's time
SLICE_SECONDS = 0.25  # that as many lengths take as are tried together
EVERY_SECONDS = 8.0
SLOW_SECONDS, SLOW_FACTOR = 0.05, 20.0  # a length is slow that takes both
TRIES = 3


def splits(trial: AnyTrial) -> str:
    """Split messages in every way, and process every length in all ways that there are.

    A wrapper that cuts messages is compared with itself as it is.
    """
    if trial.bench and trial.bench.in_pieces:
        return "" if trial.stretch else trial.bench.in_pieces(trial)
    budget, asked = trial.budget(SECONDS), 0
    unit = trial.unit
    length = trial.stretch or max(min(MOST_UNITS * unit, LONG_BYTES), 5 * unit, LONGEST) + 1
    for splitter in trial.splitters(length):
        asked += 1
        far = here_and_there(trial.random, splitter.unit, splitter.length)
        pieces = list(far) if trial.stretch else _pieces(trial, splitter)
        with side_by_side(trial) as (whole, split, pairs):
            compare(whole, split, pairs, splitter, budget.each(whole.session, pieces))
    if not asked:
        raise CheckInapplicable("a message is one call")
    if not trial.stretch:
        _split(trial, BEHIND, _behind_each_rest, budget)
        _split(trial, EQUAL, _in_equal_pieces, budget)
    if trial.thorough and not trial.stretch:
        _split(trial, MANY * trial.unit, _in_many_calls, budget)
    lengths = [one for one in trial.lengths(thorough=trial.thorough) if one <= LONGEST]
    lengths = sorted({*lengths, *trial.some(range(LONGEST), MORE)})
    for batch in trial.uses(tuple(lengths), wide=True):
        _agree(trial, batch, budget)
    return budget.remark()


def _pieces(trial: AnyTrial, splitter: Splitter) -> list[Pieces]:
    unit = splitter.unit
    chosen = [*in_all_ways(unit), *in_two(unit)]
    number = RANDOM_SPLITS if trial.thorough else FEW_RANDOM
    every = [
        *(chosen if trial.thorough else chosen[::3]),
        *at_random(trial.random, unit, splitter.length, number),
    ]
    return [one for one in every if sum(one) <= splitter.length]


def _split(
    trial: AnyTrial, length: int, ways: Callable[[Splitter], Iterator[Pieces]], budget: Budget
) -> None:
    """Split a message of a length in several ways, if the code is fast."""
    if affordable(trial) < length:
        return
    *_, splitter = trial.splitters(length)
    with side_by_side(trial) as (whole, split, pairs):
        pieces = budget.each(whole.session, ways(splitter))
        compare(whole, split, pairs, splitter, pieces)


def _in_many_calls(splitter: Splitter) -> Iterator[Pieces]:
    """Split a message into units: a thousand calls and more."""
    units, rest = divmod(splitter.length, splitter.unit)
    yield (*(splitter.unit,) * units, *([rest] if rest else ()))


def _in_equal_pieces(splitter: Splitter) -> Iterator[Pieces]:
    """Split a message into calls of a block each, of two, and so on: each ends where one does."""
    for size in dict.fromkeys(-(-size // splitter.unit) * splitter.unit for size in BLOCKS):
        yield (size,) * (splitter.length // size)


def _behind_each_rest(splitter: Splitter) -> Iterator[Pieces]:
    """Let a long call follow on each number of bytes that a block can have already."""
    for first in range(splitter.unit, min(MOST_REST, splitter.length) + 1, splitter.unit):
        yield first, splitter.length - first


def compare(
    whole: Arena, split: Arena, pairs: EqualPairs, splitter: Splitter, pieces: Iterable[Pieces]
) -> None:
    """Compare messages in pieces with the same in one call."""
    expected: dict[int, PendingOutcome] = {}
    for each in pieces:
        length = sum(each)
        if length not in expected:
            expected[length] = whole.begin(splitter.whole(length))
        complaint = f"{length} bytes as {said(each)} give another result than in one call"
        pairs.expect(complaint, expected[length], split.begin(splitter.cut(each)))
    pairs.judge()


def _agree(trial: AnyTrial, batch: Batch, budget: Budget) -> None:
    """Compare all ways to compute the same result."""
    groups = defaultdict(list)
    for routine in batch:
        if routine.result:
            groups[routine.result].append(routine)
    with side_by_side(trial) as (first, other, pairs):
        for expected, *others in budget.each(first.session, groups.values()):
            if others:
                outcome = first.begin(expected)
            for routine in others:
                complaint = f"{routine.name} differs from {expected.name}"
                pairs.expect(complaint, outcome, other.begin(routine))


SPLITS: Check[AnyTrial] = Check(
    name="lengths/splits",
    asks="Does a message of any length give the same output, however it is split into calls?",
    why=(
        "Data arrives in pieces of any size. Counters, buffered keystream and partial words go "
        "wrong at the boundaries between calls and in the last piece. A long call follows on each "
        "number of bytes that a block can hold already."
    ),
    cure=(
        "Look at what a call leaves in the context, at the code for the last, incomplete block, "
        "and at pieces that end exactly at, just before or just after the end of a block. The "
        "message names the lengths."
    ),
    run=splits,
)


def zero(trial: AnyTrial) -> None:
    """Call with nothing to do: the position stays, and the empty message has one result."""
    for splitter in trial.splitters(3 * trial.unit + 1):
        with side_by_side(trial) as (arena, other, pairs):
            compare(arena, other, pairs, splitter, with_nothing(trial.unit))
            expected = arena.begin(splitter.whole(0))
            for pieces in ((), (0,), (0, 0)):
                complaint = (
                    f"an empty message in {len(pieces)} calls has another result than in one"
                )
                pairs.expect(complaint, expected, other.begin(splitter.cut(pieces)))
    _nothing_behind(trial)
    for batch in trial.uses((0,)):
        with side_by_side(trial) as (arena, other, pairs):
            for routine in batch[1:]:
                complaint = f"{routine.name} differs from {batch[0].name}"
                if routine.outputs == batch[0].outputs:
                    pairs.expect(complaint, arena.begin(batch[0]), other.begin(routine))


def _nothing_behind(trial: AnyTrial) -> None:
    """Let an empty call follow, and end the message, on all that a block can have already."""
    *_, splitter = trial.splitters(MOST_REST)
    firsts = range(splitter.unit, splitter.length + 1, splitter.unit)
    with side_by_side(trial) as (whole, split, pairs):
        compare(whole, split, pairs, splitter, ((first, 0) for first in firsts))


ZERO: Check[AnyTrial] = Check(
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


def null(trial: AnyTrial) -> None:
    """Perform every routine on empty messages, with and without a place where they would be."""
    asked = 0
    with trial.session() as session:
        for batch in trial.computations(session, (0,)):
            here, there = Arena.alone(session), Arena(session, base=SECOND_BASE)
            for routine in batch:
                if names := [name for name, one in routine.variables.items() if not one.size]:
                    asked += 1
                    _compare_null(here, there, routine, names)
    if not asked:
        raise CheckInapplicable("nothing that is given can be empty")


def _compare_null(here: Arena, there: Arena, routine: Routine, names: list[str]) -> None:
    """Raise CheckFinding if a call with null pointers crashes, or gives something else."""
    expected = here.outcome(routine)
    if here.outcome(routine) != expected:
        return  # calls/deterministic says whether that may be
    what = f"{routine.name} with a null pointer for {' and '.join(names)} of 0 bytes"
    try:
        found = there.outcome(_without(routine, names))
    except AgentFault as fault:
        raise CheckFinding(f"{what} crashes", str(fault)) from None
    if shown := difference(expected, found):
        raise CheckFinding(f"{what} gives something else", shown)


def _without(routine: Routine, names: list[str]) -> Routine:
    """Return a routine that gets null pointers in place of variables."""

    def given(argument: Argument) -> Argument:
        place = argument.buffer if isinstance(argument, BufferPlace) else argument
        return None if isinstance(place, Buffer) and place.label in names else argument

    steps = (replace(one, arguments=tuple(map(given, one.arguments))) for one in routine.steps)
    return replace(routine, steps=tuple(steps))


NULL: Check[AnyTrial] = Check(
    "lengths/null",
    "May data of no bytes be a null pointer?",
    (
        "An empty string often has no address: `std::vector::data`, a slice of Go, a field that "
        "was never set. Code that reads a word ahead, or computes with the pointer, crashes then."
    ),
    "Look at the length before the pointer.",
    null,
)


class Every(Struct):
    """All lengths, some at a time, and how long each group took."""

    trial: AnyTrial
    budget: Budget
    splitter: Splitter | None
    took: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)

    def run(self) -> None:
        """Try the lengths in random order, for as long as there is time."""
        lengths = list(range(EVERY_UP_TO + 1))
        self.trial.random.shuffle(lengths)
        slowest = max(self._seconds((EVERY_UP_TO,)), 1e-6)
        together = max(1, min(TOGETHER, int(SLICE_SECONDS / slowest)))
        for at in range(0, len(lengths), together):
            some = tuple(lengths[at : at + together])
            if self.budget.over:
                self.budget.left_out += len(some)
                continue
            self.took.append((self._seconds(some), some))
            self.budget.asked += len(some)

    def _seconds(self, lengths: tuple[int, ...]) -> float:
        """Process messages of these lengths; return what the processor took for them."""
        before = self.budget.used
        with self.trial.session() as session, self.budget.spending(session.agent):
            self._process(session, lengths)
        return self.budget.used - before

    def _process(self, session: BaseSession, lengths: tuple[int, ...]) -> None:
        """Compute each in one call, and in two where that can be: the results must agree."""
        first, other = Arena(session), Arena(session, base=SECOND_BASE)
        pairs, alone = EqualPairs(first), []
        for length in lengths:
            if self.splitter is None:
                batch = self.trial.last_use((length,))
                alone.append(first.begin(batch[0]))
                continue
            begun = length // 2 // self.splitter.unit * self.splitter.unit
            whole = first.begin(self.splitter.whole(length))
            parts = other.begin(self.splitter.cut((begun, length - begun)))
            complaint = f"{length} bytes in two calls give another result than in one"
            pairs.expect(complaint, whole, parts)
        pairs.judge()
        for outcome in alone:
            outcome.value  # noqa: B018 - performed

    def require_alike(self) -> None:
        """Raise for a length that takes far longer than the others."""
        usual = statistics.median(seconds / len(some) for seconds, some in self.took)
        limit = max(SLOW_SECONDS, SLOW_FACTOR * usual)
        for seconds, lengths in self.took:
            for length in lengths if seconds > limit else ():
                least = min(self._seconds((length,)) for _ in range(TRIES))  # the first may build
                if least > limit:
                    raise CheckFailed(
                        f"a message of {length} bytes takes {least * 1000:.0f} ms, and others of "
                        f"up to {EVERY_UP_TO} bytes {usual * 1000:.2g} ms"
                    )


def every(trial: AnyTrial) -> str:
    """Process every length, and look at the time."""
    if not trial.measured[0]:
        raise CheckInapplicable("there is no message")
    if trial.bench is None or not trial.bench.target.is_native:
        raise CheckInapplicable("lengths are tried one by one on this machine alone")
    trial.only_deep()
    splitter = None
    with suppress(CheckInapplicable):  # one call takes all of a message
        splitter = next(iter(trial.splitters(EVERY_UP_TO)), None)
    asked = Every(trial, trial.budget(EVERY_SECONDS), splitter)
    asked.run()
    asked.require_alike()
    return asked.budget.remark("lengths")


EVERY: Check[AnyTrial] = Check(
    name="lengths/every",
    asks="Is every length up to 8,192 bytes processed rightly, and in about the same time?",
    why=(
        "Vectors have some dozens of lengths. A wrong result for one length among thousands, or a "
        "call that takes a second there, is seen by nobody until that message comes. Each length "
        "is computed in one call and in two, where the API has calls for pieces, and the time of "
        "the processor is compared with that of other lengths."
    ),
    cure="Look for comparisons with the length that the message names.",
    run=every,
)

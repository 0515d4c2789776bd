# SPDX-License-Identifier: MIT
"""What two implementations are asked: short lengths, some long ones, then many keys.

For keys and messages by the thousand the same use is computed inside the agents. Both draw the
same inputs, and tell a digest of all outputs. If the digests differ, the first round that differs
is found by halving, and becomes a question like any other.
"""

from collections.abc import Iterator
from itertools import islice
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from assay.check.against.side import SEED_BYTES, Difference, Pair, RandomInputs
from assay.check.arena import drawn, until_different
from assay.check.check import CheckFailed
from assay.check.lengths.far import far, seconds_of, whole
from assay.check.routine import BOARD_LONGEST, LONGEST, Routine
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import MOST_PARTS

LARGEST_GROUP = 32
LARGEST_BYTES = 1 << 16  # of messages in a group
FORGED_EVERY = 4
POSITIONS = 1 << 16
SHORT_ONES = 80  # questions before the long ones: slow code does not get that far
ENCODED = (0xFF00, 0x10000)  # from where CCM encodes lengths otherwise, and others have 17 bits
LONG = range(0x10001, 100_003)
MEGABYTES, MEGABYTES_SECONDS = (5 << 20) + 77, 0.2
MOST_DATA = 1 << 18  # of what has the second length


def questions(pair: Pair) -> Iterator[list[RandomInputs]]:
    """Yield groups of questions, small ones first, so that slow code is soon looked at."""
    made, size = _each(pair), 1
    while group := _taken(made, size):
        yield group
        size = min(2 * size, LARGEST_GROUP)


def _taken(made: Iterator[RandomInputs], size: int) -> list[RandomInputs]:
    group: list[RandomInputs] = []
    for one in made:
        group.append(one)
        if len(group) == size or sum(each.length for each in group) > LARGEST_BYTES:
            break
    return group


def _each(pair: Pair) -> Iterator[RandomInputs]:
    for number, (length, second) in enumerate(_lengths(pair)):
        seed = pair.random.randbytes(SEED_BYTES)
        question = RandomInputs(length, second, seed=seed, sizes=number)
        yield pair.first.drawn(question, pair.random)
        if number % FORGED_EVERY == 0:
            byte = pair.random.randrange(POSITIONS)
            yield pair.first.drawn(replace(question, altered=byte), pair.random)


def _lengths(pair: Pair) -> Iterator[tuple[int, int]]:
    """Yield lengths of messages and of what has the second length, `most` of them."""
    trial, random = pair.first.trial, pair.random
    has_message, has_second = trial.measured
    if not has_message:
        yield from ((0, 0) for _ in range(pair.most))
        return
    longest = BOARD_LONGEST if trial.on_board else LONGEST
    for number, length in enumerate(islice(_messages(trial, random, longest), pair.most)):
        if number == SHORT_ONES and not trial.on_board:
            encoded = (*ENCODED, random.choice(LONG)) if has_second else ()
            whole_ones = whole(trial) if trial.thorough else ()
            longest_ones = (*far(trial), *whole_ones, *encoded, *_megabytes(trial))
            yield from ((one, min(one, MOST_DATA) if has_second else 0) for one in longest_ones)
        second = _any(random.random(), min(longest, 2 * length + 64)) if has_second else 0
        yield length, second


def _megabytes(trial: AnyTrial) -> tuple[int, ...]:
    """Return a length at which counters of blocks have 17 bits, if the code is fast.

    Ciphers with contexts are compared further (`compare_onward`).
    """
    if trial.goes_on or not trial.thorough:
        return ()
    return (MEGABYTES,) if seconds_of(trial, MEGABYTES) <= MEGABYTES_SECONDS else ()


def _messages(trial: AnyTrial, random: Random, longest: int) -> Iterator[int]:
    """Yield those that are swept over, then the others in any order, with short ones between."""
    swept = trial.lengths(thorough=trial.thorough)
    yield from swept
    others = sorted(set(range(longest + 1)) - set(swept))
    for length in random.sample(others, len(others)):
        yield from (length, _any(random.random(), longest))
    while True:
        yield _any(random.random(), longest)


def _any(chance: float, longest: int) -> int:
    """Return a length up to `longest`; one of few bytes is as likely as one of many."""
    return round((longest + 1) ** chance) - 1 if chance else 0


LENGTH = 64
MORE_TIME = 0.25
LEAST_DRAW = 2  # bytes: of shorter ones nobody can tell which variable has them
DRAWS, DRAW_BYTES = 24, 4096  # as many and as long as any use needs


class Course(Struct, frozen=True):
    """A use of both implementations, and the numbers of the draws that its variables hold."""

    pair: Pair
    question: RandomInputs
    first: Routine
    second: Routine
    draws: tuple[tuple[str, int], ...]

    def differ(self, seed: int, rounds: int) -> bool:
        """Return whether the outputs of so many rounds, from a seed on, have other digests."""
        names = [name for name, _ in self.draws]
        mine = self.pair.first.digest(self.first, names, seed, rounds)
        with self.pair.answering():
            return mine != self.pair.second.digest(self.second, names, seed, rounds)

    def asked(self, seed: int) -> RandomInputs:
        """Return the question of one round."""
        held = list(self.question.drawn)
        for part, (name, draw) in enumerate(self.draws):
            held[draw] = drawn(seed, part, self.first.variables[name].size)
        return replace(self.question, drawn=tuple(held))


def many_rounds(pair: Pair) -> Iterator[Difference]:
    """Yield what a course of rounds finds that both answer differently."""
    if pair.rounds == 0 or pair.first.trial.on_board:
        return
    for side in (pair.first, pair.second):
        side.budget.seconds += MORE_TIME * side.budget.seconds  # questions may have used it up
    for course in _courses(pair):
        try:
            found = _run(course)
        except AgentRefusal:
            return  # an agent that cannot
        if found is not None:
            yield found


def _courses(pair: Pair) -> Iterator[Course]:
    """Yield every use of its own, with all sizes."""
    seen: set[str] = set()
    for number in range(DRAWS):
        held = tuple(pair.random.randbytes(DRAW_BYTES) for _ in range(DRAWS))
        question = RandomInputs(LENGTH, LENGTH, held, sizes=number)
        uses = pair.uses(question)
        chosen = pair.first.trial.representative(tuple(one for one, _ in uses))
        for one, other in uses:
            if one in chosen and one.name not in seen and (draws := draws_of(one, held)):
                seen.add(one.name)
                yield Course(pair, question, one, other, draws)


def draws_of(routine: Routine, held: tuple[bytes, ...]) -> tuple[tuple[str, int], ...]:
    """Name the variables whose bytes were drawn, with the number of the draw."""
    found = (
        (name, number)
        for name, one in routine.variables.items()
        for number, each in enumerate(held)
        if one.value is not None and len(one.value) >= LEAST_DRAW and each.startswith(one.value)
    )
    return tuple(found)[:MOST_PARTS]


def _run(course: Course) -> Difference | None:
    """Run rounds until they are enough or the time is over; return what differs."""
    pair, seed = course.pair, course.pair.random.getrandbits(63)
    made, differs = until_different(
        lambda done, rounds: course.differ(seed + done * MOST_PARTS, rounds),
        pair.rounds,
        lambda: pair.over,
    )
    pair.asked += made
    return _found(course, seed, made) if differs else None


def _found(course: Course, seed: int, number: int) -> Difference | None:
    """Return the answers that differ; None if it is only in what nobody may rely on."""
    own = seed + number * MOST_PARTS
    course.differ(own + MOST_PARTS, 1)  # nothing is left of the round before it
    found = course.pair.difference(course.asked(own))
    keeps_randomness = course.pair.first.trial.draws(course.first)
    if found is None and not keeps_randomness and not course.differ(own, 1):
        raise CheckFailed(
            f"{course.first.name} gives another output than {course.pair.second.name} after "
            f"{number} others with other inputs, and the same by itself"
        )
    return found

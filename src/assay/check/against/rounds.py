# SPDX-License-Identifier: MIT
"""The same use with thousands of keys and messages, computed inside the agents.

Both agents draw the same inputs, and tell a digest of all outputs. If the digests differ, the
first round that differs is found by halving, and becomes a question like any other.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.check.against.pair import Difference, Pair
from assay.check.against.side import RandomInputs
from assay.check.check import CheckFailed
from assay.check.rounds import FIRST_ROUNDS, drawn, first_that_differs, next_rounds
from assay.check.routine import Routine
from assay.execute.agent import AgentRefusal
from assay.execute.circumstances import MOST_PARTS

LENGTH = 64
MORE_TIME = 0.25
LEAST_DRAW = 2  # bytes: of shorter ones nobody can tell which variable has them
DRAWS, DRAW_BYTES = 24, 4096  # as many and as long as any use needs


@dataclass(frozen=True, slots=True)
class Course:
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

    def first_that_differs(self, seed: int, rounds: int) -> int:
        """Return the number of a round, from 0, after which the digests differ."""
        return first_that_differs(lambda up_to: self.differ(seed, up_to), rounds)

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
    done, rounds = 0, FIRST_ROUNDS
    while done < pair.rounds and not pair.over:
        rounds = min(rounds, pair.rounds - done)
        began = time.monotonic()
        if course.differ(seed, rounds):
            return _found(course, seed, rounds)
        done += rounds
        pair.asked += rounds
        seed += rounds * MOST_PARTS
        rounds = next_rounds(rounds, time.monotonic() - began)
    return None


def _found(course: Course, seed: int, rounds: int) -> Difference | None:
    """Return the answers that differ; None if it is only in what nobody may rely on."""
    number = course.first_that_differs(seed, rounds)
    own = seed + number * MOST_PARTS
    course.differ(seed + rounds * MOST_PARTS, 1)  # nothing is left of the round before it
    found = course.pair.difference(course.asked(own))
    keeps_randomness = course.pair.first.trial.draws(course.first)
    if found is None and not keeps_randomness and not course.differ(own, 1):
        raise CheckFailed(
            f"{course.first.name} gives another output than {course.pair.second.name} after "
            f"{number} others with other inputs, and the same by itself"
        )
    return found

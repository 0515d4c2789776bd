# SPDX-License-Identifier: MIT
"""What two implementations are asked: short lengths, some long ones, then the others."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from assay.check.against.pair import Pair
from assay.check.against.side import SEED_BYTES, RandomInputs
from assay.check.lengths.sweep import BOARD_LONGEST, LONGEST
from assay.check.trial import AnyTrial

LARGEST_GROUP = 32
LARGEST_BYTES = 1 << 16  # of messages in a group
FORGED_EVERY = 4
POSITIONS = 1 << 16
SHORT_ONES = 80  # questions before the long ones: slow code does not get that far
ENCODED = (0xFF00, 0x10000)  # from where CCM encodes lengths otherwise, and others have 17 bits
LONG = range(0x10001, 100_003)


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
        if number == SHORT_ONES and has_second and not trial.on_board:
            yield from ((one, one) for one in (*ENCODED, random.choice(LONG)))
        second = _any(random.random(), min(longest, 2 * length + 64)) if has_second else 0
        yield length, second


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

# SPDX-License-Identifier: MIT
"""At which long lengths every property is asked again, and how.

Code that takes another path from some length on has all properties twice. So checks that look at
short messages are repeated with a few long ones, as far as the code is fast. The lengths are
powers of two, what lies beside them, and those that the code's own instructions name.
"""

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckSkipped, Said, TrialT, once
from assay.check.object.calling import LEAST_NUMBER, compared
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentError, AgentRefusal

LONGEST = 200_003
LADDER = (5_000, 20_011, 70_000, LONGEST)  # slow code is asked of the longest that it has time for
EDGES = (5_000, 1 << 16, (1 << 16) + 1)
POWERS = range(12, 18)
THIRDS = tuple(3 << power for power in range(12, 16))  # a tree of chunks is not full there
ODDS = (5, 7, 9, 11, 13, 15)
ALL_BLOCKS = 137_088  # of blocks of 48, 64, 72, 112, 128, 136, 144 and 168 bytes
USE_SECONDS, SLOW_USE_SECONDS = 0.03, 0.1  # that one use may take, and one that always takes long
SHORT = 64
CHECK_SECONDS, DEEP_SECONDS = 0.02, 1.0  # that the code may work for one length of a check
MOST_NAMED, DEEP_NAMED = 3, 12  # lengths that instructions name
NOTE, RATE = "far", "far seconds a byte"
MARKED_SECONDS, MARKED_TIMES = 2.0, 300  # under valgrind a byte takes so much longer, in all ways

Stretch = Callable[[TrialT], Said]


def also_far(checks: Iterable[Check[TrialT]], *, few: bool = False) -> tuple[Check[TrialT], ...]:
    """Return checks that are asked of long messages, too, once they hold for short ones.

    What takes long is asked of `few` lengths: the longest, where `--deep` asks of all.
    """
    return tuple(also_far_by(one, one.run, few=few) for one in checks)


def also_far_by(
    check: Check[TrialT], asked: Stretch[TrialT], *, few: bool = False
) -> Check[TrialT]:
    """Return a check of which the question of long messages is asked in a way of its own."""

    def both(trial: TrialT) -> Said:
        said = check.run(trial)
        _ask_far(trial, asked, few=few)  # type: ignore[arg-type]
        return said

    return replace(check, run=both)


def _ask_far(trial: AnyTrial, asked: Stretch[AnyTrial], *, few: bool) -> None:
    """Ask a question of each long length; what is not to be had for it is no matter."""
    lengths = far(trial)
    for length in lengths[-1:] if few and not trial.deep else lengths:
        with (
            trial.stretched(length, DEEP_SECONDS if trial.deep else CHECK_SECONDS),
            suppress(CheckSkipped, AgentRefusal),
        ):
            asked(trial)


def far(trial: AnyTrial) -> tuple[int, ...]:
    """Choose long lengths: the longest that is affordable, one at random, and named ones."""
    if trial.stretch or not trial.thorough:
        return ()
    longest = affordable(trial)
    if not longest:
        return ()
    some = trial.some(named_lengths(trial), DEEP_NAMED if trial.deep else MOST_NAMED)
    chosen = (longest, any_far(trial), *(EDGES if trial.deep else ()), *some)
    return tuple(sorted({one for one in chosen if one <= longest}))


def any_far(trial: AnyTrial) -> int:
    """Return a power of two, or one more or less, or any length; short ones are as likely."""
    power = 1 << trial.random.choice(POWERS)
    return trial.random.choice(
        (power - 1, power, power + 1, power + trial.random.randrange(power))
    )


def whole(trial: AnyTrial) -> tuple[int, ...]:
    """Return lengths of whole blocks and chunks whose number is no power of two."""
    odd, most = trial.random.choice(ODDS), POWERS[-1]
    random = odd << trial.random.randrange(POWERS[0] - 3, most - 3)
    longest = affordable(trial)
    return tuple(one for one in (*THIRDS, random, ALL_BLOCKS) if one <= longest)


def named_lengths(
    trial: AnyTrial, most: int = LONGEST, least: int = LEAST_NUMBER - 1
) -> tuple[int, ...]:
    """Return lengths at which instructions of the code may take another path, and those beside."""
    named = once(trial.notes, NOTE, partial(_named, trial))
    around = sorted({one + more for one in named for more in (-1, 0, 1)})
    return tuple(one for one in around if least <= one <= most)


def _named(trial: AnyTrial) -> tuple[int, ...]:
    objects = trial.bench.build.objects if trial.bench else ()
    return compared(tuple(one for one in objects if one.is_file()))


def every_far(trial: AnyTrial) -> tuple[int, ...]:
    """Return all powers of two, those beside them, and the lengths that instructions name."""
    powers = ((1 << power) + more for power in POWERS for more in (-1, 0, 1))
    return (*EDGES, *powers, *whole(trial), *named_lengths(trial), LONGEST)


def affordable(trial: AnyTrial) -> int:
    """Return the longest length a use of which takes little time; 0 if there is none."""
    if trial.on_board or not trial.measured[0]:
        return 0
    return once(trial.notes, f"{NOTE} longest", partial(_measured, trial))


def seconds_of(trial: AnyTrial, length: int) -> float:
    """Return how long a use of so many bytes takes by what was measured; infinity if nothing."""
    return length * float(trial.notes[RATE]) if affordable(trial) else math.inf


def marked(trial: AnyTrial) -> tuple[int, ...]:
    """Return one or two long lengths for messages in which secrets are marked."""
    fitting = [
        [one for one in each if seconds_of(trial, MARKED_TIMES * one) <= MARKED_SECONDS]
        for each in (LADDER, named_lengths(trial))
    ]
    return tuple(sorted({one for each in fitting for one in each[-1:]}))


def _measured(trial: AnyTrial) -> int:
    """Try lengths, the short ones first, as long as by the last one the next has time.

    Code that faults or fails is for the checks that ask it of such lengths anyway; theirs are
    other agents than the one that ends here.
    """
    longest = 0
    with suppress(CheckSkipped, CheckFailed, AgentError), trial.fresh_session() as session:
        taken = [(SHORT, _seconds(trial, session, SHORT))]
        allowed = trial.budget(min(max(USE_SECONDS, 2 * taken[0][1]), SLOW_USE_SECONDS)).seconds
        for length in LADDER:
            if len(taken) > 1 and _projected(taken, length) > allowed:
                break
            taken.append((length, _seconds(trial, session, length)))
            trial.notes[RATE] = taken[-1][1] / length
            if taken[-1][1] > allowed:
                break
            longest = length
    return longest


def _projected(taken: list[tuple[int, float]], length: int) -> float:
    """Return how long a use will take, if each byte more takes as long as the last ones did."""
    (before, less), (last, seconds) = taken[-2:]
    growth = max(seconds - less, 0.0) / (last - before)
    return seconds + growth * (length - last)


def _seconds(trial: AnyTrial, session: BaseSession, length: int) -> float:
    """Return how long all functions take, one after the other, for one message."""
    budget = trial.budget()
    batch = trial.last_use((length,))
    arena = Arena(session)
    arena.outcome(batch[0])
    with budget.spending(session.agent):
        arena.outcome(batch[0])
    return budget.used

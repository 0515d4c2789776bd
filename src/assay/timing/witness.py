# SPDX-License-Identifier: MIT
"""What the bench sees of an agent from outside while the agent times code in it.

Submitted code lives in one address space with the agent and can shift its clock readings.
It cannot shift the kernel's account of the processor time that its process used, threads
included, which the bench reads before and after each request. While a cipher is timed nearly
all of that time passes inside timed windows. So an agent that reports much less time than it
used, or more than went by, does not tell the truth. Nor does one whose numbers cannot be
computed with.

On a machine that is emulated itself, counter, clock and processor time drift apart by what the
emulator does between two instructions. There contradictions prove nothing and are ignored.
"""

import contextlib
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from assay.execute.protocol import AgentError
from assay.machine.virtual import emulated

LEAST_SHARE = 0.97  # of the processor time used that must have been reported
UNTIMED_SECONDS = 0.0005  # the answer, waking up, and interrupts
MOST_SHARE = 1.02  # of the time that went by that may have been reported
# Times the usual batch: what all may take on average, what beside a neighbour, and the first.
UNEVEN, UNSTEADY, WARM_UP = 1.1, 1.6, 1.5
DISTURBED = 2.5  # and what all may take where some do not count, as they were interrupted
ATTEMPTS = 6  # to time a batch with a report that fits what was seen
# Of a timed group. Honest ones have some when code, stack and contexts are touched for the first
# time (44 at most, of all shipped packages), and none when they are timed again.
MOST_FAULTS = 128
RESTING_SECONDS = 0.001  # canaries and clocks, and what an interrupt takes
DoneT = TypeVar("DoneT")


class AgentLied(AgentError):
    """What the agent reports contradicts what the bench saw of it."""


class AgentNonsense(AgentError):
    """What the agent reports are no figures of anything."""


def accuse(message: str) -> None:
    """Raise AgentLied, unless the clocks of this machine contradict each other by themselves."""
    if not emulated():
        raise AgentLied(message)


@contextlib.contextmanager
def making_sense() -> Iterator[None]:
    """Blame an agent whose numbers cannot be computed with, whatever they are used for."""
    try:
        yield
    except (ArithmeticError, ValueError) as error:
        raise AgentNonsense(f"its figures make no sense: {error}") from error


def believed(timed: Callable[[], DoneT], attempts: int = ATTEMPTS) -> DoneT:
    """Time until what the agent reports fits what was seen of it; AgentLied if it never does.

    A busy machine takes processor time of honest agents beside their windows now and then.
    """
    for _ in range(attempts - 1):
        with contextlib.suppress(AgentLied):
            return timed()
    return timed()


def took_time(what: str, ticks: Sequence[int]) -> None:
    """Raise AgentNonsense unless most timings are of some time."""
    if 2 * sum(map(bool, ticks)) <= len(ticks):
        raise AgentNonsense(f"while {what}: it reports that the calls took no time")


def require_even(
    what: str, warm_up: int, batches: Sequence[int], absent: float, *, steady: bool
) -> None:
    """Raise AgentLied if batches took much more together than the usual one says.

    A figure is a median. Code that works ahead in one call, the warm-up say, and hands out what
    it kept in the others would else be as fast as copying. All are ticks; `absent` are those in
    which the process had no processor; if the group was not `steady`, neighbours slowed some.
    """
    usual = statistics.median(batches)
    allowed = ((UNEVEN if steady else UNSTEADY) * len(batches) + WARM_UP) * usual
    taken = warm_up + sum(batches) - absent
    if taken > allowed:
        accuse(
            f"while {what}: {len(batches)} batches and the warm-up took "
            f"{taken / usual:.1f} times as long as the usual batch, so it works ahead"
        )


def require_alike(
    what: str, counting: Sequence[int], warm_up: int, batches: Sequence[int], absent: float
) -> None:
    """Raise AgentLied if all batches took much more together than those that count say.

    One that takes long is interrupted on a busy machine, and does not count: code that works
    ahead there would be as fast as copying in the others.
    """
    usual = statistics.median(counting)
    taken = warm_up + sum(batches) - absent
    if taken > (DISTURBED * len(batches) + WARM_UP) * usual:
        accuse(
            f"while {what}: {len(batches)} batches and the warm-up took "
            f"{taken / usual:.1f} times as long as the usual batch, so it works ahead"
        )


def require_few_faults(what: str, faults: int | None) -> None:
    """Raise AgentLied if the process had more page faults than timed code makes (None: unknown).

    Code that fetches what it kept from fresh pages, or has pages taken away, makes thousands.
    """
    if faults is not None and faults > MOST_FAULTS:
        raise AgentLied(
            f"while {what}: {faults} page faults, and {MOST_FAULTS} at most are believed"
        )


def require_rest(when: str, used: float | None, allowed: float = 0.0) -> None:
    """Raise AgentLied if the process worked where there is nothing to do.

    `used` are seconds of the processor (None: unknown), of which so many are `allowed` besides
    what canaries take.
    """
    if used is not None and used > allowed + RESTING_SECONDS:
        accuse(
            f"{when} it used {1000 * used:.1f} ms of the processor, and "
            f"{1000 * (allowed + RESTING_SECONDS):.1f} ms at most are believed"
        )


def compare(what: str, reported: float, used: float | None, passed: float, share: float) -> None:
    """Raise AgentLied unless the seconds reported fit those seen.

    `used` is processor time (None: unknown), `passed` is by the clock, `share` is how much
    of the processor time must have been reported: 0 where much is done beside the timing.
    """
    if reported > passed * MOST_SHARE + UNTIMED_SECONDS:
        accuse(
            f"while {what}: it reports {1000 * reported:.1f} ms, and {1000 * passed:.1f} ms passed"
        )
    if used is not None and reported < share * (used - UNTIMED_SECONDS):
        accuse(
            f"while {what}: it reports {1000 * reported:.1f} ms and used {1000 * used:.1f} ms "
            "of the processor"
        )

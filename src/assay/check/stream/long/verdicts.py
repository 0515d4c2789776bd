# SPDX-License-Identifier: MIT
"""What is said of a long keystream: after each leg, and in the end."""

from dataclasses import replace

from assay.check.check import CheckFailed, CheckFinding, CheckSkipped
from assay.check.stream.long.record import Milestone
from assay.check.stream.long.relay import BothLooked, Relay, StreamMaker
from assay.check.stream.long.route import Leg, Route
from assay.check.stream.long.walker import Looked

GIB = 1 << 30
DAY_SECONDS = 86_400
LONGEST_SECONDS = 2400.0  # for a leg, and where only one process can make all


def skip_if_slow(seconds: float, left: int, *, portable: bool) -> None:
    """Raise CheckSkipped where agents would be ended before the work is done."""
    if seconds > LONGEST_SECONDS:
        days = seconds * left / DAY_SECONDS
        raise CheckSkipped(f"the code is slow: it would take {days:.0f} days")
    if not portable and seconds * left > LONGEST_SECONDS:
        raise CheckSkipped(
            f"it would take {seconds * left / 3600:.1f} hours, of which a process has one, and "
            "no other process can go on from its context: there are pointers in it"
        )


def passed(both: Relay, leg: Leg, looked: Looked, route: Route, milestone: Milestone) -> Milestone:
    """Return the milestone after a leg; it knows if the stream began again there."""
    first = milestone.first or looked[leg.windows[0]].hex()
    begun = bytes.fromhex(first)
    powers = {at - route.around: power for power, at in route.powers()}
    again = (
        powers[window.begin]
        for window, data in looked.items()
        if window.begin in powers and data[route.around :] == begun
    )
    one, other = both.contexts
    repeats = milestone.repeats if milestone.repeats is not None else min(again, default=None)
    return replace(
        milestone,
        legs=leg.number + 1,
        contexts=(one.hex(), other.hex()),
        first=first,
        repeats=repeats,
    )


def compare(both: Relay, leg: Leg, looked: BothLooked) -> None:
    """Raise CheckFailed for the first window that two made differently."""
    one, other = both.walkers
    for window in sorted(leg.windows, key=lambda each: each.begin):
        first, second = looked[0][window], looked[1][window]
        if first != second:
            unit = one.session.subject.block_bytes
            at = next(i for i in range(window.size) if first[i] != second[i]) + window.begin
            raise CheckFailed(
                f"byte {at} of the keystream, in block {at // unit:#x}, differs between "
                f"{one.name} in calls with {one.piece} bytes and {other.name} in calls with "
                f"{other.piece}",
                f"from byte {window.begin} on\n{one.name}\n{first.hex()}\n"
                f"{other.name}\n{second.hex()}\n",
            )


def answer(route: Route, done: Milestone, rival: StreamMaker) -> str:
    """Return the remark on a stream that was compared to its end; raise if it began again."""
    if done.repeats is not None:
        size = route.unit << done.repeats
        raise CheckFinding(
            f"the keystream begins again after 2^{done.repeats} blocks ({size / GIB:.0f} GiB)",
            f"block 0 and block {1 << done.repeats:#x}\n{done.first}\n",
        )
    windows = sum(len(leg.windows) for leg in route)
    size = route.blocks * route.unit
    return (
        f"2^{route.blocks.bit_length() - 1} blocks ({size / GIB:.0f} GiB) and some more are at "
        f"{windows} places what {rival.name} makes in calls of another length"
    )

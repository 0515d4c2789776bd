# SPDX-License-Identifier: MIT
"""Whether a keystream of more than 2^32 blocks is right to its end, and never begins again."""

import time
from functools import partial

from msgspec.structs import replace

from assay.check.bench import BuiltReference, LongRun
from assay.check.check import (
    Check,
    CheckFailed,
    CheckFinding,
    CheckInapplicable,
    CheckOpen,
    CheckSkipped,
)
from assay.check.keystream.relay import (
    BothLooked,
    Leg,
    Looked,
    Milestone,
    Record,
    Relay,
    RivalFailed,
    Route,
    StreamMaker,
    StreamMakers,
    relay,
)
from assay.check.session import StreamSession
from assay.check.stream.routines import CipherMessage, alike
from assay.check.stream.trial import Trial
from assay.execute.lock import stand_aside
from assay.execute.patience import OutOfPatience

PIECE, OTHER_PIECE = 1 << 20, 3 << 18  # bytes of a call
GIB = 1 << 30
DAY_SECONDS = 86_400
LONGEST_SECONDS = 2400.0  # for a leg, and where only one process can make all
HOW = "takes minutes to hours; run it with `--deep --long`"


def run(trial: Trial) -> str:
    """Make the stream twice, and compare; CheckFinding if it begins again."""
    bench = trial.bench
    if bench is None or not bench.target.is_native:
        raise CheckInapplicable("a stream of 2^32 blocks is made on this machine alone")
    if bench.long is None:
        raise CheckSkipped(HOW)
    record = Record(bench.long.record)
    milestone = record.read() or _fresh(trial)
    route = Route(trial.unit, milestone.seed, bench.long.blocks)
    with bench.long.reference() as found:
        makers = _makers(trial, bench.long, found)
        try:
            done = _made(trial, (bench.long, record), makers, (route, milestone))
        except RivalFailed as failed:
            raise CheckOpen(str(failed)) from None
        except OutOfPatience:
            raise CheckOpen(
                f"{_reached(record, route)} when the time was used up",
                cure="The same command goes on from there; allow more with --patience.",
            ) from None
    record.remove()
    return _answer(route, done, makers[1])


def _makers(trial: Trial, long: LongRun, reference: BuiltReference | None) -> StreamMakers:
    """Return who makes the stream: the package and its reference, or itself with other calls."""
    name, unit = trial.package.selector, trial.unit
    own = StreamMaker(name, long.connect, trial.converse, PIECE // unit * unit)
    other = (OTHER_PIECE // unit - 1) * unit
    if reference and alike(reference.subject, trial.subject):
        converse = partial(StreamSession, subject=reference.subject)
        return own, StreamMaker(reference.name, reference.connect, converse, other)
    return own, replace(own, piece=other)


def _fresh(trial: Trial) -> Milestone:
    """Draw a key, an IV and the windows of a stream that begins."""
    sizes = trial.sizes[-1]
    key, iv = (trial.bytes(-(-bits // 8)) for bits in (sizes.key_bits, sizes.iv_bits))
    return Milestone(0, trial.random.getrandbits(64), (key, iv))


def _made(
    trial: Trial,
    keeping: tuple[LongRun, Record],
    makers: StreamMakers,
    way: tuple[Route, Milestone],
) -> Milestone:
    """Walk from a milestone to the end."""
    (long, record), (route, milestone) = keeping, way
    start = CipherMessage(trial.subject, trial.sizes[-1], *milestone.loaded, b"", b"")
    portable = milestone.legs > 0
    with relay(makers, start) as both:
        if portable:
            both.hand_over(milestone.contexts)
        for leg in route:
            if leg.number < milestone.legs:
                continue
            stand_aside()
            before, began = both.contexts, time.monotonic()
            looked = both.walk(leg)
            _compare(both, leg, looked)
            seconds = time.monotonic() - began
            portable = portable or (leg.number > 0 and both.portable(before, leg, looked))
            _skip_if_slow(seconds, route.legs - leg.number, portable=portable or not leg.number)
            milestone = _passed(both, leg, looked[0], route, milestone)
            long.reach(leg.number + 1, route.legs)
            if portable:
                record.write(milestone)
            if portable and both.worn:
                both.hand_over(both.contexts)
    return milestone


def _reached(record: Record, route: Route) -> str:
    """Return how far the stream was made."""
    milestone = record.read()
    legs = milestone.legs if milestone else 0
    return f"{100 * legs // route.legs} % of 2^{route.blocks.bit_length() - 1} blocks were made"


# ---------------------------------------------------------------- what is said of it


def _skip_if_slow(seconds: float, left: int, *, portable: bool) -> None:
    """Raise CheckSkipped where agents would be ended before the work is done."""
    if seconds > LONGEST_SECONDS:
        days = seconds * left / DAY_SECONDS
        raise CheckSkipped(f"the code is slow: it would take {days:.0f} days")
    if not portable and seconds * left > LONGEST_SECONDS:
        raise CheckSkipped(
            f"it would take {seconds * left / 3600:.1f} hours, of which a process has one, and "
            "no other process can go on from its context: there are pointers in it"
        )


def _passed(
    both: Relay, leg: Leg, looked: Looked, route: Route, milestone: Milestone
) -> Milestone:
    """Return the milestone after a leg; it knows if the stream began again there."""
    first = milestone.first or looked[leg.windows[0]]
    powers = {at - route.around: power for power, at in route.powers()}
    again = (
        powers[window.start]
        for window, data in looked.items()
        if window.start in powers and data[route.around :] == first
    )
    repeats = milestone.repeats if milestone.repeats is not None else min(again, default=None)
    return replace(
        milestone,
        legs=leg.number + 1,
        contexts=both.contexts,
        first=first,
        repeats=repeats,
    )


def _compare(both: Relay, leg: Leg, looked: BothLooked) -> None:
    """Raise CheckFailed for the first window that two made differently."""
    one, other = both.walkers
    for window in sorted(leg.windows, key=lambda each: each.start):
        first, second = looked[0][window], looked[1][window]
        if first != second:
            unit = one.stream.unit
            at = next(i for i in range(len(window)) if first[i] != second[i]) + window.start
            raise CheckFailed(
                f"byte {at} of the keystream, in block {at // unit:#x}, differs between "
                f"{one.name} in calls with {one.piece} bytes and {other.name} in calls with "
                f"{other.piece}",
                f"from byte {window.start} on\n{one.name}\n{first.hex()}\n"
                f"{other.name}\n{second.hex()}\n",
            )


def _answer(route: Route, done: Milestone, reference: StreamMaker) -> str:
    """Return the remark on a stream that was compared to its end; raise if it began again."""
    if done.repeats is not None:
        size = route.unit << done.repeats
        raise CheckFinding(
            f"the keystream begins again after 2^{done.repeats} blocks ({size / GIB:.0f} GiB)",
            f"block 0 and block {1 << done.repeats:#x}\n{done.first.hex()}\n",
        )
    windows = sum(len(leg.windows) for leg in route)
    size = route.blocks * route.unit
    return (
        f"2^{route.blocks.bit_length() - 1} blocks ({size / GIB:.0f} GiB) and some more are at "
        f"{windows} places what {reference.name} makes in calls of another length"
    )


CHECK: Check[Trial] = Check(
    name="keystream/2-to-the-32-blocks",
    asks="Is a keystream of more than 2^32 blocks right to its end, and does it not begin again?",
    why=(
        "keystream/carry sets counters that it can see. Others are kept in two words, in another "
        "order or outside of the context, and what is made of them only a stream that is as long "
        "shows. It is made twice at once, in calls of two lengths: by the package, and by the "
        "implementation that it is compared with (`--against`, or the one that Assay brings), or "
        "by the package again. Windows of both are compared, at random places and around all "
        "powers of two. Some ciphers specify a counter of 32 bits, so a stream that begins again "
        "is a finding."
    ),
    cure="Count blocks in as many bits as the specification has, and carry into all of them.",
    run=run,
)

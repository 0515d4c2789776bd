# SPDX-License-Identifier: MIT
"""What a cipher does outside of the calls that are timed, or leaves to calls that follow.

A hundred keys and IVs are set up before each series, and then other IVs, which nobody knew before.
A cipher that computes keystream there, and hands it out while it is timed, uses more processor
time for it than its setups take when they are timed. What a key setup leaves to the first IV
setup counts as the key setup's: keystream that is made there is of another IV than what is timed.
Agility is left out: its contexts are copied besides.

After a series some contexts encrypt one short text each, and the agent tells what the series came
to. A cipher that left calls undone, and makes them once somebody asks what they wrote, uses more
processor time there than that takes where it is timed.

A setup may only note its key or IV, and do its work when the first block is encrypted, which no
measure of a setup shows. So each is timed once more with what follows it: an IV setup and one
text, the same with two texts, and with a key setup before. Two times the first less the second is
what an IV setup takes with all that it leaves to the first text, and the third less the first the
same for a key setup. There each key and IV follows from the text before, so that no setup can be
made ahead. Where that is much more than the setup is said to take, it counts.
"""

import statistics
from collections.abc import Iterator, Sequence
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from assay.measure.audit import Account
from assay.measure.loops import EndTime, LoopMeasure, SetupTime
from assay.model import Sample, SizeChoice
from assay.model.measuring import IV_SETUP, KEY_SETUP
from assay.stats.quartiles import quartiles
from assay.timing.witness import accuse, require_rest

KEYS = 100  # as the agent sets up (harness/agent/stream_pool.c)
TIMED_SETUPS = (KEY_SETUP, IV_SETUP)
MOST_TIMES = 1.5  # what setups take where they are timed, batch after batch, in warm caches
FEW_IV_BITS = 31  # so many and fewer may come twice
REQUEST_SECONDS = 0.0002  # to read the request and to answer it, on slow machines too
FILLING_SECONDS = 8e-9  # for a random byte of keys, IVs and text: eight cycles at 1 GHz
LEAST_TEXT = 1500  # bytes, as the agent has them
LEAST_SETUPS = 3  # any one may be disturbed
SHORT_TEXT = "agility"  # what is done for each context, with an IV setup
LONG = 0  # loop
END_SECONDS = 0.001  # beyond what rest allows: no end is asked for twice
MOST_TIMES_AFTER = 2.0  # what it takes where it is timed: these contexts are in no cache
AUDIT = "audit/"  # how these measures are called; nobody sees them
ONE_TEXT, TWO_TEXTS, NEW_KEY = f"{AUDIT}one-text", f"{AUDIT}two-texts", f"{AUDIT}new-key"
LOOPS = {ONE_TEXT: 5, TWO_TEXTS: 6, NEW_KEY: 7}
ROUNDS = 2  # the faster one counts: whatever disturbs makes slower
FIRST_BYTES, LONG_BLOCK = 64, 256  # as the agent has them (harness/agent/stream_pool.c)
# A setup waits for the text before it, and the text for the setup; where each is timed alone it
# overlaps with the next. So much more, of the setup, of the text, of both and in all, is no work
# that was put off.
OF_SETUP, OF_TEXT, OF_BOTH, SECONDS = 0.25, 0.25, 0.15, 30e-9


def require_setups(
    setups: Sequence[SetupTime], samples: Sequence[Sample], rate: float, copying: int
) -> None:
    """Raise AgentLied if half of the setups at some sizes used more than timed ones say.

    `rate` is ticks per second. `copying` is the loop whose setups do more than others. Nothing
    is said where one of the setups was not timed.
    """
    for sizes in {one.sizes for one in setups}:
        key, iv = (_setup_seconds(sizes, samples, rate, name) for name in TIMED_SETUPS)
        used = [one for one in setups if one.sizes == sizes and one.measure.loop != copying]
        if key is None or iv is None or len(used) < LEAST_SETUPS:
            continue
        text = max(LEAST_TEXT, *(one.measure.call_bytes for one in setups))
        filled = KEYS * (sizes.key_bits + 14) / 8 + text
        _require("keys and IVs", key + iv, [one.seconds for one in used], filled, sizes)
        _require("IVs", iv, [one.ivs for one in used], 0, sizes)


def _require(
    what: str, each: float, used: Sequence[float], filled: float, sizes: SizeChoice
) -> None:
    """Raise AgentLied if setting so many up took longer than `each` says of one, in seconds."""
    anyway = REQUEST_SECONDS + FILLING_SECONDS * (filled + KEYS * sizes.iv_bits / 8)
    account = Account(KEYS * each, statistics.median(used), anyway)
    if account.used > (most := account.most(MOST_TIMES)):
        accuse(
            f"setting up {KEYS} {what} took {1000 * account.used:.1f} ms of the processor, and "
            f"{1000 * most:.1f} ms at most is believed by what setups take when they are timed: "
            "it works ahead there"
        )


def _setup_seconds(
    sizes: SizeChoice, samples: Sequence[Sample], rate: float, name: str
) -> float | None:
    """Return what a setup takes, and what a key setup leaves to the first IV (None: not timed)."""
    known = [one for one in samples if one.sizes == sizes]
    found = next((one for one in known if one.measure == name), None)
    if found is None:
        return None
    left = 0.0
    if name == KEY_SETUP and sizes.iv_bits > FEW_IV_BITS:
        left = _deferred(found, known, SECONDS * rate)
    return (statistics.median(found.ticks) / found.tests + left) / rate


def require_ends(ends: Sequence[EndTime], samples: Sequence[Sample], rate: float) -> None:
    """Raise AgentLied if what follows a series used more than timed calls say.

    `rate` is ticks per second. Nothing is said where one of these calls was not timed.
    """
    seconds = {
        (one.sizes, one.measure): statistics.median(one.ticks) / one.tests / rate
        for one in samples
    }
    for end in ends:
        series = end.series
        each = [seconds.get((series.sizes, name)) for name in (SHORT_TEXT, IV_SETUP)]
        known = [one for one in each if one is not None]
        if len(known) == len(each):
            account = Account(_contexts(end) * sum(known), end.seconds, END_SECONDS)
            what = f"after {series.measure.name} was timed"
            require_rest(what, account.used, account.most(MOST_TIMES_AFTER))


def _contexts(end: EndTime) -> int:
    """Return how many contexts are used: those that were chosen, or all."""
    measure = end.series.measure
    if measure.length or measure.name.startswith(AUDIT):
        return 0
    return min(KEYS, end.series.batch.keys) if measure.loop == LONG else len(end.series.chosen)


def audits(block: int) -> tuple[LoopMeasure, ...]:
    """Return what is timed besides, for blocks of so many bytes."""
    text = FIRST_BYTES if block > LONG_BLOCK else -(-FIRST_BYTES // block) * block
    return ROUNDS * tuple(LoopMeasure(name, loop, 0, text, text) for name, loop in LOOPS.items())


class _Each(Struct, frozen=True):
    """What a call takes, in ticks: quartiles and median."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, sample: Sample, like: Sample) -> "_Each":
        """Return it at the clock of another sample, as far as beats say it."""
        pace = 1.0
        if sample.beats and like.beats:
            pace = sample.beats.cycles_per_tick / like.beats.cycles_per_tick
        low, median, high = quartiles(sample.ticks)
        return cls(*(one / sample.tests * pace for one in (low, median, high)))


def accounted(samples: Sequence[Sample], rate: float) -> Iterator[Sample]:
    """Yield samples, with what setups leave to others counted in them; audits are left out.

    `rate` is ticks per second.
    """
    for one in samples:
        if one.measure.startswith(AUDIT):
            continue
        known = [each for each in samples if each.sizes == one.sizes]
        deferred = _deferred(one, known, SECONDS * rate)
        quiet = all(each.quiet for each in known if each.measure.startswith(AUDIT))
        yield _with(one, deferred, quiet=quiet) if deferred else one


def _deferred(setup: Sample, known: Sequence[Sample], least: float) -> float:
    """Return the ticks that a setup leaves to others; 0 if it may be what waiting takes."""
    audits = [[_Each.of(one, setup) for one in known if one.measure == name] for name in LOOPS]
    if setup.measure not in (KEY_SETUP, IV_SETUP) or not all(audits):
        return 0.0
    alone = _Each.of(setup, setup)
    one, two, new = (min(each, key=attrgetter("median")) for each in audits)
    text = max(0.0, two.median - one.median)
    if setup.measure == IV_SETUP:
        whole, low = one.median - text, 2 * one.low - two.high
    else:
        whole, low = new.median - one.median, new.low - one.high
    excused = OF_SETUP * alone.median + OF_TEXT * text + OF_BOTH * one.median + least
    return whole - alone.median if low > alone.high + excused else 0.0


def _with(setup: Sample, deferred: float, *, quiet: bool) -> Sample:
    """Add what is deferred, which `quiet` audits tell."""
    more = round(deferred * setup.tests)
    ticks = tuple(one + more for one in setup.ticks)
    return replace(setup, ticks=ticks, deferred_ticks=more, quiet=setup.quiet and quiet)

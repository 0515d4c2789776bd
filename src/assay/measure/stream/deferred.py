# SPDX-License-Identifier: MIT
"""Setups that leave work to what follows them, and what they take with it.

A setup may only note its key or IV, and do its work when the first block is encrypted, which no
measure of a setup shows. So each is timed once more with what follows it: an IV setup and one
text, the same with two texts, and with a key setup before. Two times the first less the second is
what an IV setup takes with all that it leaves to the first text, and the third less the first the
same for a key setup. There each key and IV follows from the text before, so that no setup can be
made ahead. Where that is much more than the setup is said to take, it counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from assay.measure.loops import LoopMeasure
from assay.model import Sample
from assay.model.measuring import IV_SETUP, KEY_SETUP
from assay.stats.quartiles import quartiles

AUDIT = "audit/"  # how these measures are called; nobody sees them
ONE_TEXT, TWO_TEXTS, NEW_KEY = f"{AUDIT}one-text", f"{AUDIT}two-texts", f"{AUDIT}new-key"
LOOPS = {ONE_TEXT: 5, TWO_TEXTS: 6, NEW_KEY: 7}
ROUNDS = 2  # the faster one counts: whatever disturbs makes slower
FIRST_BYTES, LONG_BLOCK = 64, 256  # as the agent has them (harness/agent/stream_pool.c)
# A setup waits for the text before it, and the text for the setup; where each is timed alone it
# overlaps with the next. So much more, of the setup, of the text, of both and in all, is no work
# that was put off.
OF_SETUP, OF_TEXT, OF_BOTH, SECONDS = 0.25, 0.25, 0.15, 30e-9


def audits(block: int) -> tuple[LoopMeasure, ...]:
    """Return what is timed besides, for blocks of so many bytes."""
    text = FIRST_BYTES if block > LONG_BLOCK else -(-FIRST_BYTES // block) * block
    return ROUNDS * tuple(LoopMeasure(name, loop, 0, text, text) for name, loop in LOOPS.items())


@dataclass(frozen=True, slots=True)
class _Each:
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
        yield _with(one, deferred) if deferred else one


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


def _with(setup: Sample, deferred: float) -> Sample:
    more = round(deferred * setup.tests)
    ticks = tuple(one + more for one in setup.ticks)
    return replace(setup, ticks=ticks, deferred_ticks=more)

# SPDX-License-Identifier: MIT
"""From raw launches to figures: medians and quartiles over launches, rates, calibration errors.

Timings inside one launch are not independent, so each launch gives one value:
the median of its timings, per test. Neither are launches of one layout: short calls take a
fifth more in some layouts than in others, so a median would depend on which layout was
launched once more. Therefore every layout has the same weight.

Rates are those of eSTREAM's performance report (HOWTO 2.3). Times are in ticks of a counter
whose rate is known; "cycles" and the rate of the clock they belong to are the caller's business,
because a tick need not be one.
"""

import statistics
from collections import Counter as Counted
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from assay.grouped import grouped
from assay.model import Beats, Counter, Launch, Sample

Taken = tuple[Launch, Sample]
COUNTER_ERROR_BOUND = 0.005  # relative, with a counter of core cycles
TICKS_ERROR_BOUND = 0.02  # with a time stamp counter
MICRO = 1e6
BITS = 8.0

# Simple Imix: packets of 40, 576 and 1500 bytes in proportion 7:4:1.
IMIX = {40: 7, 576: 4, 1500: 1}
IMIX_BYTES = sum(count * size for size, count in IMIX.items())


def counted(launches: Iterable[Launch]) -> tuple[Launch, ...]:
    """Keep the launches that count: undisturbed, and timed by the newest one's counter.

    Ticks of different counters cannot be pooled. Where no launch was quiet the
    disturbed ones count, and whoever shows their figures says so; of these, launches that do
    not know their core cycles count only where none does. Launches of a race count only
    where there are no others: its winner would show the luckiest of many.
    """
    made = tuple(launches)
    known = tuple(launch for launch in made if not launch.purpose) or made
    quiet = [launch for launch in known if not launch.disturbed] or knowing_cycles(known)
    return tuple(item for item in quiet if item.counter.name == quiet[-1].counter.name)


def counted_samples(launches: Iterable[Launch]) -> list[list[Taken]]:
    """Return the samples that count, measure by measure, each with its launch.

    Of disturbed launches these are the quiet ones. The rules are those of `counted`. A sample of
    a launch that does not know its core cycles brings the clock that its own beats saw.
    """
    made = tuple(launches)
    known = tuple(launch for launch in made if not launch.purpose) or made
    groups = grouped(
        ((sample.sizes, sample.measure), (launch, sample))
        for launch in known
        for sample in launch.samples
    )
    kept = list(map(_quietest, groups.values()))
    counting = {id(launch) for group in kept for launch, _ in group}
    name = next((one.counter.name for one in reversed(known) if id(one) in counting), "")
    found = (
        [one if one[0].counter.cycles_per_tick is not None else _clocked(*one)
         for one in group if one[0].counter.name == name]
        for group in kept
    )  # fmt: skip
    return [group for group in found if group]


def _quietest(group: Sequence[Taken]) -> Sequence[Taken]:
    """Keep the samples of a measure that were quiet; without any those that know most."""
    quiet = [one for one in group if one[1].quiet or not one[0].disturbed]
    return quiet or [one for one in group if one[0].counter.cycles_per_tick is not None] or group


def _clocked(launch: Launch, sample: Sample) -> Taken:
    """Return a sample with its launch, whose cycles its beats may know, as nothing else does."""
    counter, beats = launch.counter, sample.beats
    if beats is None or counts_cycles(counter):
        return launch, sample
    known = replace(counter, cycles_per_tick=beats.cycles_per_tick, cycles_per_tick_spread=None)
    return replace(launch, counter=known), sample


def knowing_cycles(launches: Sequence[Launch]) -> Sequence[Launch]:
    """Return the launches that know how many core cycles a tick was; all if none does."""
    return [one for one in launches if one.counter.cycles_per_tick is not None] or launches


def usual_ratios(launches: Iterable[Launch]) -> dict[tuple[str, str], float]:
    """Return the median of core cycles per tick by target and counter, where launches know it."""
    known = grouped(
        ((one.cell.target, one.counter.name), one.counter.cycles_per_tick)
        for one in launches
        if one.counter.cycles_per_tick is not None
    )
    return {key: statistics.median(ratios) for key, ratios in known.items()}


def common_counter(launches: Iterable[Launch]) -> Counter | None:
    """Describe the counter of launches that count together; None without any.

    Rates and ratio are medians; the ratio is None unless every launch
    established it.
    """
    counters = [launch.counter for launch in launches]
    if not counters:
        return None
    rate = statistics.median(item.ticks_per_second for item in counters)
    return replace(
        counters[-1],
        step_ticks=max(item.step_ticks for item in counters),
        ticks_per_second=rate,
        cycles_per_tick=_all_known(item.cycles_per_tick for item in counters),
        cycles_per_tick_spread=_all_known(item.cycles_per_tick_spread for item in counters),
    )


def over_layouts(values: Iterable[tuple[int, float]]) -> float:
    """Return the median over launches in which every layout has the same weight.

    Layouts are launched equally often, up to one launch and those that do not count. The median
    over the layouts' own medians would weigh them equally, too, but two launches of a layout
    have no outlier: it repeats worse. ValueError without values.
    """
    known = tuple(values)
    launches = Counted(layout for layout, _ in known)
    weighed = sorted((value, Fraction(1, launches[layout])) for layout, value in known)
    half, below = Fraction(len(launches), 2), Fraction(0)
    for at, (value, weight) in enumerate(weighed):
        below += weight
        if below == half:
            return (value + weighed[at + 1][0]) / 2
        if below > half:
            return value
    raise ValueError("nothing has no median")


def per_test(launch: Launch, sample: Sample) -> float:
    """Return the median of a sample's timings, in ticks per test at the launch's clock.

    Where beats say that the clock was another one for this sample, its ticks are scaled.
    """
    return statistics.median(sample.ticks) * pace_of(launch.counter, sample.beats) / sample.tests


def pace_of(counter: Counter, beats: Beats | None) -> float:
    """Return how many ticks at the launch's clock a tick was at the one that beats saw."""
    known = counter.cycles_per_tick
    if beats is None or known is None or counts_cycles(counter):
        return 1.0
    return beats.cycles_per_tick / known


def _all_known(values: Iterable[float | None]) -> float | None:
    """Return the median, unless a value is unknown."""
    given = list(values)
    known = [value for value in given if value is not None]
    return statistics.median(known) if len(known) == len(given) else None


class Calibration(Struct, frozen=True):
    """The error of the launches that count, relative and without sign, and its bound."""

    median: float
    largest: float
    bound: float
    launches: int

    @property
    def text(self) -> str:
        """State it in one sentence, in per cent."""
        kind = "a cycle counter" if self.bound == COUNTER_ERROR_BOUND else "a time stamp counter"
        return (
            f"Calibration error {100 * self.median:.2f} %, at most {100 * self.largest:.2f} % "
            f"over {self.launches} launches (bound {100 * self.bound:.1f} % with {kind})."
        )


def error_bound(*, core_cycles: bool) -> float:
    """Return the promise for the error of the calibration."""
    return COUNTER_ERROR_BOUND if core_cycles else TICKS_ERROR_BOUND


def counts_cycles(counter: Counter) -> bool:
    """Return whether a counter counts core cycles itself: its factor is 1, without spread."""
    return (counter.cycles_per_tick, counter.cycles_per_tick_spread) == (1.0, 0.0)


def calibration(launches: Iterable[Launch]) -> Calibration | None:
    """Summarise the errors of launches that count, all if none was quiet; None without any."""
    made = tuple(launches)
    quiet = [one for one in made if not one.disturbed] or made
    found = [
        (abs(one.conditions.calibration_error), counts_cycles(one.counter))
        for one in quiet
        if one.conditions is not None and one.conditions.calibration_error is not None
    ]
    if not found:
        return None
    errors = [error for error, _ in found]
    exact = all(core for _, core in found)
    bound = error_bound(core_cycles=exact)
    return Calibration(statistics.median(errors), max(errors), bound, len(errors))


def microseconds(ticks: float, ticks_per_second: float) -> float:
    """Turn ticks into microseconds."""
    return ticks * MICRO / ticks_per_second


def megabits_per_second(ticks_per_byte: float, ticks_per_second: float) -> float:
    """Turn ticks per byte into megabits (10^6 bits) per second."""
    return BITS / microseconds(ticks_per_byte, ticks_per_second)


def setups_per_second(ticks_per_setup: float, ticks_per_second: float) -> float:
    """Turn ticks per setup into setups per second."""
    return ticks_per_second / ticks_per_setup


def overhead_percent(per_byte: float, stream_per_byte: float) -> float:
    """Return how much more a byte costs than in a long stream (both in one unit), in percent."""
    return 100.0 * (per_byte / stream_per_byte - 1.0)


def imix_per_byte(per_packet: Mapping[int, float]) -> float:
    """Weigh the times of packets of 40, 576 and 1500 bytes; gives time per byte."""
    return sum(count * per_packet[size] for size, count in IMIX.items()) / IMIX_BYTES

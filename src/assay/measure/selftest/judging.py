# SPDX-License-Identifier: MIT
"""Judging samples against the promises: pure functions, no clock and no machine."""

import statistics
from collections.abc import Callable, Iterator, Sequence

from assay.measure.selftest.rates import (
    PER_SIDE,
    POWER_SIDE,
    PromiseRow,
    Rate,
    Samples,
    Shot,
    changes_between,
    detections,
    false_alarms,
    is_usual,
    layout_difference,
    marked,
    usable,
    usual_ranges,
)
from assay.model.apis import LONG_STREAM
from assay.stats.shift import change_percent

ALARMS, ALARMS_UPPER = 0.01, 0.02
POWER = 0.95
LAYOUT_PERCENT = 0.2
LAYOUTS = 16
REPEATED_SHARE = 0.95
REPEATED_PERCENT, REPEATED_PERCENT_VIRTUAL = 1.0, 2.0
MARKED, WRONGLY_MARKED = 0.99, 0.01
SEEN_ANYWAY = 0.8  # share of marked launches above which a neighbour of ours proves nothing
FEWEST = 20  # launches that counted, to say what figures of quiet ones look like
OUTSIDE = 0.01  # share of quiet launches that have a figure outside of what is called usual
FAR_OUTSIDE = 0.001  # the same, where being outside shall be no accident
SLACK = 0.005  # relative; so little beyond that, no figure is wrong
INJECTED = ("1", "2", "3")
MEASURE = LONG_STREAM


def judge(samples: Samples) -> tuple[PromiseRow, ...]:
    """Return one row per promise for which something was taken."""
    parts: tuple[tuple[object, Callable[[Samples], Iterator[PromiseRow]]], ...] = (
        (samples.same, _calibration),
        (samples.same, _alarms),
        (samples.injected, _power),
        (samples.neighbours, _neighbours),
        (samples.same, _quiet),
        (samples.layouts, _layouts),
        (samples.campaigns, _campaigns),
        (samples.counts, _counts),
    )
    return tuple(row for taken, rows in parts if taken for row in rows(samples))


def _calibration(samples: Samples) -> Iterator[PromiseRow]:
    kept = usable(samples.same)
    errors = [abs(s.calibration_error) for s in kept if s.calibration_error is not None]
    promise = f"at most {100 * samples.counter_bound:.1f} %"
    how = f"a loop that the factor is not taken from, in every launch; {samples.counter}"
    how += _state(samples.same)
    if not errors:
        yield PromiseRow("calibration error", promise, "no factor was established", False, how)
        return
    high = statistics.quantiles(errors, n=100, method="inclusive")[98] if errors[1:] else errors[0]
    said = f"{100 * statistics.median(errors):.2f} %, in 99 of 100 launches {100 * high:.2f} %"
    held = _verdict(samples.same, held=high <= samples.counter_bound)
    yield PromiseRow("calibration error", promise, said, held, how)


def _alarms(samples: Samples) -> Iterator[PromiseRow]:
    shots = usable(samples.same)
    series = [[s.value(name) for s in shots] for name, _ in shots[0].values]
    rate = false_alarms(series)
    promise = f"at most {100 * ALARMS:.0f} %, upper end at most {100 * ALARMS_UPPER:.0f} %"
    how = (
        f"{rate.tries} comparisons of {PER_SIDE} with {PER_SIDE} launches at 1 %, "
        f"overlapping windows over {len(shots)} launches, all measures in turn"
        f"{_state(samples.same)}"
    )
    if not rate.tries:
        yield PromiseRow("false alarms", promise, "too few launches", None, how)
        return
    held = rate.share <= ALARMS and rate.interval[1] <= ALARMS_UPPER
    yield PromiseRow("false alarms (A/A)", promise, str(rate), _verdict(shots, held=held), how)


def _power(samples: Samples) -> Iterator[PromiseRow]:
    counting = [shot for shot in samples.injected if not shot.disturbed]
    values = {n: [s.value(MEASURE) for s in counting if s.name == n] for n in INJECTED}
    for name, percent in (("2", 1), ("3", 2)):
        topic = f"power at {percent} % more work"
        rate = detections(values["1"], values[name])
        demanded = percent == 2 or samples.trust != "C"
        promise = f"at least {100 * POWER:.0f} %" if demanded else "none on a virtual machine"
        how = f"variant with {percent} % more rounds, {POWER_SIDE} launches a side, level 1 %"
        how += _state(samples.injected)
        if not rate.tries:
            yield PromiseRow(topic, promise, "too few launches that count", None, how)
            continue
        seen = change_percent(values["1"], values[name])
        missed = Rate(rate.tries - rate.hits, rate.tries)
        held = _at_most(missed, 1 - POWER) if demanded else None
        yield PromiseRow(topic, promise, f"{rate}; over all {seen:+.2f} %", held, how)


def _neighbours(samples: Samples) -> Iterator[PromiseRow]:
    """Call those found that are marked, and those harmless whose figures are as usual.

    Groups beside a neighbour are timed again, so a launch may have figures of a quiet core.
    """
    promise = f"at least {100 * MARKED:.0f} % marked, or figures as usual"
    before = marked(samples.same)
    quiet = [shot for shot in samples.same if not shot.disturbed]
    for kind in dict.fromkeys(shot.name for shot in samples.neighbours):
        mine = [shot for shot in samples.neighbours if shot.name == kind]
        unmarked = [shot for shot in mine if not shot.disturbed]
        how = f"a process of ours running next to every launch; without it {before} were marked"
        said = f"{len(mine) - len(unmarked)} of {len(mine)} marked"
        if before.share > SEEN_ANYWAY or len(quiet) < FEWEST:
            yield PromiseRow(f"disturbed: {kind}", promise, said, None, how)
            continue
        ranges = {
            name: (low * (1 - SLACK), high * (1 + SLACK))
            for name, (low, high) in usual_ranges(quiet, FAR_OUTSIDE).items()
        }
        felt = Rate(sum(not is_usual(one, ranges) for one in unmarked), len(mine))
        said += f"; not marked and with other figures {felt}"
        allowed = (1 - MARKED) * (1 - before.share)  # the others would have been marked anyway
        yield PromiseRow(f"disturbed: {kind}", promise, said, _at_most(felt, allowed), how)


def _quiet(samples: Samples) -> Iterator[PromiseRow]:
    """Call those marked without need whose figures are all as usual."""
    rate = marked(samples.same)
    promise = f"at most {100 * WRONGLY_MARKED:.0f} % of them marked"
    how = "launches of one code, with nothing else of ours running; "
    quiet = [shot for shot in samples.same if not shot.disturbed]
    if len(quiet) < FEWEST:
        how += f"too few counted to know their figures; load before {samples.load:.2f}"
        yield PromiseRow("quiet launches", promise, f"of all {rate} marked", None, how)
        return
    ranges = usual_ranges(quiet, OUTSIDE)
    needless: list[Shot] = []
    needed: list[Shot] = []
    for shot in filter(lambda one: one.disturbed, samples.same):
        (needless if is_usual(shot, ranges) else needed).append(shot)
    wrong = Rate(len(needless), len(needless) + len(quiet))
    how += f"of all {rate} marked, those here with figures like the ones that counted"
    if needed:
        medians = [statistics.median(s.value(MEASURE) for s in side) for side in (quiet, needed)]
        how += f"; the others took {100 * (medians[1] / medians[0] - 1):+.1f} % in {MEASURE}"
    yield PromiseRow("quiet launches", promise, str(wrong), _at_most(wrong, WRONGLY_MARKED), how)


def _layouts(samples: Samples) -> Iterator[PromiseRow]:
    shots = usable(samples.layouts)
    counts = [len({s.layout for s in shots if s.name == n}) for n in ("first", "second")]
    how = f"one code under two names, {counts[0]} and {counts[1]} layouts, in random order"
    promise = f"at most {LAYOUT_PERCENT} % in {MEASURE}"
    if min(counts) < LAYOUTS:
        yield PromiseRow("identical code", promise, "too few layouts", None, how)
        return
    found = {m: layout_difference(shots, m) for m, _ in shots[0].values}
    worst = max(found, key=lambda m: abs(found[m]))
    said = f"{MEASURE} {found[MEASURE]:+.2f} %; the largest, {worst}, {found[worst]:+.2f} %"
    held = _verdict(samples.layouts, held=abs(found[MEASURE]) <= LAYOUT_PERCENT)
    yield PromiseRow("identical code", promise, said, held, how + _state(samples.layouts))


def _campaigns(samples: Samples) -> Iterator[PromiseRow]:
    changes = changes_between(samples.campaigns)
    how = "two campaigns, one after the other" + _state(samples.campaigns)
    bound = REPEATED_PERCENT_VIRTUAL if samples.trust == "C" else REPEATED_PERCENT
    promise = f"{100 * REPEATED_SHARE:.0f} % of medians within {bound:.0f} %"
    if not changes:
        yield PromiseRow("repeatability", promise, "no launches that count", None, how)
        return
    inside = sum(abs(one) <= bound for one in changes.values())
    worst = max(changes, key=lambda name: abs(changes[name]))
    said = f"{inside} of {len(changes)} within; the largest, {worst}, {changes[worst]:+.1f} %"
    yield PromiseRow("repeatability", promise, said, inside >= REPEATED_SHARE * len(changes), how)


def _counts(samples: Samples) -> Iterator[PromiseRow]:
    first, *others = samples.counts
    same = bool(others) and all(one == first for one in others)
    said = f"{len(first)} counts {'identical' if same else 'that differ'}"
    how = f"two launches, {samples.counted_by}"
    yield PromiseRow("instruction counts", "identical in two runs", said, same, how)


def _at_most(rate: Rate, bound: float) -> bool | None:
    """Return whether a share is below its bound; None: it is above, but its interval is not."""
    if rate.share <= bound + 1e-9:
        return True
    return False if rate.interval[0] > bound else None


def _verdict(shots: Sequence[Shot], *, held: bool) -> bool | None:
    """Promise nothing of launches none of which was quiet."""
    return None if not held and all(shot.disturbed for shot in shots) else held


def _state(shots: Sequence[Shot]) -> str:
    """Return how many launches were disturbed, and that they count if none was quiet."""
    marked = sum(bool(shot.disturbed) for shot in shots)
    if marked == len(shots):
        return "; measured under disturbance"
    return f"; {marked} of {len(shots)} launches disturbed" if marked else ""

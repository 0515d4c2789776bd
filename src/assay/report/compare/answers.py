# SPDX-License-Identifier: MIT
"""The answers of a comparison, measure by measure, and what makes them doubtful."""

from collections.abc import Sequence
from datetime import datetime
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import UsageError
from assay.model.series import CYCLES, NANOSECONDS, TICKS, Point
from assay.report.compare.pairs import Matched, Paired
from assay.report.compare.sides import Side
from assay.stats.comparison import (
    CONFIDENCE,
    Answer,
    Comparison,
    compare_all,
    compare_counts,
    one_after_the_other,
    slower_by_more,
)
from assay.summary.rows import COLUMNS

# A neighbour who shares the core takes half of it and some of the caches: what was measured
# beside it took up to 1.4 times as long, and short setups up to 2.2 times. Launches in turn meet
# the same neighbours: one side can suffer from them alone, and no launch but by chance.
BESIDE = 2.2
BEYOND = 3.0  # where they were not in turn, between the two launches that are closest

Values = tuple[Sequence[float], Sequence[float]]


class ComparedMeasure(Paired, frozen=True, kw_only=True):
    """One measure. `figures` are medians per byte, call or setup in `unit`, first side first.

    `same_code` says that both sides are one machine code with one measurement.
    `in_turn` says that launches of both sides were mixed; None where that is not known.
    `too_slow` is set where the second side is slower than the threshold allows, `undecided`
    where only disturbed launches say so. `at_least_percent` is what stays of a difference between
    disturbed launches if one side alone were slowed, by BESIDE or BEYOND; None where they do not
    lie that far apart, or enough were quiet. The `witness` is what an emulator counted for the
    same measure, which no clock can disturb.
    """

    unit: str
    figures: tuple[float, float]
    comparison: Comparison
    same_code: bool
    in_turn: bool | None
    witness: "ComparedMeasure | None" = None
    too_slow: bool = False
    undecided: bool = False
    at_least_percent: float | None = None


class Compared(Struct, frozen=True):
    """A whole comparison: the second side against the first.

    `looks` are the answers of one campaign that may be looked at, of which this is one.
    """

    first: Side
    second: Side
    rows: tuple[ComparedMeasure, ...]
    confidence: float
    threshold_percent: float | None
    alone: tuple[int, int]
    looks: int = 1

    @property
    def failed(self) -> bool:
        """Return whether anything is slower than the threshold allows."""
        return any(row.too_slow for row in self.rows)

    @property
    def undecided(self) -> bool:
        """Return whether disturbed launches leave open that the threshold was kept."""
        return any(row.undecided for row in self.rows)

    @property
    def settled(self) -> bool:
        """Return whether launches tell the sides apart in half of what they say anything of.

        That is at least a third of all that was timed.
        """
        answers = [row.comparison.answer for row in self._timed]
        apart = sum(one in {Answer.FASTER, Answer.SLOWER} for one in answers)
        return not answers or (3 * apart >= len(answers) and apart >= answers.count(Answer.SAME))

    @property
    def heard(self) -> bool:
        """Return whether enough launches count for an answer to all that was timed."""
        return all(
            row.at_least_percent is not None
            or (
                row.comparison.needed is None and not (row.first.disturbed or row.second.disturbed)
            )
            for row in self._timed
        )

    @property
    def in_vain(self) -> bool:
        """Return whether no launch of a side was quiet, so that few of further ones would be."""
        return all(row.first.disturbed or row.second.disturbed for row in self._timed)

    @property
    def _timed(self) -> tuple[ComparedMeasure, ...]:
        return tuple(row for row in self.rows if not (row.same_code or row.first.counts))


def answer(
    first: Side,
    second: Side,
    matched: Matched,
    *,
    confidence: float = CONFIDENCE,
    threshold_percent: float | None = None,
    looks: int = 1,
) -> Compared:
    """Compare all pairs; UsageError where there are none.

    Each of several `looks` has its share of the error that is allowed: so all together are
    wrong no more often than one would be (Bonferroni).
    """
    if not matched.pairs:
        raise UsageError(
            f"{first.text} and {second.text} have no measure in common",
            "Both need the same target, sizes and measures; `assay show` lists what there is.",
        )
    pairs = list(map(_alike, matched.pairs))
    timed = [pair for pair in pairs if not pair.first.counts and not _same_code(pair)]
    level = 1.0 - (1.0 - confidence) / looks
    heard = _heard(timed, level)
    found = dict(zip(map(id, timed), heard, strict=True))
    slow: set[int] = set()
    if threshold_percent is not None and timed:
        sides = [one.sides for one in heard]
        verdicts = slower_by_more(sides, threshold_percent, confidence=level)
        slow = {id(pair) for pair, bad in zip(timed, verdicts, strict=True) if bad}
    rows = []
    for pair in pairs:
        one = found.get(id(pair)) or _counted(_values(pair)[1])
        slower = id(pair) in slow
        if pair.first.counts and threshold_percent is not None:
            slower = one.comparison.change_percent > threshold_percent
        rows.append(_row(pair, one, slower=slower))
    shown = tuple(sorted(_witnessed(rows), key=_order))
    return Compared(first, second, shown, confidence, threshold_percent, matched.alone, looks)


class _Heard(Struct, frozen=True):
    """What two sides of a measure say, and what noise leaves of a difference, or None."""

    sides: Values
    comparison: Comparison
    at_least_percent: float | None = None


def _counted(sides: Values) -> _Heard:
    return _Heard(sides, compare_counts(*map(median, sides)))


def _heard(timed: Sequence[Paired], level: float) -> list[_Heard]:
    """Compare all that was timed.

    Where too few launches were quiet, all count if no disturbance explains the difference.
    """
    sides = [_values(pair)[1] for pair in timed]
    quiet = list(map(_Heard, sides, compare_all(sides, confidence=level)))
    noisy = [
        _values(_with_noise(pair))[1] if one.comparison.needed is not None else one.sides
        for pair, one in zip(timed, quiet, strict=True)
    ]
    late = map(_Heard, noisy, compare_all(noisy, confidence=level))
    return [_louder(*each) for each in zip(timed, quiet, late, strict=True)]


def _louder(pair: Paired, quiet: _Heard, noisy: _Heard) -> _Heard:
    """Return what is believed: enough quiet launches, or a difference that noise does not make."""
    if quiet.comparison.needed is None and not pair.first.disturbed:
        return quiet
    at_least = _at_least(pair, noisy)
    return quiet if at_least is None else replace(noisy, at_least_percent=at_least)


def _alike(pair: Paired) -> Paired:
    """Return a measure whose sides are both quiet or neither: noise is not held against quiet."""
    if pair.first.disturbed is pair.second.disturbed:
        return pair
    noisy = _with_noise(pair)
    first, second = (replace(one, disturbed=True) for one in (noisy.first, noisy.second))
    return replace(noisy, first=first, second=second)


def _with_noise(pair: Paired) -> Paired:
    """Return a measure with the launches that do not count beside quiet ones."""
    first, second = (
        replace(one, points=(*one.points, *one.noisy), noisy=())
        for one in (pair.first, pair.second)
    )
    return replace(pair, first=first, second=second)


def _at_least(pair: Paired, heard: _Heard) -> float | None:
    """Return by how many per cent the faster side takes less, whatever disturbed the launches.

    None if one side alone can have been slowed so much: by BESIDE where launches were in turn,
    all but what chance explains, or else by BEYOND between the launches that are closest.
    """
    (first, second), interval = heard.sides, heard.comparison.interval
    left = BEYOND * min(max(second) / min(first), max(first) / min(second))
    if interval is not None and _in_turn(_with_noise(pair)):
        low, high = (1.0 + one / 100.0 for one in (interval.low_percent, interval.high_percent))
        left = BESIDE * min(high, 1.0 / low)
    return 100.0 * (1.0 - left) if left < 1.0 else None


def _distrusted(compared: Comparison, at_least: float | None) -> Comparison:
    """Take back what disturbed launches do not show: the interval, or the answer."""
    apart = compared.answer in {Answer.FASTER, Answer.SLOWER}
    if apart and at_least is None:
        return replace(compared, answer=Answer.UNTRUSTED)
    return replace(compared, interval=None) if apart else compared


def _row(pair: Paired, heard: _Heard, *, slower: bool) -> ComparedMeasure:
    """Put together a measure that was compared, counted, or is one on both sides."""
    unit, (first, second) = _values(pair)
    figures = (median(first) / pair.first.work, median(second) / pair.first.work)
    same = not pair.first.counts and _same_code(pair)
    compared, at_least = heard.comparison, heard.at_least_percent
    if pair.first.disturbed or at_least is not None:
        compared = _distrusted(compared, at_least)
    disturbed = pair.first.disturbed and at_least is None
    return ComparedMeasure(
        pair.first, pair.second, pair.chosen_of, pair.best_of_each,
        unit=unit, figures=figures, comparison=compared, same_code=same,
        in_turn=None if same else _in_turn(_with_noise(pair)),
        too_slow=slower and not disturbed, undecided=slower and disturbed,
        at_least_percent=at_least,
    )  # fmt: skip


def _same_code(pair: Paired) -> bool:
    """Return whether both sides are one measurement."""
    timed = any(point.started_at for point in pair.first.points)
    return timed and pair.first.points == pair.second.points


def _values(pair: Paired) -> tuple[str, tuple[list[float], list[float]]]:
    """Choose a unit that both sides know and give their values, per byte, call or setup.

    Core cycles, else ticks of one counter on one machine, else time.
    """
    first, second = pair.first, pair.second
    if first.counts:
        return first.counts, _per_work(pair, TICKS)
    one_clock = (first.machine, first.clock) == (second.machine, second.clock)
    units = (CYCLES, TICKS, NANOSECONDS) if one_clock else (CYCLES, NANOSECONDS)
    for unit in units:
        if first.knows(unit) and second.knows(unit):
            return unit, _per_work(pair, unit)
    raise UsageError(
        f"{first.measure}: ticks of {first.machine} and {second.machine} cannot be compared",
        "Their counters run at rates of their own; measure both where cycles are known.",
    )


def _per_work(pair: Paired, unit: str) -> tuple[list[float], list[float]]:
    """Return values for equal work: blocks of both sides may differ in length."""
    scale = pair.first.work / pair.second.work
    return pair.first.values(unit), [value * scale for value in pair.second.values(unit)]


def _in_turn(pair: Paired) -> bool | None:
    """Return whether launches of both sides were mixed; None where moments are not known."""
    if pair.first.counts:
        return None
    moments = _moments(pair.first.points), _moments(pair.second.points)
    if not all(moments):
        return None
    return not one_after_the_other(*moments)


def _moments(points: Sequence[Point]) -> list[float]:
    """Return when launches began, in seconds."""
    known = (point.started_at for point in points if point.started_at)
    try:
        return [datetime.fromisoformat(text).timestamp() for text in known]
    except ValueError:
        return []


def _witnessed(rows: Sequence[ComparedMeasure]) -> tuple[ComparedMeasure, ...]:
    """Put counts beside the times of the same measure of the same implementations."""
    known = {_subject(row): row for row in reversed(rows) if row.first.counts}
    return tuple(
        row if row.first.counts else replace(row, witness=known.get(_subject(row))) for row in rows
    )


def _order(row: ComparedMeasure) -> tuple[str | int, ...]:
    """Sort by what is compared, times before counts, measures as tables have them."""
    first, (group, _, size) = row.first, row.first.measure.rpartition("/")
    known = list(COLUMNS.values())
    place = known.index(first.measure) if first.measure in known else len(known)
    length = int(size) if size.isdigit() else -1
    return (*(first.implementation, first.subject.variant, first.counts, first.target),
            *(first.sizes_text, first.configuration.name, place, group, length))  # fmt: skip


def _subject(row: ComparedMeasure) -> tuple[str, ...]:
    """Name what is compared, apart from target and configuration."""
    first, second = row.first, row.second
    return (
        *(first.implementation, str(first.subject.variant)),
        *(second.implementation, str(second.subject.variant)),
        *(first.sizes_text, first.measure),
    )

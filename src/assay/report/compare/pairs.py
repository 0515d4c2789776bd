# SPDX-License-Identifier: MIT
"""Which series of one side belongs to which of the other."""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from math import log
from statistics import median

from msgspec import Struct

from assay.model.series import Series
from assay.report.compare.sides import Side

# Series of one subject by measure, and those by the name of their configuration.
Measures = dict[str, Series]
Candidates = dict[str, Measures]
Key = tuple[str, str, str, str]
CONFIGURATION = "configuration"


class Paired(Struct, frozen=True):
    """One measure on both sides; `chosen_of` is from how many configurations each was taken.

    `best_of_each` says that each side's configuration was chosen by its own figures.
    """

    first: Series
    second: Series
    chosen_of: tuple[int, int] = (1, 1)
    best_of_each: bool = False


class Matched(Struct, frozen=True):
    """All pairs, and how many subjects had no counterpart on the other side."""

    pairs: tuple[Paired, ...]
    alone: tuple[int, int]


def match(
    first: Side, second: Side, measures: Iterable[str] = (), *, everything: bool = False
) -> Matched:
    """Pair what both sides have.

    What not both sides fix must be equal: implementation, variant, target, sizes, measure.
    Of several configurations the fastest one counts that both sides have, by the figures
    of both together; where two implementations are compared, the fastest of each. With
    `everything` each configuration is compared with itself. Cells that failed a check
    count only where there are no others. `measures` are shell patterns.
    """
    fixed = (first.fixed & second.fixed) | ({CONFIGURATION} & (first.fixed | second.fixed))
    wanted = tuple(measures)
    left = _candidates(first.series, fixed, wanted, everything=everything)
    right = _candidates(second.series, fixed, wanted, everything=everything)
    both = [key for key in left if key in right]
    names = ({one.implementation for one in side.series} for side in (first, second))
    own_best = "implementation" in fixed and len(set.union(*names)) > 1
    pairs = (one for key in both for one in _pairs(left[key], right[key], own_best=own_best))
    return Matched(tuple(pairs), (len(left) - len(both), len(right) - len(both)))


def _candidates(
    series: Iterable[Series], fixed: frozenset[str], wanted: tuple[str, ...], *, everything: bool
) -> Mapping[Key, Candidates]:
    """Gather series by subject and configuration."""
    found: dict[Key, Candidates] = {}
    for one in series:
        if wanted and not any(fnmatchcase(one.measure, pattern) for pattern in wanted):
            continue
        subject = "" if "implementation" in fixed else one.implementation
        variant = "" if "variant" in fixed else str(one.subject.variant)
        each = one.configuration.name if everything and CONFIGURATION not in fixed else ""
        key = (f"{subject}\0{variant}", one.target, one.sizes_text, each)
        found.setdefault(key, {}).setdefault(one.configuration.name, {})[one.measure] = one
    return {key: _sound(candidates) for key, candidates in found.items()}


def _sound(candidates: Candidates) -> Candidates:
    """Leave out what failed, unless everything did."""
    sound = {
        name: measures
        for name, measures in candidates.items()
        if not any(one.failed for one in measures.values())
    }
    return sound or candidates


def _pairs(left: Candidates, right: Candidates, *, own_best: bool) -> Iterator[Paired]:
    """Choose a configuration on each side and pair its measures."""
    common = [name for name in left if name in right]
    if common and not own_best:
        together = {name: [left[name], right[name]] for name in common}
        name = _fastest(together)
        one, other = left[name], right[name]
        counts, best_of_each = (len(common), len(common)), False
    else:
        one = left[_fastest({name: [measures] for name, measures in left.items()})]
        other = right[_fastest({name: [measures] for name, measures in right.items()})]
        counts, best_of_each = (_codes(left), _codes(right)), True
    for measure, series in one.items():
        if measure in other and series.counts == other[measure].counts:
            yield Paired(series, other[measure], counts, best_of_each and max(counts) > 1)


def _fastest(candidates: Mapping[str, list[Measures]]) -> str:
    """Choose the configuration with the least mean of logarithms over what all have."""
    groups = list(candidates.values())
    common = set.intersection(*(set(each) for group in groups for each in group))
    return min(candidates, key=lambda name: _cost(candidates[name], common))


def _cost(group: list[Measures], common: Iterable[str]) -> float:
    """Add up logarithms of medians."""
    series = [each[measure] for each in group for measure in common]
    values = [median(one.values("cycles" if one.knows("cycles") else "ticks")) for one in series]
    return sum(log(value) for value in values if value > 0)


def _codes(candidates: Candidates) -> int:
    """Count the machine codes among configurations: those with one measurement are one."""
    firsts = ((name, next(iter(measures.values()))) for name, measures in candidates.items())
    return len({one.shared or name for name, one in firsts})

# SPDX-License-Identifier: MIT
"""The score of a code: what a contest timed, or the same calls as a full measurement has them.

A campaign that measures everything holds no contests, and its configurations have scores too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.model.operations import OPERATIONS, SCORE, scores
from assay.report.ebacs.pools import Pool
from assay.report.ebacs.quantities import PAIR
from assay.stats.stabilised import stabilised

Pools = Mapping[str, Pool]


@dataclass(frozen=True, slots=True)
class Score:
    """The pools of one code whose times are added up; without any there is no score."""

    parts: tuple[Pool, ...] = ()

    def median(self, unit: str) -> float | None:
        """Return the time of all calls together, in `unit`."""
        each = [stabilised(one.values(unit)).median for one in self.parts]
        return sum(each) if each else None

    def medians(self, unit: str) -> tuple[float, ...]:
        """Return it launch by launch; empty where not every launch made all calls."""
        launches = [one.medians(unit) for one in self.parts]
        if len({len(one) for one in launches}) != 1:
            return ()
        return tuple(sum(one) for one in zip(*launches, strict=True))


def score_of(pools: Pools, operation: str, *, held: bool) -> Score:
    """Return the score of a code, that of its contest if one was `held` and timed it."""
    contest = pools.get(SCORE)
    measured = _measured(pools, operation)
    if contest is not None and (held or not measured):
        return Score((contest,))
    return Score(measured)


def was_held(codes: Iterable[Pools], operation: str) -> bool:
    """Return whether a contest decided among codes, since not all were measured in full."""
    distinct = {id(pools): pools for pools in codes if pools}.values()
    return len(distinct) == 1 or not all(_measured(pools, operation) for pools in distinct)


def _measured(pools: Pools, operation: str) -> tuple[Pool, ...]:
    """Return what the score consists of, at the measured length nearest to that of contests."""
    parts = [one for one in pools.values() if one.measure != SCORE and scores(one.key)]
    timing = OPERATIONS[operation].timing
    step = PAIR + 1 if timing.has_second else 1
    alike = {one.size for one in parts if one.size is not None and one.size % step == 0}
    size = min(alike, key=lambda size: (abs(size // step - timing.scored), size), default=None)
    return tuple(one for one in parts if one.size in {None, size})

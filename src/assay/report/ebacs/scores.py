# SPDX-License-Identifier: MIT
"""The score of a code: what a contest timed, or the same calls as a full measurement has them.

A campaign that measures everything holds no contests, and its configurations have scores too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.model.operations import OPERATIONS, SCORE, scores
from assay.model.series import Series
from assay.report.ebacs.quantities import PAIR

Figures = Mapping[str, Series]


@dataclass(frozen=True, slots=True)
class Score:
    """The series of one code whose times are added up; without any there is no score."""

    parts: tuple[Series, ...] = ()

    @property
    def median(self) -> float:
        """Return the time of all calls together."""
        return sum(one.median for one in self.parts)

    @property
    def medians(self) -> tuple[float, ...]:
        """Return it launch by launch; empty where not every launch made all calls."""
        launches = [one.per_launch for one in self.parts]
        if len({len(one) for one in launches}) != 1:
            return ()
        return tuple(sum(one) for one in zip(*launches, strict=True))


def score_of(figures: Figures, operation: str, *, held: bool) -> Score:
    """Return the score of a code, that of its contest if one was `held` and timed it."""
    contest = figures.get(SCORE)
    measured = _measured(figures, operation)
    if contest is not None and (held or not measured):
        return Score((contest,))
    return Score(measured)


def was_held(codes: Iterable[Figures], operation: str) -> bool:
    """Return whether a contest decided among codes, since not all were measured in full."""
    known = [figures for figures in codes if figures]
    return len(known) == 1 or not all(_measured(figures, operation) for figures in known)


def _measured(figures: Figures, operation: str) -> tuple[Series, ...]:
    """Return what the score consists of, at the measured length nearest to that of contests."""
    parts = [one for one in figures.values() if one.measure != SCORE and scores(one.key)]
    timing = OPERATIONS[operation].timing
    step = PAIR + 1 if timing.has_second else 1
    alike = {one.size for one in parts if one.size is not None and one.size % step == 0}
    size = min(alike, key=lambda size: (abs(size // step - timing.scored), size), default=None)
    return tuple(one for one in parts if one.size in {None, size})

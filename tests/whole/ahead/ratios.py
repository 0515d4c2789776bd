# SPDX-License-Identifier: MIT
"""How many times as long SUPERCOP's best takes as ours, with an interval."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.whole.ahead.tree import OURS

from assay.model.series import Series
from assay.stats.shift import change_interval, change_percent
from assay.store import Store
from assay.summary.series import timed_series

SIZES = (576, 4096, 32768)
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Ratio:
    """Their time divided by ours for messages of one length: above 1, ours is faster.

    `low` and `high` are its interval of 95 %, None with too few launches; `ours` and
    `theirs` say which implementation was best, in which configuration.
    """

    size_bytes: int
    ratio: float
    low: float | None
    high: float | None
    ours: str
    theirs: str
    disturbed: bool


def read(results: Path) -> tuple[Ratio, ...]:
    """Compare the best of each side in a results folder."""
    with Store.open(results, read_only=True) as store:
        return ratios(timed_series(store))


def ratios(series: Iterable[Series], sizes: Iterable[int] = SIZES) -> tuple[Ratio, ...]:
    """Compare the best of each side at every size that both were measured at."""
    known = tuple(series)
    found = (_ratio(known, size) for size in sizes)
    return tuple(one for one in found if one is not None)


def _ratio(series: Iterable[Series], size: int) -> Ratio | None:
    """Compare at one size; None where one side has no figures."""
    at_size = [one for one in series if one.measure == f"xor_cycles/{size}"]
    ours = _best(one for one in at_size if _is_ours(one))
    theirs = _best(one for one in at_size if not _is_ours(one))
    if ours is None or theirs is None:
        return None
    times = ours.values("ticks"), theirs.values("ticks")
    interval = change_interval(*times, LEVEL)
    return Ratio(
        size,
        _factor(change_percent(*times)),
        None if interval is None else _factor(interval.low_percent),
        None if interval is None else _factor(interval.high_percent),
        _named(ours),
        _named(theirs),
        ours.disturbed or theirs.disturbed,
    )


def _is_ours(one: Series) -> bool:
    return one.implementation.split("/")[2].startswith(OURS)


def _best(candidates: Iterable[Series]) -> Series | None:
    """Return what took least, by the medians of launches."""
    return min(candidates, key=lambda one: median(one.values("ticks")), default=None)


def _factor(percent: float) -> float:
    return 1.0 + percent / 100.0


def _named(one: Series) -> str:
    return f"{one.implementation.split('/', 1)[1]} ({one.configuration.name})"

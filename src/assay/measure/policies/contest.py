# SPDX-License-Identifier: MIT
"""Which implementation of a primitive is best, and what it costs: the eBACS way, with care.

All that passed its checks is timed once on the same task. Whatever comes near the best
of its league is timed again, in turn with the others and in processes of its own, and
the least median wins. Only then is the winner measured, again in new processes: the
figures printed are not the luckiest of many.
"""

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.execute.processor import away_from
from assay.measure.candidate import Candidate, make_ready
from assay.measure.launcher import Launcher
from assay.model import Launch
from assay.model.progress import Progress
from assay.stats.summary import per_test

NEAR = 0.10  # what is within this of the best may be the best
MOST_NEAR = 4
FURTHER_SCORES = 2
CONSTANT_TIME = "constbranchindex"


@dataclass(frozen=True, slots=True)
class Contest:
    """Finds the best codes of a primitive, on one machine."""

    launcher: Launcher
    progress: Progress
    workers: int = 2

    def hold(self, candidates: list[Candidate]) -> list[Candidate]:
        """Time all, those near the best again, and return the winners."""
        for _ in make_ready(self.launcher.workshop, candidates, self.workers, further=0):
            pass
        stage = self.launcher.workshop.stage
        with away_from(stage.cpu), self.launcher.one_after_another():
            self._score([one for one in candidates if not one.heard])
            near = list(self._near(candidates))
            again = [(one, 1 + FURTHER_SCORES - len(one.heard)) for one in near]
            self._score([one for one, missing in again for _ in range(missing)])
        return winners(candidates)

    def _score(self, turns: Iterable[Candidate]) -> None:
        order = [one for one in turns if not one.failed]
        self.launcher.random.shuffle(order)
        self.progress.begin("choosing", len(order))
        for one in order:
            launch = None if one.failed else self.launcher.take(one, one.brief)
            one.heard += [launch] if launch is not None else []
            self.progress.advance(one.code.cell.selector)

    def _near(self, candidates: list[Candidate]) -> Iterator[Candidate]:
        """Yield what is near the best of its league, if anything beside the best is."""
        leagues = {id(one): league(one) for one in candidates}
        for name in sorted(set(leagues.values())):
            mine = [one for one in candidates if leagues[id(one)] == name and one.heard]
            mine.sort(key=standing)
            near = [one for one in mine if standing(one) <= standing(mine[0]) * (1 + NEAR)]
            yield from near[:MOST_NEAR] if len(near) > 1 else ()


def winners(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the best of each league; the one that leaks timings only if it is faster."""
    best: dict[str, Candidate] = {}
    for one in candidates:
        name = league(one)
        if one.failed or not one.heard:
            continue
        if name not in best or standing(one) < standing(best[name]):
            best[name] = one
    safe = best.get(CONSTANT_TIME)
    return [
        one
        for name, one in sorted(best.items())
        if name == CONSTANT_TIME or safe is None or standing(one) < standing(safe)
    ]


def league(one: Candidate) -> str:
    """Return the league that a code competes in."""
    return one.group[0].build.league


def standing(one: Candidate) -> float:
    """Return the score so far, in core cycles or ticks; infinite without one."""
    return statistics.median(map(_score_of, one.heard)) if one.heard else float("inf")


def _score_of(launch: Launch) -> float:
    return per_test(launch, launch.samples[0]) * (launch.counter.cycles_per_tick or 1.0)

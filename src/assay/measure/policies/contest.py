# SPDX-License-Identifier: MIT
"""Which implementation of a primitive is best, and what it costs: the eBACS way, with care.

All that passed its checks is timed once on the same task. Whatever comes near the best
of its league is timed again, in turn with the others and in processes of its own, and
the least median wins. Only then is the winner measured, again in new processes: the
figures printed are not the luckiest of many.

What is far behind with the first configuration is not tried with others.
"""

import statistics
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from assay.machine.processors import away_from
from assay.measure.candidate import Candidate, make_ready
from assay.measure.launcher import Launcher
from assay.measure.policies.turns import so_far
from assay.model import Dropped, Launch
from assay.model.progress import Progress
from assay.plan.plan import primitive_of
from assay.stats.summary import per_test

NEAR = 0.10  # what is within this of the best may be the best
FAR = 0.25  # what is slower than this seldom is with other options
MOST_NEAR = 4
FURTHER_SCORES = 2
CONSTANT_TIME = "constbranchindex"


class Contest(Struct, frozen=True):
    """Finds the best codes of primitives, on one machine."""

    launcher: Launcher
    progress: Progress
    workers: int = 2

    def hold(self, candidates: list[Candidate]) -> list[Candidate]:
        """Time all, those near the best again, and return the winners of each primitive."""
        self.score(candidates)
        near = [one for each in by_primitive(candidates) for one in self._near(each)]
        again = [(one, 1 + FURTHER_SCORES - len(one.heard)) for one in near]
        self._score([one for one, missing in again for _ in range(missing)])
        return [one for each in by_primitive(candidates) for one in winners(each)]

    def score(self, candidates: list[Candidate]) -> None:
        """Time once whoever was not timed yet."""
        for _ in make_ready(self.launcher.workshop, candidates, self.workers, further=0):
            pass
        self._score([one for one in candidates if not one.heard])

    def _score(self, turns: Iterable[Candidate]) -> None:
        order = [one for one in turns if not one.failed]
        if not order:
            return
        self.launcher.random.shuffle(order)
        self.progress.begin("choosing", len(order))
        with away_from(self.launcher.workshop.stage.cpu), self.launcher.one_after_another():
            for one in order:
                launch = None if one.failed else self.launcher.take(one, one.brief)
                one.heard += [launch] if launch is not None else []
                self.progress.advance(so_far(one.code.cell.selector, one.heard, one.brief.asked))

    def _near(self, candidates: list[Candidate]) -> Iterator[Candidate]:
        """Yield what is near the best of its league, if anything beside the best is."""
        for mine in _leagues(candidates):
            near = [one for one in mine if standing(one) <= standing(mine[0]) * (1 + NEAR)]
            yield from near[:MOST_NEAR] if len(near) > 1 else ()


class Behind(Struct, frozen=True):
    """A code that is far slower than the one that it would have to beat."""

    candidate: Candidate
    best: Candidate

    @property
    def note(self) -> Dropped:
        """Return what the store keeps of it."""
        percent = 100 * (standing(self.candidate) / standing(self.best) - 1)
        build, launches = self.best.group[0].build, len(self.candidate.heard)
        return Dropped(0, percent, build.cell.configuration, build.object_hash or "", launches)


def far_behind(candidates: list[Candidate]) -> list[Behind]:
    """Return what is far slower than what wins the contest of its primitive as it stands."""
    found = []
    for each in by_primitive(candidates):
        best = {league(one): one for one in winners(each)}
        for one in each:
            against = best.get(league(one)) or min(best.values(), key=standing, default=one)
            if one.heard and standing(one) > standing(against) * (1 + FAR):
                found.append(Behind(one, against))
    return found


def by_primitive(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    """Yield the candidates of each primitive."""

    def primitive(one: Candidate) -> tuple[str, str]:
        return primitive_of(one.group[0].recipe.package)

    for _, each in groupby(sorted(candidates, key=primitive), key=primitive):
        yield list(each)


def _leagues(candidates: list[Candidate]) -> Iterator[list[Candidate]]:
    """Yield those of each league that were timed, best first."""
    for name in sorted(set(map(league, candidates))):
        mine = [one for one in candidates if league(one) == name and one.heard]
        yield sorted(mine, key=standing)


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

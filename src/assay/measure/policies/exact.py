# SPDX-License-Identifier: MIT
"""Exact counts: every machine code is launched twice, with inputs of their own.

If the two counts differ, what is done depends on the inputs, and further launches follow; figures
are the medians of all. Nothing is timed, and no code is left out: a count costs less than
a build. Where a plan has codes examined at a glance first, the best code of each implementation
is examined in full afterwards; if it fails, the next one is.
"""

from collections.abc import Callable, Iterator, Sequence

from assay.check.engine.workshop import Workshop
from assay.measure.candidate import Candidate, Group
from assay.measure.counted_launch import ExactLauncher
from assay.measure.kinds import candidate
from assay.model import Launch, Sample
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.store import Store

LAUNCHES = 2
MOST_LAUNCHES = 6  # of code whose counts depend on its inputs
Code = tuple[str, int, str | None]


class CountedRounds:
    """CountedRounds the codes of a campaign on one target, and has the best of them examined."""

    def __init__(
        self,
        workshop: Workshop,
        store: Store,
        plan: Plan,
        progress: Progress,
        good: Callable[[Sequence[Group]], set[Code]],
    ) -> None:
        """Count into `store`; `good` examines codes in full, and names those that pass."""
        self._launcher = ExactLauncher(workshop, store)
        self._store, self._plan, self._progress = store, plan, progress
        self._good = good
        self._counted: list[Candidate] = []

    def run(self, groups: Sequence[Group]) -> None:
        """Count the codes of a round that the store lacks, and examine the best so far."""
        listed = [candidate(self._store, group, self._plan) for group in groups]
        wanted = [one for one in listed if not self._counts_of(one)]
        self._progress.begin("counting", len(wanted))
        for one in wanted:
            self._count(one)
            self._progress.advance(one.code.cell.selector)
        self._counted += [one for one in listed if not one.failed]
        if self._plan.confirms:
            self._confirm()

    def _count(self, one: Candidate) -> None:
        """Launch a code until its counts agree, or as often as may be."""
        found: set[tuple[Sample, ...]] = set()
        for number in range(MOST_LAUNCHES):
            if one.failed or (number >= LAUNCHES and len(found) == 1):
                return
            launch = self._launcher.take(one, one.full)
            found |= {launch.samples} if launch else set()

    def _confirm(self) -> None:
        """Examine the best codes in full until all of them pass."""
        while best := {id(one): one for one in self._best()}.values():
            good = self._good([one.group for one in best])
            wrong = [one for one in best if one.group[0].code not in good]
            if not wrong:
                return
            self._counted = [one for one in self._counted if one not in wrong]

    def _best(self) -> Iterator[Candidate]:
        """Yield, for each variant of a package, the codes that are best at a size."""
        packages = dict.fromkeys(one.group[0].code[:2] for one in self._counted)
        for package in packages:
            mine = [one for one in self._counted if one.group[0].code[:2] == package]
            counts = {id(one): self._figures(one) for one in mine}
            for asked in dict.fromkeys(key for each in counts.values() for key in each):
                known = [one for one in mine if asked in counts[id(one)]]
                yield min(known, key=lambda one: counts[id(one)][asked])

    def _figures(self, one: Candidate) -> dict[object, float]:
        """Return the counts for a byte by which codes are compared, for each choice of sizes."""
        return {
            (sample.measure, sample.sizes): sample.ticks[0] / sample.work
            for launch in self._counts_of(one)
            for sample in launch.samples
            if (sample.measure, sample.sizes) in one.brief.asked
        }

    def _counts_of(self, one: Candidate) -> list[Launch]:
        """Return the launches of a code that counted it at every size the plan wants."""
        return [
            each
            for each in self._store.launches(one.code.cell)
            if each.counter.exact_unit
            and one.brief.asked <= {(sample.measure, sample.sizes) for sample in each.samples}
        ]

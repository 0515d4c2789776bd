# SPDX-License-Identifier: MIT
"""What a plan asks for, as policies: who is compared, and who is measured in full."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.measure.candidate import Candidate, Group
from assay.measure.exact import ExactLauncher
from assay.measure.kinds import candidate, heard_before
from assay.measure.launcher import Launcher
from assay.measure.policies.contest import Contest
from assay.measure.policies.exact import count_round
from assay.measure.policies.race import Race
from assay.measure.policies.settling import settle
from assay.measure.policies.turns import measure_all
from assay.model.progress import Progress
from assay.plan.plan import Plan, primitive_of
from assay.store import Store


class Measuring:
    """Measures the codes of a campaign, round by round; the store has what was measured."""

    def __init__(
        self,
        workshop: Workshop,
        store: Store,
        plan: Plan,
        progress: Progress,
        confirm: Callable[[Sequence[Group]], list[Group]] = list,
    ) -> None:
        """Measure with one launcher; what it judges by is found out at the first launch.

        Who wins a race may have been examined at a glance: `confirm` returns those that pass.
        """
        self._confirm = confirm
        self._store, self._plan, self._progress = store, plan, progress
        self._exact = ExactLauncher(workshop, store)
        self.launcher = Launcher(workshop, store)
        self._race = Race(self.launcher, store, plan, progress)
        self._measured: list[Group] = []

    def contending(self, recipes: Sequence[Recipe]) -> Iterable[Recipe]:
        """Leave out packages that are far behind the best of their primitive, and say which."""
        if not self._plan.scouts:
            return recipes
        behind = {one.package.selector: one for one in recipes if self._race.is_behind(one)}
        if behind:
            self._progress.warn(
                f"left out with further configurations, since others of the primitive are far "
                f"ahead: {', '.join(behind)} (`--exhaustive` measures all)"
            )
        return [one for one in recipes if one.package.selector not in behind]

    def round(self, groups: Sequence[Group], *, scouting: bool = False) -> None:
        """Measure those codes of a round that the plan wants; when `scouting` none in full."""
        if scouting:
            self._race.run(groups)
            return
        if self._plan.target.counts:
            count_round(self._exact, self._store, groups, self._plan, self._progress)
            return
        chosen = list(self.chosen(groups))
        measure_all(self.launcher, self._plan, chosen, self._progress)
        if not self._plan.operations:
            self._measured += [one.group for one in chosen]
            for kind in dict.fromkeys(map(kind_of, self._measured)):  # each has a table
                mine = [group for group in self._measured if kind_of(group) == kind]
                settle(self.launcher, self._store, mine, self._plan, self._progress)

    def chosen(self, groups: Sequence[Group]) -> Iterator[Candidate]:
        """Yield what is measured in full: who is left of a race or wins a contest, or all."""
        if self._plan.race:
            groups = self._confirmed(groups)
        listed = [candidate(self._store, group, self._plan) for group in groups]
        if self._plan.race or self._plan.everything or not self._plan.operations:
            yield from listed
            return
        contest = Contest(self.launcher, self._progress, self._plan.workers)
        for _, each in groupby(listed, key=lambda one: primitive_of(one.group[0].recipe.package)):
            entrants = list(each)
            for one in entrants:
                one.heard += [was for was in heard_before(self._store, one) if not was.disturbed]
            yield from contest.hold(entrants)

    def _confirmed(self, groups: Sequence[Group]) -> list[Group]:
        """Race until all who are left pass: who lost against code that fails races again."""
        while True:
            left = self._race.run(groups)
            good = self._confirm(left)
            codes = {group[0].code for group in good}
            wrong = [group for group in left if group[0].code not in codes]
            if not wrong:
                return left
            self._race.exclude(wrong)
            gone = {group[0].code for group in wrong}
            groups = [group for group in groups if group[0].code not in gone]


def kind_of(group: Group) -> str:
    """Return the kind of a machine code."""
    return group[0].recipe.package.kind

# SPDX-License-Identifier: MIT
"""What a plan asks for, as policies: who is compared, and who is measured in full."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.grouped import grouped
from assay.measure.candidate import Candidate, Group
from assay.measure.kinds import candidate, heard_before
from assay.measure.launch import measure_once
from assay.measure.launcher import Launcher
from assay.measure.policies.contest import Contest, far_behind
from assay.measure.policies.exact import CountedRounds
from assay.measure.policies.race import Race
from assay.measure.policies.settling import BUSY, settle
from assay.measure.policies.slow import SlowCiphers, Suited
from assay.measure.policies.turns import measure_all
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.store import Store
from assay.store.rows import Notes
from assay.timing.watch import HURRIED, PATIENT

NAMED = 12


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

        Who wins a race or a contest may have been examined at a glance: `confirm` returns those
        that pass.
        """
        self._confirm = confirm
        self._store, self._plan, self._progress = store, plan, progress
        limit = HURRIED if plan.in_turn and plan.in_turn.hurried else PATIENT
        self.launcher = Launcher(workshop, store, measure=partial(measure_once, limit=limit))
        self._race = Race(self.launcher, store, plan, progress)
        self._counts = CountedRounds(workshop, store, plan, progress, self._good)
        self._contest = Contest(self.launcher, progress, plan.workers)
        self._suited = Suited(store)
        self._slow = SlowCiphers(self.launcher, store, plan, progress, self._suited)
        self._scouts: list[Group] = []  # of contests to come
        self._behind: set[str] = set()
        self.unfit: set[str] = set()  # places of operations that are skipped whatever the options
        self.wrong: set[str] = set()  # places of operations that fail whatever the options
        self._measured: list[Group] = []

    def contending(self, recipes: Sequence[Recipe]) -> Iterable[Recipe]:
        """Leave out packages that cannot win with further configurations, and say which."""
        slow = [one for one in recipes if self._slow.is_slow(one)]
        recipes = [one for one in recipes if one not in slow]
        if not self._plan.scouts:
            return recipes
        if self._plan.contests:  # a variant of a cipher may build with other options
            recipes = [one for one in recipes if one.package.place not in self.unfit]
            wrong = (one for one in recipes if one.package.place in self.wrong)
            recipes = self._without(recipes, wrong, "since no compiler changes what they fail")
        behind = list(filter(self._is_behind, recipes))
        for package, variant in dict.fromkeys((one.package, one.variant) for one in behind):
            self._race.note_left_out(package.place, variant)
        return self._without(recipes, behind, "since others of the primitive are far ahead")

    def _without(
        self, recipes: Sequence[Recipe], left_out: Iterable[Recipe], why: str
    ) -> Sequence[Recipe]:
        """Return recipes without those of some packages; a warning names them, and says why."""
        names = dict.fromkeys(one.package.selector for one in left_out)
        if not names:
            return recipes
        self._progress.warn(
            f"left out with further configurations, {why}: {_listed(names)} "
            f"(`{self._everything}` tries all)"
        )
        return [one for one in recipes if one.package.selector not in names]

    @property
    def _everything(self) -> str:
        """Name the option that leaves out nothing."""
        return "--all" if self._plan.operations else "--exhaustive"

    def _is_behind(self, recipe: Recipe) -> bool:
        """Return whether scouts found a package far behind, with what its code is made for."""
        behind = recipe.package.selector in self._behind or self._race.is_behind(recipe)
        return behind and self._suited.was_tried(recipe)

    def round(self, groups: Sequence[Group], *, scouting: bool = False) -> None:
        """Measure those codes of a round that the plan wants; when `scouting` none in full."""
        if self._plan.counts:
            self._counts.run(groups)
            return
        self._suited.note(groups)
        groups = self._slow.without(groups)
        if scouting:
            self._scout(groups)
            return
        chosen = self.chosen(_together([*self._scouts, *groups]))
        self._scouts = []
        measure_all(self.launcher, self._plan, chosen, self._progress)
        if not self._plan.operations:
            self._measured += [one.group for one in chosen]
            self._settle()

    def _settle(self) -> None:
        """Settle places of the first tables, of which each kind has one."""
        tables = grouped((kind_of(group), group) for group in self._measured)
        settled = [
            settle(self.launcher, self._store, mine, self._plan, self._progress)
            for mine in tables.values()
        ]
        if not all(settled):
            self._progress.warn(BUSY)

    def _scout(self, groups: Sequence[Group]) -> None:
        """Find out who is far behind; who takes part in a contest is measured after it."""
        if not self._plan.contests:
            self._race.run(groups)
            return
        self._scouts = list(groups)
        entrants = self._entrants(groups)
        self._contest.score(entrants)
        behind = far_behind(entrants)
        slow = {id(one.candidate) for one in behind}
        near = {_selector(one) for one in entrants if id(one) not in slow}
        left_out = [one for one in behind if self._is_left_out(one.candidate, near)]
        self._behind = {_selector(one.candidate) for one in left_out}
        for one in left_out:
            key = self._store.key(one.candidate.code.cell)
            if key is not None:
                Notes(self._store).put(key, one.note)

    def _is_left_out(self, one: Candidate, near: set[str]) -> bool:
        """Return whether no code of its package is near the best, and one was tried fairly."""
        return _selector(one) not in near and self._suited.was_tried(one.group[0].recipe)

    def chosen(self, groups: Sequence[Group]) -> list[Candidate]:
        """Return what is measured in full: who is left of a race or wins a contest, or all."""
        if self._plan.contests:
            return self._winners(groups)
        if self._plan.race:
            groups = self._confirmed(groups)
        return [candidate(self._store, group, self._plan) for group in groups]

    def _entrants(self, groups: Sequence[Group]) -> list[Candidate]:
        """Enter codes into contests, with the launches by which they were compared before."""
        listed = [candidate(self._store, group, self._plan) for group in groups]
        for one in listed:
            one.heard += [was for was in heard_before(self._store, one) if was.counts]
        return listed

    def _winners(self, groups: Sequence[Group]) -> list[Candidate]:
        """Hold contests until all who win pass: who lost against code that fails tries again."""
        entrants = self._entrants(groups)
        while True:
            best = self._contest.hold(entrants)
            codes = self._good([one.group for one in best]) if self._plan.scouts else None
            wrong = [one for one in best if codes is not None and one.group[0].code not in codes]
            if not wrong:
                return best
            entrants = [one for one in entrants if one not in wrong]

    def _good(self, groups: Sequence[Group]) -> set[tuple[str, int, str | None]]:
        """Name the codes that pass when they are examined in full."""
        return {group[0].code for group in self._confirm(groups)}

    def _confirmed(self, groups: Sequence[Group]) -> list[Group]:
        """Race until all who are left pass: who lost against code that fails races again."""
        while True:
            left = self._race.run(groups)
            codes = self._good(left)
            wrong = [group for group in left if group[0].code not in codes]
            if not wrong:
                return left
            self._race.exclude(wrong)
            gone = {group[0].code for group in wrong}
            groups = [group for group in groups if group[0].code not in gone]


def _selector(one: Candidate) -> str:
    """Name the package of a candidate."""
    return one.group[0].recipe.package.selector


def _listed(names: Iterable[str]) -> str:
    """Write names down, of many the first ones; tables have the rest."""
    known = list(names)
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return ", ".join(known[:NAMED]) + more


def _together(groups: Iterable[Group]) -> list[Group]:
    """Join groups of one code: assembly is the same whatever the compiler."""
    found: dict[tuple[str, int, str | None], Group] = {}
    for group in groups:
        found[group[0].code] = (*found.get(group[0].code, ()), *group)
    return list(found.values())


def kind_of(group: Group) -> str:
    """Return the kind of a machine code."""
    return group[0].recipe.package.kind

# SPDX-License-Identifier: MIT
"""`--slower-than`: ciphers that are slower than a rate are not measured any further.

Each code is launched once for that, with the brief task by which races compare. A package is
skipped if all its codes are slower, and one of them was compiled as its sources provide for.

Whether packages were tried with configurations that their code is made for: one whose sources
have code for instructions that this machine has, and that none of the configurations tried so far
lets the compiler use, says nothing about its speed yet. It is not left out, and its rows say so.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from assay.compile.recipe import Recipe
from assay.measure.candidate import Group, make_ready
from assay.measure.kinds import candidate, heard_before, measures_of
from assay.measure.launcher import Launcher
from assay.measure.policies.turns import Turns
from assay.model import Slower, Unused
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.store import Store
from assay.store.rows import Notes
from assay.summary.cells import cell_results
from assay.summary.rows import rows_of
from assay.toolchain.remembered import richest
from assay.toolchain.unused import names_in, unused


class Suited(Struct):
    """Notes which codes leave something of their sources out, and which packages do not."""

    store: Store
    _names: dict[str, frozenset[str]] = field(default_factory=dict)
    _fair: set[tuple[str, int]] = field(default_factory=set)

    def note(self, groups: Iterable[Group]) -> None:
        """Note what the codes of a round leave out, in the store too."""
        notes = Notes(self.store)
        known = notes.all(Unused)
        for group in groups:
            left_out = [self._unused(one.recipe) for one in group]
            key = self.store.key(group[0].build.cell)
            recipe = group[0].recipe
            if not all(left_out):
                self._fair.add((recipe.package.place, recipe.variant))
                if key in known:
                    notes.forget(key, Unused)
            elif key is not None:
                option = richest(recipe.compiler).usable or ""
                notes.put(key, Unused(left_out[0], option))

    def was_tried(self, recipe: Recipe) -> bool:
        """Return whether some code of a package leaves nothing out."""
        return (recipe.package.place, recipe.variant) in self._fair

    def _unused(self, recipe: Recipe) -> tuple[str, ...]:
        package = recipe.package
        if not recipe.target.is_native:
            return ()
        if package.place not in self._names:
            self._names[package.place] = names_in(package.root, package.files)
        return unused(recipe.configuration, recipe.compiler, self._names[package.place])


Place = tuple[str, int]


class SlowCiphers(Struct):
    """Finds out which ciphers are slower than the plan's rate, and leaves them out."""

    launcher: Launcher
    store: Store
    plan: Plan
    progress: Progress
    suited: Suited
    rates: dict[Place, float] = field(default_factory=dict)

    def without(self, groups: Sequence[Group]) -> list[Group]:
        """Return the codes of a round less those of ciphers that are too slow."""
        if self.plan.slower_than is None:
            return list(groups)
        ciphers = [one for one in groups if measures_of(one).paced]
        self._launch(ciphers)
        for group in ciphers:
            rate = self._rate(group)
            place = _place(group[0].recipe)
            if rate is not None:
                self.rates[place] = min(rate, self.rates.get(place, rate))
        left = [one for one in groups if not self.is_slow(one[0].recipe)]
        for group in ciphers:
            key = self.store.key(group[0].build.cell)
            if key is not None and self.is_slow(group[0].recipe):
                rate = self.rates[_place(group[0].recipe)]
                Notes(self.store).put(key, Slower(self.plan.slower_than, rate))
            elif key is not None:
                Notes(self.store).forget(key, Slower)
        return left

    def is_slow(self, recipe: Recipe) -> bool:
        """Return whether all codes of a cipher so far are slower than the rate."""
        limit, rate = self.plan.slower_than, self.rates.get(_place(recipe))
        if limit is None or rate is None:
            return False
        return rate > limit and self.suited.was_tried(recipe)

    def _launch(self, groups: Sequence[Group]) -> None:
        """Launch each code once, unless it was compared before."""
        listed = [candidate(self.store, group, self.plan) for group in groups]
        fresh = [one for one in listed if not heard_before(self.store, one)]
        if not fresh:
            return
        for _ in make_ready(self.launcher.workshop, fresh, self.plan.workers, 0):
            pass
        for one in fresh:
            one.wanted, one.repeats_left = 1, 1
        self.progress.begin("looking for slow ciphers", len(fresh))
        purpose = measures_of(fresh[0].group).purpose
        Turns(self.launcher, self.progress, brief=True, purpose=purpose).take(fresh)

    def _rate(self, group: Group) -> float | None:
        """Return cycles per byte of the long stream; None where cycles are not known."""
        known = {one.build.cell for one in group}
        rows = [
            row
            for one in cell_results(self.store, lambda one: one.build.cell in known)
            for row in rows_of(one)
        ]
        figures = [row.rate for row in rows if row.rate is not None]
        return min((one.rate for one in figures if one.core_cycles), default=None)


def _place(recipe: Recipe) -> Place:
    return recipe.package.place, recipe.variant

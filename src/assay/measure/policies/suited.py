# SPDX-License-Identifier: MIT
"""Whether packages were tried with configurations that their code is made for.

A package whose sources have code for instructions that this machine has, and that none of the
configurations tried so far lets the compiler use, says nothing about its speed yet: it is not
left out, and its rows say so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.compile.recipe import Recipe
from assay.measure.candidate import Group
from assay.model import Unused
from assay.store import Store
from assay.store.notes import Notes
from assay.toolchain.remembered import richest
from assay.toolchain.unused import names_in, unused


@dataclass(slots=True)
class Suited:
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

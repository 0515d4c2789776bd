# SPDX-License-Identifier: MIT
"""What checks need that take hours: agents with their own time, a rival, a place for records."""

import hashlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from assay.check.bench import Bench, LongRun, Rival
from assay.check.engine.foundry import Foundry
from assay.check.engine.instruments import apart
from assay.check.engine.others import OtherUnusableError, described
from assay.check.engine.wanted import LongWanted
from assay.compile.recipe import Recipe
from assay.model import Package
from assay.plan.choice import like


def with_long(foundry: Foundry, bench: Bench, wanted: LongWanted, other: Package | None) -> Bench:
    """Return the bench with what such checks need; `other` is what outputs are compared with.

    Their agents are not waited for out of the package's time: only --patience ends them.
    """
    patient = foundry.unhurried(foundry.stage.jail.patience_seconds or math.inf)
    recipe = bench.recipe
    label = f"{recipe.package.selector} {recipe.configuration.name}"
    return replace(
        bench,
        long=LongRun(
            partial(patient.stage.connect, patient.admit(bench.build), large=True),
            Rivalry(patient, recipe, other).opened,
            wanted.folder / _name(bench, other),
            partial(wanted.reach, label),
        ),
    )


def _name(bench: Bench, other: Package | None) -> str:
    """Name the record of what is made by a code and by another package, as both are now."""
    identity = f"{bench.build.object_hash} {other.identity if other else ''}"
    return f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.json"


@dataclass(frozen=True, slots=True)
class Rivalry:
    """A recipe, and the package that is built like it to be its rival, if there is one."""

    foundry: Foundry
    recipe: Recipe
    other: Package | None

    @contextmanager
    def opened(self) -> Iterator[Rival | None]:
        """Build it; lend None if there is none, or it does not work here."""
        if self.other is None:
            yield None
            return
        with apart(self.foundry, reuse=True) as elsewhere:
            yield self._built(elsewhere, self.other)

    def _built(self, foundry: Foundry, other: Package) -> Rival | None:
        try:
            build, subject = described(foundry, like(self.recipe, other))
        except OtherUnusableError:
            return None
        connect = partial(foundry.stage.connect, foundry.admit(build), large=True)
        return Rival(other.selector, connect, subject)

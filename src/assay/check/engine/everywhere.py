# SPDX-License-Identifier: MIT
"""Checking packages in many configurations: code that several of them give is looked at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.check.engine.examining import Engine
from assay.check.engine.sweep import without_numbers
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Examination, Workshop
from assay.compile.recipe import Recipe
from assay.model import CheckResult, Configuration, Package, Verdict, overall
from assay.model.progress import Progress
from assay.store import Store

ORDER = (Verdict.FAIL, Verdict.OPEN, Verdict.FINDING, Verdict.SKIPPED, Verdict.PASS)
NAMED = 3


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a variant of a package in one configuration.

    `code` names its object code, None if there is none.
    """

    configuration: Configuration
    code: str | None
    outcome: Examination


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What came of a variant of a package in all of them, in the order that was asked for."""

    package: Package
    variant: int
    rows: tuple[Row, ...]

    @property
    def codes(self) -> int:
        """How many different object codes there are."""
        return len({row.code for row in self.rows} - {None})

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: one configuration that fails is a failure."""
        return overall(row.outcome.verdict for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """In how many configurations this was the verdict on the whole."""
        return sum(row.outcome.verdict is verdict for row in self.rows)

    def findings(self, *, all_names: bool = False) -> tuple[CheckResult, ...]:
        """Return each check's verdicts, once for all configurations where it says the same.

        The reason begins with where that is, unless it is everywhere. Failures come first.
        """
        where: dict[tuple[str, Verdict, str], list[str]] = {}
        first: dict[tuple[str, Verdict, str], CheckResult] = {}
        for row in self.rows:
            for one in row.outcome.checks:
                key = (one.check, one.verdict, without_numbers(one.reason))
                first.setdefault(key, one)
                where.setdefault(key, []).append(row.configuration.name)
        found = [self._located(first[key], names, all_names) for key, names in where.items()]
        return tuple(sorted(found, key=lambda one: ORDER.index(one.verdict)))

    def _located(self, check: CheckResult, names: list[str], all_names: bool) -> CheckResult:
        """Name the configurations in which a check found it."""
        if len(names) == len(self.rows) > 1:
            return check
        shown = names if all_names or len(names) <= NAMED else names[:NAMED]
        more = len(names) - len(shown)
        place = f"in {', '.join(shown)}" + (f" and {more} more (--all names them)" if more else "")
        return replace(check, reason=f"{place}: {check.reason}" if check.reason else place)


def check_everywhere(
    workshop: Workshop,
    store: Store,
    recipes: Sequence[Recipe],
    workers: int,
    progress: Progress,
    *,
    deep: bool,
) -> tuple[Everywhere, ...]:
    """Build and check all; what the store knows from before is not done again.

    The recipes of one variant of a package stand together.
    """
    for package in {id(recipe.package): recipe.package for recipe in recipes}.values():
        store.put_package(package)
    list(Engine(workshop, store, workers, progress).examine(recipes, Wanted(deep=deep)))
    rows: dict[tuple[str, int], list[Row]] = {}
    packages: dict[tuple[str, int], Package] = {}
    for recipe, row in _rows(store, recipes):
        key = (recipe.package.place, recipe.variant)
        packages[key] = recipe.package
        rows.setdefault(key, []).append(row)
    return tuple(Everywhere(packages[key], key[1], tuple(rows[key])) for key in rows)


def _rows(store: Store, recipes: Sequence[Recipe]) -> Iterator[tuple[Recipe, Row]]:
    for recipe in recipes:
        cell, key = recipe.cell, store.key(recipe.cell)
        outcome = Examination(store.subject(cell), store.checks(cell) or ())
        yield recipe, Row(recipe.configuration, key.object_hash if key else None, outcome)

# SPDX-License-Identifier: MIT
"""Comparing what the cells of a package computed, as `check` and `run` do it."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.against.compare import DRAWN, differences, shrunk
from assay.check.against.outputs import digests, questions
from assay.check.against.side import ComparedSide, Difference, Pair, ReferenceFailed, Unlike
from assay.check.check import CheckFinding, CheckSkipped, unexpected
from assay.check.engine.agreement import ALONE, ComputedCell, agreement, groups_of
from assay.check.engine.build import Foundry, ReferenceUnusableError, described
from assay.check.engine.cells import CheckedCell
from assay.check.engine.instruments import trial_of
from assay.compile.recipe import Recipe
from assay.execute.agent import AgentError
from assay.fence import ends_all, reason_of
from assay.model import Build, Cell, CheckResult, Package, Subject, Verdict
from assay.model.causes import explained
from assay.model.compared import CONFIGURATIONS, TARGETS
from assay.model.progress import Progress, Silence
from assay.store import Store

SECONDS = 0.3  # that a code works for its digests; the first questions are always asked
MOST, ROUNDS, SEARCH_SECONDS = 1000, 1 << 18, 10.0  # for the smallest input that differs
Rows = dict[Cell, ComputedCell]


def output_checks(
    foundry: Foundry, recipe: Recipe, build: Build, subject: Subject
) -> tuple[CheckResult, ...]:
    """Return what a build computes, for a comparison with other builds of the package."""
    side = _side(foundry, recipe, (build, subject), recipe.configuration.name, SECONDS)
    try:
        found = digests(side, recipe.package.identity)
    finally:
        side.trial.close()
    if not found:
        return ()
    return (CheckResult(CONFIGURATIONS, Verdict.SKIPPED, ALONE, outputs=found),)


def _side(
    foundry: Foundry, recipe: Recipe, made: tuple[Build, Subject], name: str, seconds: float
) -> ComparedSide:
    trial = trial_of(foundry, recipe, *made)
    return ComparedSide(name, trial, trial.budget(seconds))


class Agreeing(Struct):
    """Compares cells; remembers all of a campaign, and those that its store has of before."""

    foundry: Foundry
    recipes: dict[Cell, Recipe] = field(default_factory=dict)
    changed: set[Cell] = field(default_factory=set)
    progress: Progress = field(default_factory=Silence)
    _known: dict[tuple[str, int], Rows] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    def shown(self, rows: Sequence[CheckedCell]) -> list[CheckedCell]:
        """Return the cells of one package with what their comparison says, if it says anything."""
        self._learn(rows)
        found = self._judged(_by_variant(rows))
        return [_with(row, found.get(row.recipe.cell, ()), bare=True) for row in rows]

    def stored(self, rows: Sequence[CheckedCell], store: Store) -> list[CheckedCell]:
        """Return cells of a campaign with what a comparison with all says; the store has it, too.

        What is said of other cells changes with it.
        """
        self._learn(rows)
        new = _by_variant(rows)
        self._recall(store, {row.recipe.package.place for row in rows})
        for key, each in new.items():
            self._known.setdefault(key, {}).update(each)
        asked = {key: self._known[key] for key in new}
        found = self._judged(asked)
        self._tell(found)
        for each in asked.values():
            for cell, one in each.items():
                checks = _merged(one.checks, found.get(cell, ()))
                if checks != one.checks:
                    each[cell] = replace(one, checks=checks)
                    self._write(store, cell, checks)
        return [_with(row, found.get(row.recipe.cell, ())) for row in rows]

    def disputed(self, rows: Sequence[CheckedCell]) -> list[Recipe]:
        """Return a cell of each group that disagrees: what other checks say of it may decide."""
        wrong = (CONFIGURATIONS, Verdict.FAIL)
        failing = (row for row in rows if wrong in {(c.check, c.verdict) for c in row.checks})
        variants = _by_variant(failing).values()
        groups = (group for each in variants for group in groups_of(each.values()))
        return [self.recipes[group.cells[0].cell] for group in groups if group.otherwise is None]

    def _tell(self, found: dict[Cell, list[CheckResult]]) -> None:
        """Warn once of a package that it has two results."""
        for cell, checks in found.items():
            failed = (one for one in checks if one.verdict in (Verdict.FAIL, Verdict.FINDING))
            texts = {f"{cell.selector}: {one.check}: {one.reason}" for one in failed}
            for text in texts - self._said:
                self.progress.warn(text)
            self._said |= texts

    def _write(self, store: Store, cell: Cell, checks: tuple[CheckResult, ...]) -> None:
        known = store.verdicts(cell)
        if known is not None and known.checks != checks:
            store.put_checks(cell, checks, known.asked_by, known.seconds)
            self.changed.add(cell)

    def _learn(self, rows: Iterable[CheckedCell]) -> None:
        self.recipes |= {row.recipe.cell: row.recipe for row in rows}

    def _recall(self, store: Store, places: set[str]) -> None:
        """Read what a store has of packages that were not looked at before."""
        unknown = places - {place for place, _ in self._known}
        for one in store.cells() if unknown and store.has_verdicts() else ():
            key = (one.package.place, one.build.cell.variant)
            if one.package.place in unknown and one.checks and one.own:
                row = ComputedCell(one.build.cell, one.build.object_hash, one.checks)
                self._known.setdefault(key, {})[one.build.cell] = row

    def _judged(self, asked: dict[tuple[str, int], Rows]) -> dict[Cell, list[CheckResult]]:
        found: dict[Cell, list[CheckResult]] = {}
        for rows in asked.values():
            try:
                found |= agreement(list(rows.values()), self._explain)
            except Exception as error:
                if ends_all(error):
                    raise
                failed = replace(unexpected(error), check=CONFIGURATIONS)
                found |= {cell: [failed] for cell in rows}
        return found

    def _explain(self, one: Cell, other: Cell, differing: tuple[str, ...]) -> str:
        first, second = self.recipes.get(one), self.recipes.get(other)
        if first is None or second is None:
            return ""
        return smallest(self.foundry, first, second, differing)


def _by_variant(rows: Iterable[CheckedCell]) -> dict[tuple[str, int], Rows]:
    """Return what cells computed, by package and variant."""
    found: dict[tuple[str, int], Rows] = {}
    for row in rows:
        cell = row.recipe.cell
        one = ComputedCell(cell, row.build.object_hash, row.checks)
        found.setdefault((row.recipe.package.place, row.recipe.variant), {})[cell] = one
    return found


def _with(row: CheckedCell, said: Sequence[CheckResult], *, bare: bool = False) -> CheckedCell:
    """Return a cell with verdicts of the comparison; `bare` without those of a single code."""
    checks = _merged(row.checks, said)
    if bare:
        checks = tuple(one for one in checks if one.reason != ALONE)
    return dataclasses.replace(row, checks=checks)


def _merged(
    checks: tuple[CheckResult, ...], said: Sequence[CheckResult]
) -> tuple[CheckResult, ...]:
    """Put the verdicts of a comparison in the place of earlier ones; digests stay."""
    own = next((one.outputs for one in checks if one.check == CONFIGURATIONS), ())
    others = (one for one in checks if one.check not in (CONFIGURATIONS, TARGETS))
    new = [replace(one, outputs=own if one.check == CONFIGURATIONS else ()) for one in said]
    return explained((*others, *new))


def smallest(foundry: Foundry, one: Recipe, other: Recipe, differing: tuple[str, ...]) -> str:
    """Return as evidence the smallest input found that two cells of a package answer differently.

    CheckFinding if they draw random bytes differently.
    """
    sides: list[ComparedSide] = []
    here = one.target.name == other.target.name
    try:
        for recipe in (one, other):
            there = foundry.on(recipe.target).patient(recipe)
            name = recipe.configuration.name if here else recipe.target.name
            sides.append(_side(there, recipe, described(there, recipe), name, SEARCH_SECONDS))
        pair = Pair(sides[0], sides[1], MOST, ROUNDS)
        found = next(_found(pair, one.package, differing), None)
        return _shown(pair, found)
    except Unlike as unlike:
        return f"{unlike}\n"
    except (ReferenceUnusableError, AgentError, ReferenceFailed, CheckSkipped) as error:
        return f"the smallest input that differs is unknown: {error}\n"
    except Exception as error:
        if ends_all(error) or isinstance(error, CheckFinding):
            raise
        return f"the smallest input that differs is unknown: {reason_of(error)}\n"
    finally:
        for side in sides:
            side.trial.close()


def _found(pair: Pair, package: Package, differing: tuple[str, ...]) -> Iterator[Difference]:
    """Yield differences: of the questions that are known to differ, then of others."""
    for name, question in questions(pair.first, package.identity):
        if name in differing:
            yield from pair.differences([question])
    yield from differences(pair)


def _shown(pair: Pair, found: Difference | None) -> str:
    if found is None:
        return f"no difference in {pair.asked} uses when both were asked again\n"
    least = shrunk(pair, found)
    if pair.draws(least):
        raise CheckFinding(f"{pair.first.name} and {pair.second.name} {DRAWN}")
    return least.shown(pair.words)

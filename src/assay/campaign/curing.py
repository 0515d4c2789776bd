# SPDX-License-Identifier: MIT
"""Which options take away leaks that a compiler makes, and how much slower the code is then."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.constant_time import LeakMatrix
from assay.campaign.planning import RunOptions, run_plan
from assay.check.engine.cells import CheckedCell
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.jail import Jail
from assay.model.progress import Progress
from assay.model.secrets import (
    KINDS,
    LEFT_BEHIND,
    ConfigurationLeaks,
    Leak,
    TriedCure,
    gone,
    leaks,
    unexamined,
)
from assay.plan.plan import Effort, Plan
from assay.plan.recipes import Cure, cures_of
from assay.report.compare.answers import ComparedMeasure, answer
from assay.report.compare.pairs import match
from assay.report.compare.sides import WantedSide, load_side
from assay.report.compare.words import answer_text
from assay.stats.comparison import Answer

LAUNCHES, SAMPLES = 6, 15
AS_WRITTEN = "-O0"  # where no transformation makes a leak that an option could turn off
OF_THE_SOURCE = 2  # levels: what leaks in all of so many no option makes or undoes


class CureTrial(Struct, frozen=True):
    """A cell that leaks, what is tried there, and the recipe that tries it."""

    cell: CheckedCell
    row: ConfigurationLeaks
    cure: Cure
    recipe: Recipe


def tried_cures(
    engine: Engine, matrix: LeakMatrix, asked: Wanted
) -> tuple[tuple[CureTrial, TriedCure], ...]:
    """Try all known options where the matrix leaks; return what each does there."""
    trials = tuple(_trials(matrix))
    # The cells that leak come first: what has their code is not examined again.
    leaking = tuple(dict.fromkeys(one.cell.recipe for one in trials))
    cells = tuple(engine.examine((*leaking, *(one.recipe for one in trials)), asked))
    found = zip(trials, cells[len(leaking) :], strict=True)
    return tuple((trial, _outcome(trial, cell)) for trial, cell in found)


def _trials(matrix: LeakMatrix) -> Iterator[CureTrial]:
    """Yield what is tried: each known option once per compiler and leak, at the first level."""
    if not all(one.recipe.target.is_native for one in matrix.cells):
        return
    made = {leak for row in matrix.rows for leak in _plain(row.leaks)} - _of_the_source(matrix)
    for name in dict.fromkeys(row.compiler for row in matrix.rows):
        left = set(made)
        for cell, row in zip(matrix.cells, matrix.rows, strict=True):
            here = left & set(_plain(row.leaks))
            if row.compiler == name and here and row.level.split()[:1] != [AS_WRITTEN]:
                left -= here
                for cure, recipe in cures_of(cell.recipe):
                    yield CureTrial(cell, row, cure, recipe)


def _plain(found: Sequence[Leak]) -> tuple[Leak, ...]:
    return tuple(replace(one, instruction="") for one in _timed(found))


def _timed(found: Iterable[Leak]) -> tuple[Leak, ...]:
    """Leave out what is left in memory: the options known here are about what takes a time."""
    return tuple(one for one in found if one.kind != KINDS[LEFT_BEHIND])


def _of_the_source(matrix: LeakMatrix) -> set[Leak]:
    """Return what leaks whatever the options: no option has made it."""
    if len({row.level for row in matrix.rows}) < OF_THE_SOURCE:
        return set()
    return set.intersection(*(set(_plain(row.leaks)) for row in matrix.rows))


def _outcome(trial: CureTrial, cell: CheckedCell) -> TriedCure:
    cure, row = trial.cure, trial.row
    problem = cell.build.reason or unexamined(cell.checks)
    after = _timed([leak for one in cell.checks for leak in leaks(one)])
    cured = () if problem else gone(_timed(row.leaks), after)
    return TriedCure(
        row.compiler, row.level, cure.option, cure.undoes, cure.source, cured, problem
    )


def priced(
    tried: Sequence[tuple[CureTrial, TriedCure]], jail: Jail, progress: Progress
) -> Iterator[TriedCure]:
    """Yield what was tried; of what cures with its price, measured in turn with the code as is."""
    cures = [(trial, one) for trial, one in tried if one.cured]
    prices: dict[Recipe, str] = {}
    for base in dict.fromkeys(trial.cell.recipe for trial, _ in cures):
        others = tuple(trial.recipe for trial, _ in cures if trial.cell.recipe == base)
        prices.update(_prices(base, others, jail, progress))
    for trial, one in tried:
        yield replace(one, price=prices.get(trial.recipe, ""))


def _prices(
    base: Recipe, others: tuple[Recipe, ...], jail: Jail, progress: Progress
) -> Iterator[tuple[Recipe, str]]:
    """Measure recipes in one campaign, their launches in turn."""
    found = (base.package,)
    plan = Plan(
        found,
        (base.configuration, *(one.configuration for one in others)),
        {base.configuration.command: base.compiler},
        launches=LAUNCHES,
        effort=Effort(samples=SAMPLES),
        everything=True,
        glance=True,
    )
    with tempfile.TemporaryDirectory(prefix="assay-price-") as folder:
        results = Path(folder)
        try:
            run_plan(plan, RunOptions(results=results), found, jail, progress, ("ct",))
        except AssayError as error:
            yield from ((one, f"not measured: {error}") for one in others)
            return
        for one in others:
            yield one, _price(base, one, results)


def _price(base: Recipe, other: Recipe, results: Path) -> str:
    """Return how much slower a recipe is, in the measure in which that is most."""
    name = base.package.selector
    try:
        first, second = (
            load_side(WantedSide(name, results, name, one.configuration.name))
            for one in (base, other)
        )
        rows = answer(first, second, match(first, second)).rows
    except AssayError as error:
        return f"not measured: {error}"
    rows = tuple(one for one in rows if one.first.subject.variant == base.variant)
    worst = max(rows, key=_slowness)
    return f"{worst.first.measure}: {answer_text(worst)}"


def _slowness(row: ComparedMeasure) -> tuple[bool, float]:
    """Sort by what is known to differ, and by how much."""
    known = row.comparison.answer in {Answer.FASTER, Answer.SLOWER}
    return known, row.comparison.change_percent

# SPDX-License-Identifier: MIT
"""`assay scale`, `operands` and `cold`: speed beside copies, by operands, and with cold caches."""

import os
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct
from msgspec.structs import asdict

from assay.campaign.roots import packages_root
from assay.check.engine.workshop import Workshop, open_workshop
from assay.cli.applies import option, refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED
from assay.cli.options import (
    complete_packages,
    jail_for,
    jail_option,
    operation_configuration,
    tree_option,
)
from assay.compile.recipe import Recipe
from assay.errors import AssayError, UsageError
from assay.machine.processors import measuring_cpu, usable_processors
from assay.measure.studies.cold import ColdRow, cold_of
from assay.measure.studies.copies import CopiesRow, copies_of
from assay.measure.studies.operands import OperandsRow, operands_of
from assay.model import BrokenPackage, Package
from assay.model.progress import Progress
from assay.package.resolve import Trees, resolve
from assay.report.table import Column, Note, Report, Style, decimals, listed

LAUNCHES = 7
MEGA, NANO = 1e6, 1e9
CALLS = "ns: all calls by which implementations are compared; {} launches a row, in random order."
COLD = (
    "{} launches; messages and data of 64 bytes. Cold: the first call after more memory was read "
    "than the last cache holds, with its inputs just written. Warm: the calls behind it."
)
SCATTER = "`random again` shows what launches differ by alone."
BEST = "Times: what all copies make together, in what one makes alone; the best is their number."
HOW = (
    "{} launches of each, in random order; medians, and quartiles of Times. Each copy is timed "
    "beside the others from beginning to end."
)

RowT = TypeVar("RowT")
Study = Callable[[Workshop, Recipe, Progress, int], Iterable[RowT]]


class StudyOptions(Struct, frozen=True):
    """What is studied, and how the answer is shown; the names are those of the options."""

    packages: tuple[str, ...]
    launches: int
    trees: tuple[Path, ...]
    form: str
    jail_name: str
    copies: int | None = None


def study_command(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Return the decorator that makes a command of a study, with the options that all have."""
    shared = (
        jail_option, formats_option(*SHORT), tree_option(),
        option("--launches", type=click.IntRange(3), default=LAUNCHES, show_default=True,
               metavar="N", help="Launch so many times for each row."),
        click.argument("packages", nargs=-1, required=True, metavar="PACKAGE...",
                       shell_complete=complete_packages),
    )  # fmt: skip

    def made(function: Callable[..., Any]) -> click.Command:
        for one in shared:
            function = one(function)
        return click.command(name=name)(function)

    return made


@study_command("scale")
@option("--copies", "-n", type=click.IntRange(2), metavar="N",
        help="Run N copies, each on its own processor; on all by default.")  # fmt: skip
def scale_command(**given: Any) -> int:
    """Measure PACKAGES alone, and while copies of them work on all other processors.

    Processors share caches, memory, execution units and power, so N of them seldom make N times
    as much. Each package is built with the options that use most of this processor, and
    checked before.
    """
    asked = StudyOptions(**given)
    processors = _processors(asked.copies)

    def study(shop: Workshop, recipe: Recipe, tell: Progress, count: int) -> Iterable[CopiesRow]:
        return copies_of(shop, recipe, tell, processors, count)

    return _studied(asked, study, scale_report, processors[0])


@study_command("operands")
def operands_command(**given: Any) -> int:
    """Time operations on operands that are zeros, sparse, random, dense and ones.

    Where the time depends on how many bits are set it may tell of secrets, and a figure for
    random operands is not that of others. Two rows are of random operands: what they differ by
    is scatter.
    """
    return _studied(StudyOptions(**given), operands_of, operands_report)


@study_command("cold")
def cold_command(**given: Any) -> int:
    """Time the first call of operations after other work has filled the caches.

    Other figures are of calls one after another, whose code and tables are in the caches. Here
    more memory than the last cache holds is read before each call.
    """
    return _studied(StudyOptions(**given), cold_of, cold_report)


def _studied(
    asked: StudyOptions,
    study: Study[RowT],
    report: Callable[[Sequence[RowT], int], Report],
    cpu: int | None = None,
) -> int:
    """Study packages one by one; one that fails, and Ctrl-C, take nothing from the others."""
    recipes = _recipes(asked)
    jail = jail_for(asked.jail_name, recipes[0].compiler)
    rows: list[RowT] = []
    errors: list[AssayError] = []
    cpu = measuring_cpu() if cpu is None else cpu
    try:
        with open_workshop(jail, cpu=cpu) as workshop, showing() as progress:
            for recipe in recipes:
                try:
                    rows += study(workshop, recipe, progress, asked.launches)
                except AssayError as error:
                    errors.append(error)
                    progress.warn(f"{recipe.package.selector}: {error} {error.cure}")
    finally:
        if rows:
            print_report(report(rows, asked.launches), asked.form)
    if errors and not rows:
        raise errors[0]
    return EXIT_FAILED if errors else 0


def _recipes(asked: StudyOptions) -> list[Recipe]:
    """Return how packages are built, with the options that use most of this processor."""
    found = resolve(asked.packages, packages_root(), trees=Trees(asked.trees))
    refuse()
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    if broken:
        raise UsageError(f"{broken[0].selector}: {broken[0].reason}", broken[0].cure)
    configuration, compiler = operation_configuration()
    loaded = (one for one in found if isinstance(one, Package))
    return [Recipe(one, 1, configuration, compiler) for one in loaded]


def _processors(copies: int | None) -> list[int]:
    """Choose processors, the last ones first: the first ones serve interrupts."""
    usable = sorted(usable_processors(), reverse=True)
    wanted = copies or len(usable)
    if not 2 <= wanted <= len(usable):
        raise UsageError(
            f"{wanted} copies need as many processors, and this process may use {len(usable)}",
            f"Choose --copies from 2 to {len(usable)}, or use a machine with more processors.",
        )
    return usable[:wanted]


def _report(
    lines: Iterable[object],
    names: Sequence[tuple[str, str]],
    figures: Sequence[tuple[str, str, int]],
    notes: Iterable[str],
    facts: dict[str, Any],
) -> Report:
    """Make the report of a study: names, figures with so many decimals, and quartiles."""
    table = listed(
        lines,
        *(Column(*one, whole=True) for one in names),
        *(Column(key, head, True, decimals(digits)) for key, head, digits in figures),
        Column("quartiles", "Quartiles", whole=True),
    )
    return Report((table,), (), tuple(Note(one, Style.PLAIN) for one in notes), facts)


def scale_report(rows: Sequence[CopiesRow], launches: int) -> Report:
    """List packages and measures: speed alone, speed of each copy, and what all make."""
    names = (("package", "Package"), ("measure", "Measure"), ("unit", "Per second"))
    figures = (("copies", "Copies", 0), ("alone", "Alone", 2), ("each", "Each of all", 2),
               ("times", "Times", 2))  # fmt: skip
    facts = {"processors": os.cpu_count(), "rows": [asdict(one) for one in rows]}
    return _report(map(_line, rows), names, figures, (BEST, HOW.format(launches)), facts)


def _line(one: CopiesRow) -> tuple[str | int | float, ...]:
    low, times, high = one.times
    scale, unit = (MEGA, "MB") if one.unit == "byte" else (1.0, f"{one.unit}s")
    alone, each = (statistics.median(part) / scale for part in (one.alone, one.together))
    name = f"{one.measure} {one.sizes}".strip()
    span = f"{low:.2f} to {high:.2f}"
    return one.package, name, unit, one.copies, alone, each, times, span


def operands_report(rows: Sequence[OperandsRow], launches: int) -> Report:
    """List packages and operands: the time of all calls, and as a part of that on random ones."""
    names = (("package", "Package"), ("operands", "Operands"))
    figures = (("nanoseconds", "ns", 0), ("ratio", "Of random", 3))
    lines: list[tuple[str | float | None, ...]] = []
    for one in rows:
        if not one.seconds:
            lines.append((one.package, one.operands, None, None, one.problem))
            continue
        low, ratio, high = one.ratio
        nanoseconds = statistics.median(one.seconds) * NANO
        lines.append((one.package, one.operands, nanoseconds, ratio, f"{low:.3f} to {high:.3f}"))
    facts = {"rows": [asdict(one) for one in rows]}
    return _report(lines, names, figures, (CALLS.format(launches), SCATTER), facts)


def cold_report(rows: Sequence[ColdRow], launches: int) -> Report:
    """List functions: nanoseconds of a warm and of a cold call, and how many times as long."""
    names = (("package", "Package"), ("function", "Function"))
    figures = (("warm", "Warm ns", 0), ("cold", "Cold ns", 0), ("times", "Times", 2))
    lines = []
    for one in rows:
        low, times, high = one.times
        warm, cold = map(statistics.median, (one.warm, one.cold))
        lines.append((one.package, one.function, warm, cold, times, f"{low:.2f} to {high:.2f}"))
    facts = {"rows": [asdict(one) for one in rows]}
    return _report(lines, names, figures, (COLD.format(launches),), facts)

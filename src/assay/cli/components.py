# SPDX-License-Identifier: MIT
"""`assay components`: what share of an operation's work is hashing, multiplying, sampling."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from msgspec.structs import asdict

from assay.check.engine.workshop import open_workshop
from assay.cli.applies import option, refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.options import (
    complete_packages,
    jail_for,
    jail_option,
    known_targets,
    named_package,
    tree_option,
)
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.measure.studies.components import ComponentsRow, components_of
from assay.model import Target
from assay.model.targets import Runtime
from assay.plan.choice import target_configuration
from assay.report.table import Column, Note, Report, Style, listed
from assay.targets.catalogue import catalogue, choose, look_for, native

BAR = 24  # characters of all instructions
MOST_FUNCTIONS = 12
ALL_HASHING = "all hashing"
BY_NAME = (
    "Functions are assigned by their names; what a compiler inlines counts as the function around "
    "it. `code that it calls` is in none of its own files: subroutines, the C library, the "
    "compiler's functions. Counted with {}."
)


@click.command(name="components")
@click.argument("package", metavar="PACKAGE", shell_complete=complete_packages)
@option("--target", "target_names", multiple=True, metavar="NAME",
        help="Count there; by default in an emulator of this architecture.")  # fmt: skip
@option("--level", "levels", multiple=True, default=("-O2",), show_default=True, metavar="OPTION",
        help="Compile with this level.")  # fmt: skip
@option("--functions", is_flag=True, help="Also list the functions that execute most.")
@tree_option()
@formats_option(*SHORT)
@jail_option
def command(
    package: str,
    target_names: tuple[str, ...],
    levels: tuple[str, ...],
    trees: tuple[Path, ...],
    form: str,
    jail_name: str,
    *,
    functions: bool,
) -> None:
    """List what share of each function of PACKAGE is hashing, multiplying polynomials, sampling.

    PACKAGE is an operation: each of its functions is called once on random inputs, and the
    instructions of its own code are counted exactly.
    """
    found = named_package(package, trees)
    refuse()
    if not found.kind.rules.listed:
        raise UsageError(
            f"{found.selector} is no operation", "Name a package of SUPERCOP's API, such as a KEM."
        )
    rows: list[ComponentsRow] = []
    pairs = [(target, level) for target in _targets(target_names) for level in levels]
    with showing() as progress:
        progress.begin("counting", len(pairs))
        for target, level in pairs:
            configuration, compiler = target_configuration(target, level)
            recipe = Recipe(found, 1, configuration, compiler, target)
            with open_workshop(jail_for(jail_name, compiler), target=target) as workshop:
                rows += components_of(workshop, recipe)
            progress.advance(target.name)
    print_report(components_report(rows, functions=functions), form)


def _targets(names: tuple[str, ...]) -> tuple[Target, ...]:
    """Return where to count; UsageError for a target that cannot count or is not installed."""
    here = native().architecture
    fitting = (one for one in catalogue() if one.architecture == here and one.counts)
    usual = tuple(one for one in fitting if one.runtime is Runtime.LIBC)[:1]
    found = choose(names, known_targets(None)) if names else usual
    for one in found:
        if not one.counts:
            raise UsageError(
                f"nothing counts instructions on {one.name}", "Name another --target."
            )
        installed = look_for(one)
        if not installed.ok:
            raise UsageError(f"{one.name}: {installed.reason}", installed.cure)
    if not found:
        raise UsageError("nothing counts instructions of this architecture", "Name a --target.")
    return found


def components_report(rows: Iterable[ComponentsRow], *, functions: bool = False) -> Report:
    """List functions and their components, each with its share as a bar."""
    made = list(rows)
    lines = [
        (one.target, one.level, one.function, part, count,
         f"{100 * count / one.instructions:.1f} %", "#" * round(BAR * count / one.instructions))
        for one in made
        for part, count in (one.functions[:MOST_FUNCTIONS] if functions else _parts(one))
    ]  # fmt: skip
    what = "Part" if functions else "Component"
    names = ("target", "Target"), ("level", "Level"), ("function", "Function"), ("part", what)
    columns = (
        *(Column(*one, whole=True) for one in names),
        Column("instructions", "Instructions", number=True),
        Column("share", "Share", whole=True),
        Column("bar", "Bar", whole=True),
    )
    compilers = ", ".join(dict.fromkeys(one.compiler for one in made))
    notes = (Note(BY_NAME.format(compilers), Style.PLAIN),)
    facts = {"rows": [{**asdict(one), "hashing": one.hashing} for one in made]}
    return Report((listed(lines, *columns),), (), notes, facts)


def _parts(one: ComponentsRow) -> Iterator[tuple[str, int]]:
    """Yield the components of a function, and what several of them hash together."""
    yield from one.parts
    if len(one.hashed) > 1:
        yield ALL_HASHING, one.hashing

# SPDX-License-Identifier: MIT
"""`assay lint` and `assay mutate`: what is unusual in sources, and what no check notices there."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import asdict, replace

from assay.check.engine.workshop import open_workshop
from assay.cli.applies import option, refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED
from assay.cli.options import (
    complete_packages,
    jail_for,
    jail_option,
    named_package,
    operation_configuration,
    tree_option,
)
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.grouped import grouped
from assay.mutation.hunt import NO_CODE, SAME, SURVIVED, Fate, hunt
from assay.package.lint import REASONS, WARNINGS, LintFinding, of_compiler, of_text
from assay.report.table import Column, Note, Report, Style, listed

NOTHING = "Nothing unusual was found."
WHAT = "These are no defects by themselves; `assay check` says what is wrong."
OPTIONS = f"Warnings are those of {{}} with {' '.join(WARNINGS)}."
NUMBER = 50
PATIENCE_SECONDS = 120.0  # a mutant that goes round in circles is found, too
LEFT = "Nothing noticed these changes: add vectors or answers that reach them, or say why not."
DEEPER = "With --deep, survivors are also asked what takes a minute."


@click.command(name="lint")
@click.argument("package", metavar="PACKAGE", shell_complete=complete_packages)
@click.option("--every", is_flag=True, help="List every place, and not the first of each rule.")
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is found.")
@tree_option()
@formats_option(*SHORT)
@jail_option
def command(
    package: str, trees: tuple[Path, ...], form: str, jail_name: str, *, every: bool, strict: bool
) -> int:
    """List what is unusual in the sources of PACKAGE.

    Plain char, branches of the preprocessor, allocation, and what a compiler warns of when it is
    asked for more warnings. None of it is a defect by itself.

    Exit codes: 0, or 1 with --strict if anything is found.
    """
    found = named_package(package, trees)
    refuse()
    configuration, compiler = operation_configuration()
    warned = replace(configuration, opt=" ".join((configuration.opt, *WARNINGS)), name="lint")
    with open_workshop(jail_for(jail_name, compiler)) as workshop:
        build = workshop.build(Recipe(found, 1, warned, compiler))
    places = [*of_text(found), *of_compiler(build.diagnostics)]
    print_report(lint_report(places, compiler.release, every=every), form)
    return EXIT_FAILED if strict and places else 0


def lint_report(places: Sequence[LintFinding], compiler: str, *, every: bool = False) -> Report:
    """List rules with how often they matched and where first; or every place."""
    by_rule = grouped((one.rule, one) for one in places)
    rows = [
        (rule, len(found), f"{one.file}:{one.line}", one.text, REASONS.get(rule, ""))
        for rule, found in sorted(by_rule.items())
        for one in (found if every else found[:1])
    ]
    names = (("rule", "Rule"), ("place", "Place" if every else "First"), ("text", "Text"))
    rule, place, text = (Column(*one, whole=one[0] != "text") for one in names)
    columns = (rule, Column("count", "Places", number=True), place, text, Column("why", "Why"))
    told = (WHAT, OPTIONS.format(compiler)) if rows else (NOTHING, OPTIONS.format(compiler))
    notes = tuple(Note(one, Style.PLAIN) for one in told)
    facts = {"places": [asdict(one) for one in places]}
    return Report((listed(rows, *columns),) if rows else (), (), notes, facts)


@click.command(name="mutate")
@click.argument("package", metavar="PACKAGE", shell_complete=complete_packages)
@option("--number", "-n", type=click.IntRange(1, 10_000), default=NUMBER, show_default=True,
        metavar="N", help="Make N mutants, or as many as the source allows.")  # fmt: skip
@option("--seed", type=int, default=1, show_default=True,
        help="The seed by which changes are chosen; the same one chooses the same.")  # fmt: skip
@option(
    "--deep", is_flag=True, help="Also run the slow checks on mutants that survive the others."
)
@tree_option()
@formats_option(*SHORT)
@jail_option
def mutate_command(
    package: str,
    number: int,
    seed: int,
    deep: bool,
    trees: tuple[Path, ...],
    form: str,
    jail_name: str,
) -> int:
    """Change the source of PACKAGE in N small ways, and say which changes no check notices.

    A mutant has another operator, constant or condition, or lacks a statement. Each is compiled as
    `assay check` does; one with the same object code is no defect. Vectors, known answers and
    checksums find most mutants, so survivors show what these leave out.

    Exit codes: 0: every change was noticed; 1: some survived.
    """
    found = named_package(package, trees)
    refuse()
    jail = replace(jail_for(jail_name), patience_seconds=PATIENCE_SECONDS)
    with tempfile.TemporaryDirectory(prefix="assay-mutants-") as home, showing() as progress:
        progress.begin("mutants", number)
        place = (Path(home), jail)
        fates = hunt(found, number, seed, place, deep=deep, tell=lambda *_: progress.advance(""))
    if all(one.by in {SAME, NO_CODE} for one in fates):
        raise UsageError(
            f"none of {len(fates)} changes of {found.selector} made other code",
            "Raise --number, or choose another --seed.",
        )
    print_report(fates_report(found.selector, fates, deep=deep), form)
    return EXIT_FAILED if any(one.by == SURVIVED for one in fates) else 0


def fates_report(name: str, fates: Sequence[Fate], *, deep: bool) -> Report:
    """Make the tables: survivors, what finds mutants, and how many of each kind were found."""
    alive = [one for one in fates if one.by == SURVIVED]
    counted = Counter(one.by or "nothing" for one in fates if one.by not in {SAME, NO_CODE})
    other = sum(counted.values())
    lead = f"{name}: {other - len(alive)} of {other} changes that made other code were noticed."
    survivors = listed(
        [(one.change.partition(": ")[0], one.line, one.kind, one.change.partition(": ")[2])
         for one in alive],
        Column("file", "File", whole=True),
        Column("line", "Line", number=True, text=str),
        Column("kind", "Kind"),
        Column("change", "Change"),
        title="Survivors",
    )  # fmt: skip
    finders = listed(
        counted.most_common(),
        Column("check", "Check", whole=True),
        Column("found", "Mutants", number=True, text=str),
        title="What found mutants",
    )
    same, broken = (sum(one.by == word for one in fates) for word in (SAME, NO_CODE))
    below = [
        Note(f"Of {len(fates)} changes, {same} made the same code, and {broken} did not compile.")
    ]
    below += [Note(LEFT, Style.OPEN)] if alive else []
    below += [Note(DEEPER)] if alive and not deep else []
    tables = (survivors, finders) if alive else (finders,)
    return Report(tables, (Note(lead, Style.LEAD),), tuple(below))

# SPDX-License-Identifier: MIT
"""`assay lint`: what is unusual in a package's sources, by rules and by compilers' warnings."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import asdict, replace

from assay.campaign.roots import packages_root
from assay.check.engine.workshop import open_workshop
from assay.cli.applies import refuse
from assay.cli.completing import complete_packages
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.main import EXIT_FAILED
from assay.cli.options import jail_for, jail_option, only_package, tree_option
from assay.compile.recipe import Recipe
from assay.package.lint import REASONS, WARNINGS, LintFinding, of_compiler, of_text
from assay.package.resolve import Trees, resolve
from assay.report.table import Column, Note, Report, Style, listed
from assay.toolchain.shortlist import supercop_configurations

NOTHING = "Nothing unusual was found."
WHAT = "These are no defects by themselves; `assay check` says what is wrong."
OPTIONS = f"Warnings are those of {{}} with {' '.join(WARNINGS)}."


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
    found = only_package(resolve((package,), packages_root(), trees=Trees(trees)))
    refuse()
    (configuration, *_), compilers = supercop_configurations()
    compiler = compilers[configuration.command]
    warned = replace(configuration, opt=" ".join((configuration.opt, *WARNINGS)), name="lint")
    with open_workshop(jail_for(jail_name, compiler)) as workshop:
        build = workshop.build(Recipe(found, 1, warned, compiler))
    places = [*of_text(found), *of_compiler(build.diagnostics)]
    print_report(lint_report(places, compiler.release, every=every), form)
    return EXIT_FAILED if strict and places else 0


def lint_report(places: Sequence[LintFinding], compiler: str, *, every: bool = False) -> Report:
    """List rules with how often they matched and where first; or every place."""
    by_rule: dict[str, list[LintFinding]] = {}
    for one in places:
        by_rule.setdefault(one.rule, []).append(one)
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

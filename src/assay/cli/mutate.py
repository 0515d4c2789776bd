# SPDX-License-Identifier: MIT
"""`assay mutate`: which small changes of a package's source no check notices."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from assay.campaign.roots import packages_root
from assay.cli.applies import option, refuse
from assay.cli.completing import complete_packages
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED
from assay.cli.options import jail_for, jail_option, only_package, tree_option
from assay.errors import UsageError
from assay.mutation.hunt import NO_CODE, SAME, SURVIVED, Fate, hunt
from assay.package.resolve import Trees, resolve
from assay.report.table import Column, Note, Report, Style, listed

NUMBER = 50
PATIENCE_SECONDS = 120.0  # a mutant that goes round in circles is found, too
LEFT = "Nothing noticed these changes: add vectors or answers that reach them, or say why not."
DEEPER = "With --deep, survivors are also asked what takes a minute."


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
def command(
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
    found = only_package(resolve((package,), packages_root(), trees=Trees(trees)))
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

# SPDX-License-Identifier: MIT
"""`assay size`: measure code size, memory and speed of compact hashes."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from assay.check.engine.examine import in_parallel
from assay.cli.applies import refuse, situations_of
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import (
    chosen_targets,
    jail_for,
    jail_option,
    packages_root,
    patience_option,
    target_option,
    targets_file_option,
)
from assay.errors import UsageError
from assay.execute.jail import Jail
from assay.measure.footprint import footprint
from assay.model import BrokenPackage, Package, PackageKind, Target
from assay.model.footprint import Footprint
from assay.package.resolve import resolve
from assay.package.vectors import published_figures
from assay.report.code_sizes import SizeRow, size_report, size_rows
from assay.site.size_page import write_size_page

UNROLLED = "unrolled"  # the implementation that the speed of compact code is compared with


@click.command(name="size")
@click.argument("packages", nargs=-1, required=True, metavar="PACKAGE...")
@target_option()
@targets_file_option()
@click.option("--html", metavar="FOLDER", help="Also write the page with the chart there.")
@formats_option(*SHORT, charts=True)
@jail_option
@patience_option
def command(
    packages: tuple[str, ...],
    target_names: tuple[str, ...],
    targets_file: str | None,
    html: str | None,
    form: str,
    jail_name: str,
) -> int:
    """Measure code size, memory and speed, as the compact-hash rules say.

    C is compiled with several compilers and levels, position-independent, and the
    smallest result that works is shown; assembly is measured on its own target.
    Emulated targets count instructions (AVR: cycles) exactly. Exit code 1: a
    digest is wrong, or nothing could be built.
    """
    targets = chosen_targets(target_names, targets_file)
    found = resolve(packages, packages_root())
    refuse(situations_of(found, targets))
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    if broken:
        raise UsageError(broken[0].reason, broken[0].cure)
    whole = tuple(one for one in found if isinstance(one, Package))
    rows = _rows(whole, targets, jail_for(jail_name))
    if html:
        click.echo(str(write_size_page(Path(html), rows)), err=True)
    print_report(size_report(rows, form), form)
    if any(row.footprint.passed is False for row in rows):
        return EXIT_FAILED
    open_ = any(row.footprint.passed is None and not row.footprint.skipped for row in rows)
    return EXIT_OPEN if open_ else 0


def _rows(
    packages: Sequence[Package], targets: tuple[Target, ...], jail: Jail
) -> tuple[SizeRow, ...]:
    """Measure every package where it belongs, in the order of the targets."""
    wanted = [(one, target) for target in targets for one in packages if _belongs(one, target)]
    compared = dict.fromkeys((one.primitive, target.name, target) for one, target in wanted)
    forms = {one: _unrolled(one) for one in dict.fromkeys(name for name, *_ in compared)}
    asked = [(form, target) for name, _, target in compared if (form := forms[name])]
    figures = {one.selector: published_figures(one.root) for one in packages}
    known = {(one.selector, target.name) for one, target in wanted}
    more = [each for each in asked if (each[0].selector, each[1].name) not in known]
    found = _measured([*wanted, *more], jail)
    names = {form.selector for form, _ in asked}
    unrolled = [one for one in found if one.selector in names]
    return size_rows(found[: len(wanted)], figures, unrolled)


def _unrolled(primitive: str) -> Package | None:
    """Return the unrolled form of a primitive, if it ships: compact code is compared with it."""
    try:
        (found,) = resolve((f"{primitive}/{UNROLLED}",), packages_root())
    except (UsageError, ValueError):
        return None
    return found if isinstance(found, Package) and found.kind == PackageKind.HASH else None


def _measured(wanted: Sequence[tuple[Package, Target]], jail: Jail) -> tuple[Footprint, ...]:
    """Measure on all processors; return the rows in the order in which they were wanted."""
    rows: dict[int, Footprint] = {}

    def work(at: int) -> Footprint:
        return footprint(*wanted[at], jail)

    going = closing(in_parallel(work, range(len(wanted)), _workers()))
    with showing() as progress, going as done:
        progress.begin("measuring", len(wanted))
        for at, row in done:
            progress.advance(f"{row.selector} on {row.target.name}")
            rows[at] = row
    return tuple(rows[at] for at in sorted(rows))


def _belongs(package: Package, target: Target) -> bool:
    """Return whether to measure there: assembly on its own architecture, C everywhere."""
    return package.architecture in (None, target.architecture) or target.is_native


def _workers() -> int:
    return max(1, os.cpu_count() or 1)

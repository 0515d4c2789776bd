# SPDX-License-Identifier: MIT
"""`assay size`: measure code size, memory and speed, and whether a device has room."""

import os
import re
from collections.abc import Sequence
from contextlib import closing

import click

from assay.campaign.gathering import sized
from assay.campaign.roots import packages_root
from assay.check.engine.examine import in_parallel
from assay.cli.applies import refuse, situations_of
from assay.cli.console import SHORT, formats_option, print_report, text_of
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import (
    chosen_targets,
    complete_packages,
    jail_for,
    jail_option,
    patience_option,
    target_option,
    targets_file_option,
)
from assay.cli.outputs import FileContents, Output, deliver, output_option
from assay.errors import UsageError
from assay.execute.jail import Jail
from assay.measure.footprint import footprint
from assay.model import BrokenPackage, Package, Target
from assay.model.footprint import Device, Footprint
from assay.package.known import published_figures
from assay.package.resolve import resolve
from assay.report.code_sizes import SizeRow, size_report, size_rows

UNROLLED = "unrolled"  # the implementation that the speed of compact code is compared with
BYTES = re.compile(r"([0-9]{1,9})([KM]?)")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}


def _bytes(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Read `16K`."""
    found = BYTES.fullmatch(text or "0")
    if found is None:
        raise click.BadParameter(f"{text!r} is no size: give bytes, as in 4096, 16K or 1M")
    return int(found[1]) * UNITS[found[2]] if text is not None else None


@click.command(name="size")
@click.argument(
    "packages", nargs=-1, required=True, metavar="PACKAGE...", shell_complete=complete_packages
)
@target_option()
@targets_file_option()
@click.option("--flash", metavar="SIZE", callback=_bytes, help="Say what fits that much flash.")
@click.option("--ram", metavar="SIZE", callback=_bytes, help="Say what fits that much RAM (4K).")
@output_option(charts=True)
@formats_option(*SHORT, charts=True)
@jail_option
@patience_option
def command(
    packages: tuple[str, ...],
    target_names: tuple[str, ...],
    targets_file: str | None,
    flash: int | None,
    ram: int | None,
    outputs: tuple[Output, ...],
    form: str,
    jail_name: str,
) -> int:
    """Measure code size, memory and speed, as the compact-hash rules say.

    C is compiled with several compilers and levels, position-independent, and the
    smallest result that works is shown; assembly is measured on its own target.
    Emulated targets count instructions (AVR: cycles) exactly.

    With --flash 16K or --ram 4K, each row says whether a device with so much has room for
    the package, and by how many bytes it lacks.

    Exit codes: 1: a digest is wrong, nothing could be built, or something does not fit;
    3: nothing was compared, or the stack is unknown of what fits otherwise.
    """
    targets = chosen_targets(target_names, targets_file)
    found = resolve(packages, packages_root())
    refuse(situations_of(found, targets))
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    if broken:
        raise UsageError(broken[0].reason, broken[0].cure)
    whole = tuple(one for one in found if isinstance(one, Package))
    device = None if flash is None and ram is None else Device(flash, ram)
    rows = _rows(whole, targets, jail_for(jail_name), device)
    print_report(size_report(rows, form), form)
    deliver(
        outputs,
        FileContents(lambda one: text_of(size_report(rows, one), one), lambda: sized(rows, whole)),
    )
    return _code(rows)


def _code(rows: Sequence[SizeRow]) -> int:
    """Return the exit code: rows without figures and those that were skipped decide nothing."""
    whole = [row for row in rows if not row.footprint.skipped]
    fit = [row.device.fits(row.footprint) for row in whole if row.device]
    if False in fit or any(row.footprint.passed is False for row in whole):
        return EXIT_FAILED
    open_ = None in fit or any(row.footprint.passed is None for row in whole)
    return EXIT_OPEN if open_ else 0


def _rows(
    packages: Sequence[Package], targets: tuple[Target, ...], jail: Jail, device: Device | None
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
    return size_rows(found[: len(wanted)], figures, unrolled, device)


def _unrolled(primitive: str) -> Package | None:
    """Return the unrolled form of a primitive, if it ships: compact code is compared with it."""
    try:
        (found,) = resolve((f"{primitive}/{UNROLLED}",), packages_root())
    except (UsageError, ValueError):
        return None
    return found if isinstance(found, Package) and found.kind.rules.compact else None


def _measured(wanted: Sequence[tuple[Package, Target]], jail: Jail) -> tuple[Footprint, ...]:
    """Measure on all processors; return the rows in the order in which they were wanted."""
    rows: dict[int, Footprint] = {}

    def work(at: int) -> Footprint:
        return footprint(*wanted[at], jail)

    going = closing(in_parallel(work, range(len(wanted)), os.cpu_count() or 1))
    with showing() as progress, going as done:
        progress.begin("measuring", len(wanted))
        for at, row in done:
            progress.advance(f"{row.selector} on {row.target.name}")
            rows[at] = row
    return tuple(rows[at] for at in sorted(rows))


def _belongs(package: Package, target: Target) -> bool:
    """Return whether to measure there: assembly on its own architecture, C everywhere."""
    return package.architecture in (None, target.architecture) or target.is_native

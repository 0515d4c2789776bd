# SPDX-License-Identifier: MIT
"""`assay selftest`: whether Assay works on this machine, and what it costs."""

from pathlib import Path

import click

from assay.build.recipe import Recipe
from assay.campaign.choice import default_configuration
from assay.campaign.costs import CellCost, cell_cost, share_of
from assay.campaign.workshop import open_workshop
from assay.cli.options import jail_for, jail_option
from assay.cli.root import repository_root
from assay.errors import UsageError
from assay.model import Package
from assay.package.resolve import resolve
from assay.store import FILE_NAME, Store

TRIED = ("salsa20/ref", "hc-128/ref", "snow-2.0/fast")


@click.command(name="selftest")
@click.option(
    "--costs",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Also show how the last campaign of this results folder spent its time.",
)
@click.argument("packages", nargs=-1)
@jail_option
def command(folder: Path | None, packages: tuple[str, ...], jail_name: str) -> None:
    """Build, check and launch a few packages, and show what each step takes.

    Figures are seconds by the clock on this machine now; compare them with each
    other, not with another machine's.
    """
    chosen, compiler = default_configuration()
    found = resolve(packages or TRIED, repository_root())
    click.echo("seconds by the clock, one cell alone, one size, one launch:")
    click.echo(
        f"{'package':24} {'compile':>8} {'timed':>8} {'besides':>8}  of which: "
        "rest of building, checks, rest of the launch"
    )
    with open_workshop(jail_for(jail_name, compiler)) as workshop:
        for package in found:
            if isinstance(package, Package):
                _show(cell_cost(workshop, Recipe(package, 1, chosen, compiler)))
    if folder is not None:
        _show_share(folder)


def _show(cost: CellCost) -> None:
    """Print one cell's row."""
    building = cost.build_seconds - cost.compile_seconds
    launching = cost.launch_seconds - cost.timed_seconds
    row = f"{cost.package:24} {cost.compile_seconds:8.3f} {cost.timed_seconds:8.3f}"
    row += f" {cost.besides_seconds:8.3f}            "
    click.echo(f"{row}{building:.3f}, {cost.check_seconds:.3f}, {launching:.3f}")


def _show_share(folder: Path) -> None:
    """Print how the last campaign of a folder spent its time."""
    if not (folder / FILE_NAME).is_file():
        raise UsageError(f"no results in {folder}", "Name the folder where `assay run` ran.")
    with Store.open(folder, read_only=True) as store:
        campaigns = store.campaigns()
        share = share_of(store.launch_heads(), campaigns[-1])
    click.echo(
        f"last campaign: {share.campaign_seconds:.0f} s, {share.launches} launches "
        f"({share.launch_seconds:.1f} s), timed windows {share.timed_seconds:.1f} s = "
        f"{100 * share.timed_share:.0f} %"
    )

# SPDX-License-Identifier: MIT
"""`assay selftest`: whether the promises about figures hold here, and what measuring costs."""

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from assay.check.engine.workshop import open_workshop
from assay.cli.applies import refuse
from assay.cli.console import console
from assay.cli.main import EXIT_FAILED
from assay.cli.options import jail_for, jail_option, json_option
from assay.cli.progress import Bars
from assay.cli.root import packages_root
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.execute.processor import measuring_cpu
from assay.measure.costs import CellCost, cell_cost, share_of
from assay.measure.selftest.judging import judge
from assay.measure.selftest.samples import PromiseRow, Samples
from assay.measure.selftest.taking import FULL, QUICK, take_samples
from assay.model import Compiler, Configuration, Package
from assay.package.resolve import resolve
from assay.plan.choice import default_configuration
from assay.store import FILE_NAME, Store, records

TRIED = ("salsa20/ref", "hc-128/ref", "snow-2.0/fast")
WORDS = {True: ("held", "green"), False: ("NOT HELD", "bold red"), None: ("cannot say", "yellow")}


@click.command(name="selftest")
@click.option(
    "--quick", is_flag=True, help=("Fewer launches: one minute instead of ten, with wider bounds.")
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also record the samples, for --judge.",
)
@click.option(
    "--judge",
    "recorded",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Measure nothing; judge the samples in this file of --record.",
)
@click.option(
    "--costs",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Instead, show what each step costs, and how the last campaign of this results "
    "folder spent its time.",
)
@click.argument("packages", nargs=-1)
@json_option
@jail_option
def command(
    folder: Path | None,
    packages: tuple[str, ...],
    jail_name: str,
    *,
    quick: bool,
    record: Path | None,
    recorded: Path | None,
    as_json: bool,
) -> int:
    """Measure, on this machine, what Assay promises of its figures; about ten minutes.

    One row for each promise: the error of the calibration, false alarms between launches
    of one code, the power to see 1 % and 2 % more work, whether disturbed launches are
    recognised and quiet ones are not, what the layout changes, whether two campaigns agree.
    Let nothing else run meanwhile. Exit code 1 if a promise was not held.
    """
    refuse()
    chosen = default_configuration()
    if folder is not None:
        _costs(packages, chosen, jail_name, folder)
        return 0
    if recorded is not None:
        samples = records.load(Samples, recorded.read_text(encoding="utf-8"))
    else:
        found = resolve(packages or TRIED, packages_root())
        loaded = [one for one in found if isinstance(one, Package)]
        jail, cpu = jail_for(jail_name, chosen[1]), measuring_cpu()
        with Bars() as bars:
            samples = take_samples(jail, cpu, loaded, chosen, QUICK if quick else FULL, bars)
    if record is not None:
        record.write_text(records.dump(samples) + "\n", encoding="utf-8")
    rows = judge(samples)
    if as_json:
        click.echo(json.dumps(_record(samples, rows), indent=1))
    else:
        _show(samples, rows)
    return EXIT_FAILED if any(row.held is False for row in rows) else 0


def _record(samples: Samples, rows: tuple[PromiseRow, ...]) -> dict[str, object]:
    """Return the verdict as JSON can hold it."""
    return {
        "machine": samples.machine,
        "load": samples.load,
        "counter": samples.counter,
        "rows": [asdict(row) for row in rows],
    }


def _show(samples: Samples, rows: tuple[PromiseRow, ...]) -> None:
    """Print one row for each promise."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("What", "Promise", "Measured", "", "How"):
        table.add_column(title)
    for row in rows:
        word, style = WORDS[row.held]
        cells = (row.topic, row.promise, row.measured)
        table.add_row(*map(Text, cells), Text(word, style=style), Text(row.how, style="dim"))
    screen = console()
    screen.print(table)
    screen.print(Text(f"\nMachine: {samples.machine}"))


def _costs(
    packages: tuple[str, ...],
    chosen: tuple[Configuration, Compiler],
    jail_name: str,
    folder: Path,
) -> None:
    """Build, check and launch a few packages, and show what each step takes.

    Figures are seconds by the clock on this machine now; compare them with each
    other, not with another machine's.
    """
    configuration, compiler = chosen
    found = resolve(packages or TRIED, packages_root())
    click.echo("seconds by the clock, one cell alone, one size, one launch:")
    click.echo(
        f"{'package':24} {'compile':>8} {'timed':>8} {'besides':>8}  of which: "
        "rest of building, checks, rest of the launch"
    )
    with open_workshop(jail_for(jail_name, compiler)) as workshop:
        for package in found:
            if isinstance(package, Package):
                _show_cost(cell_cost(workshop, Recipe(package, 1, configuration, compiler)))
    _show_share(folder)


def _show_cost(cost: CellCost) -> None:
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

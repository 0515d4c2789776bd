# SPDX-License-Identifier: MIT
"""`assay selftest`: whether the promises about figures hold here, and what measuring costs."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import asdict

from assay.campaign.roots import packages_root
from assay.check.engine.workshop import open_workshop
from assay.cli.applies import option, refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_FAILED
from assay.cli.options import jail_for, jail_option, operation_configuration
from assay.compile.recipe import Recipe
from assay.errors import UsageError
from assay.machine.processors import measuring_cpu
from assay.measure.costs import CellCost, Share, cell_cost, share_of
from assay.measure.selftest.judging import judge
from assay.measure.selftest.rates import PromiseRow, Samples
from assay.measure.selftest.taking import FULL, QUICK, take_samples
from assay.model import Compiler, Configuration, Package
from assay.package.resolve import resolve
from assay.plan.choice import default_configuration
from assay.report.table import Column, Note, Report, Style, decimals, listed
from assay.store import FILE_NAME, Store, records
from assay.writing import named_file

TRIED = ("salsa20/ref", "hc-128/ref", "snow-2.0/fast")
# What costs are shown of: packages of every kind, a slow operation among them.
COSTLY = (
    *("salsa20/simd", "trivium/fast", "phelix/fast", "sha256/portable", "keccak/nist"),
    *("crypto_hash/sha256/ref", "crypto_stream/chacha20/ref", "crypto_aead/chacha20poly1305/ref"),
    *("crypto_kem/mlkem768/ref", "crypto_sign/ed25519/ref"),
)
HELD = {True: "held", False: "NOT HELD", None: "cannot say"}
HELD_STYLES = {True: Style.PASS, False: Style.FAIL, None: Style.OPEN}
STEPS = {
    "compile": "Compile",
    "building": "Rest of building",
    "start": "Start of an agent",
    "check": "Checks",
    "timed": "Timed",
    "launching": "Rest of the launch",
    "bench": "Bench",
}


@click.command(name="selftest")
@option(
    "--quick",
    excludes=("recorded", "folder"),
    is_flag=True,
    help="Fewer launches: one minute instead of ten, with wider bounds.",
)
@option(
    "--record",
    excludes=("folder",),
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also record the samples, for --judge.",
)
@option(
    "--judge",
    "recorded",
    excludes=("folder", "packages", "jail_name"),
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
@formats_option(*SHORT)
@jail_option
def command(
    folder: Path | None,
    packages: tuple[str, ...],
    jail_name: str,
    *,
    quick: bool,
    record: Path | None,
    recorded: Path | None,
    form: str,
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
        print_report(_costs(packages, chosen, jail_name, folder), form)
        return 0
    if recorded is not None:
        samples = records.load(Samples, recorded.read_text(encoding="utf-8"))
    else:
        found = resolve(packages or TRIED, packages_root())
        loaded = [one for one in found if isinstance(one, Package)]
        jail, cpu = jail_for(jail_name, chosen[1]), measuring_cpu()
        with showing() as progress:
            samples = take_samples(jail, cpu, loaded, chosen, QUICK if quick else FULL, progress)
    if record is not None:
        with named_file(record) as file:
            file.write(f"{records.dump(samples)}\n".encode())
    rows = judge(samples)
    print_report(promises_report(samples, rows), form)
    return EXIT_FAILED if any(row.held is False for row in rows) else 0


def _costs(
    packages: tuple[str, ...],
    chosen: tuple[Configuration, Compiler],
    jail_name: str,
    folder: Path,
) -> Report:
    """Build, check and launch a few packages, and report what each step takes.

    Figures are seconds by the clock on this machine now; compare them with each
    other, not with another machine's.
    """
    found = resolve(packages or COSTLY, packages_root())
    wanted = [one for one in found if isinstance(one, Package)]
    share = _share(folder)
    with open_workshop(jail_for(jail_name, chosen[1])) as workshop:
        costs = [cell_cost(workshop, _recipe(one, chosen)) for one in wanted]
    return costs_report(costs, str(share))


def _recipe(package: Package, chosen: tuple[Configuration, Compiler]) -> Recipe:
    """Take the configuration that a check takes by default: operations have their own."""
    own = operation_configuration() if package.kind.rules.listed else chosen
    return Recipe(package, 1, *own)


def _share(folder: Path) -> Share:
    """Return how the last campaign of a folder spent its time."""
    if not (folder / FILE_NAME).is_file():
        raise UsageError(f"no results in {folder}", "Name the folder where `assay run` ran.")
    with Store.open(folder, read_only=True) as store:
        return share_of(store.launch_heads(), store.campaigns()[-1])


def promises_report(samples: Samples, rows: Sequence[PromiseRow]) -> Report:
    """Show what was promised of figures, and what was measured; a row for each promise."""
    table = listed(
        rows,
        Column("topic", "What"),
        Column("promise", "Promise"),
        Column("measured", "Measured"),
        Column(
            "held", "Verdict", text=HELD.__getitem__, style=lambda row: HELD_STYLES[row["held"]]
        ),
        Column("how", "How"),
    )
    facts = {name: getattr(samples, name) for name in ("machine", "load", "counter")}
    machine = Note(f"Machine: {samples.machine}", Style.PLAIN)
    return Report((table,), (), (machine,), {**facts, "rows": [asdict(one) for one in rows]})


def costs_report(costs: Sequence[CellCost], share: str) -> Report:
    """Show what each step of a cell takes, and how a campaign spent its time."""
    table = listed(
        costs,
        Column("package", "Package", whole=True),
        *(
            Column(f"{key}_seconds", text, True, decimals(3), digits=3)
            for key, text in STEPS.items()
        ),
        title="One cell alone, one launch",
        unit="seconds by the clock",
    )
    return Report((table,), (), (Note(f"Last campaign: {share}", Style.PLAIN),))

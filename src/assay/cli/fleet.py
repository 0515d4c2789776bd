# SPDX-License-Identifier: MIT
"""`assay fleet run`: one campaign on the machines of a file, into one results folder."""

from pathlib import Path
from shlex import quote

import click

from assay.campaign.roots import packages_root
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import results_option
from assay.errors import UsageError
from assay.fleet.archived import folders
from assay.fleet.bundle import signers
from assay.fleet.course import FleetRun, MachineOutcome, MachineState
from assay.fleet.following import Children
from assay.fleet.plan import read_fleet
from assay.package.resolve import resolve
from assay.report.printable import printable
from assay.site.build import build_site

LEFT = (MachineState.LOST, MachineState.NOT_RUN)


@click.command(name="fleet")
@click.argument("action", type=click.Choice(["run"]), metavar="run")
@click.argument("path", type=click.Path(path_type=Path), metavar="FLEET.TOML")
@click.argument("packages", nargs=-1, metavar="[DIR|NAME]...")
@results_option("The results folder; it is made if need be.")
@click.option("--machine", "names", multiple=True, metavar="NAME",
              help="Use only this machine of the file; repeatable.")  # fmt: skip
def command(
    action: str, path: Path, packages: tuple[str, ...], results: Path, names: tuple[str, ...]
) -> int:
    """Run one campaign on all machines of a file, and put the results into one folder.

    FLEET.TOML names this machine, machines behind ssh with an Assay of their own, and targets:
    emulators, boards, machines behind ssh without one (docs/guide/fleet.md).
    Each runs `assay run` with the same packages. Folders are sent to machines behind ssh; names
    mean what Assay there comes with. What they send back is read like a stranger's.

    A machine that cannot be reached is named at the end, and the others are not kept from their
    work. The same command takes it up later; what is done is not done again.

    Exit codes: 0 all machines are done, 1 something failed, 2 no machine could do anything,
    3 something is open, or a machine is left.
    """
    del action
    fleet = read_fleet(path).only(names)
    found = resolve(packages, packages_root())
    results = Path.cwd() if results == Path() else results
    course = FleetRun(fleet, packages, found, results, Children(), _tell)
    outcomes = tuple(course.outcomes())
    for one in outcomes:
        _report(one)
    left = [one.machine.name for one in outcomes if one.state in LEFT]
    if len(left) == len(outcomes):
        raise UsageError("no machine could do anything", "See above for the reason of each.")
    every = folders(results)
    signed = signers(every, fleet.allowed)
    site = build_site(every, results, anywhere=True, signed=signed)
    click.echo(f"{site.page}; `assay show {quote(str(results))}` prints the tables.")
    if left:
        click.echo(f"The same command takes up what is left: {', '.join(left)}.")
    return _code(outcomes, bool(left))


def _tell(machine: str, line: str) -> None:
    """Print what a machine says."""
    click.echo(f"{machine}: {printable(line)}", err=True)


def _report(one: MachineOutcome) -> None:
    """Print what came of a machine."""
    click.echo(f"{one.machine.name} ({printable(one.machine.where)}): {one.state.value}")
    for line in (one.reason, one.cure):
        if line:
            click.echo(f"  {printable(line)}")


def _code(outcomes: tuple[MachineOutcome, ...], left: bool) -> int:
    states = {one.state for one in outcomes}
    if MachineState.FAILED in states:
        return EXIT_FAILED
    return EXIT_OPEN if left or MachineState.OPEN in states else 0

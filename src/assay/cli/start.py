# SPDX-License-Identifier: MIT
"""`assay start`: configure, run and collect, one after another, without a question."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli import collect, configure, run, show
from assay.cli.applies import STREAM, kinds_of, refuse
from assay.cli.options import jail_option
from assay.cli.root import packages_root, reports_folder, repository_root
from assay.package.resolve import resolve
from assay.store import FILE_NAME, Store

FIRST_LOOK = """
This is a first look: outputs were compared with known answers, and nothing else was checked.
Checks and measuring go on; Ctrl-C ends them with a table and a report.
"""


@click.command(name="start")
@click.option("--best", type=click.IntRange(1), default=5, show_default=True, metavar="N",
              help="How many of the shortlist's configurations to try.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Try every configuration, until Ctrl-C.")
@click.option("--launches", type=click.IntRange(1), default=5, show_default=True)
@click.option("--ask", is_flag=True, help="Ask the questions of configure, as the HOWTO shows.")
@click.argument("packages", nargs=-1, metavar="[DIR|NAME]...")
@jail_option
def command(
    best: int,
    everything: bool,
    launches: int,
    ask: bool,
    packages: tuple[str, ...],
    jail_name: str,
) -> int:
    """Configure, run and collect; ends with a table and the path of the HTML report.

    A first table stands after one launch of each package in the best configuration, when
    its outputs were compared with known answers; all other checks, configurations and
    launches follow. Ctrl-C ends with a table and a report of what is there by then. Results
    are in reports-$HOSTNAME. Started again, it continues.
    """
    found = resolve(packages, packages_root())  # a misspelt name is refused before all else
    kinds = kinds_of(found)
    refuse(kinds)
    of_ciphers = STREAM in kinds or not kinds
    reports = reports_folder(repository_root()).absolute()
    named = [str(Path(one).absolute()) if Path(one).exists() else one for one in packages]
    quick = [] if everything else ["--quick"]  # no other options are of use here
    code = _call(configure.command, [*quick, *([] if ask else ["--yes"])])
    if code:
        return code
    os.chdir(reports)
    rounds = _rounds(0 if everything else best, launches, of_ciphers=of_ciphers)
    report = ["--no-update"] if of_ciphers else []
    try:
        for effort in rounds:
            code = _call(run.command, [*effort, "--jail", jail_name, *named])
            _call(show.command, [])
            if effort is not rounds[-1]:
                click.echo(FIRST_LOOK)
    except (click.Abort, KeyboardInterrupt):
        if not _measured():
            raise
        click.echo("\nInterrupted: this is what was measured by now.")
        _call(show.command, [])
        _call(collect.command, report)
        raise
    click.echo()
    _call(collect.command, report)
    return code


def _rounds(best: int, launches: int, *, of_ciphers: bool) -> list[list[str]]:
    """Return the options of each call of `run`; a `best` of 0 stands for all configurations.

    Each call builds on what the one before has stored.
    """
    if not of_ciphers:
        return [["--launches", str(launches), *_limited(best)]]
    full = ["--launches", str(launches), *_limited(best), *(["--shortlist-only"] if best else [])]
    return [["--glance", "--launches", "1", "--best", "1", "--shortlist-only"], full]


def _limited(best: int) -> list[str]:
    return ["--best", str(best)] if best else []


def _measured() -> bool:
    """Return whether the results folder, which is the current one, has any launch."""
    if not Path(FILE_NAME).is_file():
        return False
    with Store.open(Path(), read_only=True) as store:
        return bool(store.launch_heads())


def _call(command: click.Command, arguments: Sequence[str]) -> int:
    """Run another command of ours in this process."""
    return int(command.main(list(arguments), standalone_mode=False) or 0)

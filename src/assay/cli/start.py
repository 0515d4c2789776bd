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

    Results are in reports-$HOSTNAME. Started again, it continues where it stopped.
    """
    found = resolve(packages, packages_root())  # a misspelt name is refused before all else
    kinds = kinds_of(found)
    refuse(kinds)
    of_ciphers = STREAM in kinds or not kinds
    reports = reports_folder(repository_root()).absolute()
    named = [str(Path(one).absolute()) if Path(one).exists() else one for one in packages]
    code = _call(configure.command, [] if ask else ["--yes"])
    if code:
        return code
    os.chdir(reports)
    effort = ["--launches", str(launches), "--jail", jail_name]
    effort += [] if everything else ["--best", str(best)]
    effort += ["--shortlist-only"] if of_ciphers and not everything else []
    code = _call(run.command, [*effort, *named])
    _call(show.command, [])
    click.echo()
    _call(collect.command, ["--no-update"] if of_ciphers else [])
    return code


def _call(command: click.Command, arguments: Sequence[str]) -> int:
    """Run another command of ours in this process."""
    return int(command.main(list(arguments), standalone_mode=False) or 0)

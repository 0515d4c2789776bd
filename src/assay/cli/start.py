# SPDX-License-Identifier: MIT
"""`assay start`: configure, run and collect, one after another, without a question."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from assay.campaign.planning import runs
from assay.campaign.roots import packages_root, reports_folder, repository_root
from assay.cli import collect, configure, run, show, size
from assay.cli.applies import STREAM, kinds_of, option, refuse
from assay.cli.options import jail_option
from assay.model import Package
from assay.package.discover import Found
from assay.package.resolve import resolve
from assay.store import FILE_NAME, Store
from assay.targets.catalogue import native

FIRST_LOOK = """
This is a first look: outputs were compared with known answers, and nothing else was checked.
Checks and measuring go on; Ctrl-C ends them with a table and a report.
"""
# The 13 hashes of the eBACS slides' table, in its order.
SLIDES = tuple(
    f"crypto_hash/{name}"
    for name in (
        *("edonr512", "bmw512", "md5", "edonr256", "bmw256", "sha1", "keccakr1024c576"),
        *("blake64", "sha512", "ripemd160", "blake32", "sha256", "groestl256"),
    )
)
SIZES = ("--target", "native", "--output", "html:sizes.html")


@click.command(name="start")
@option("--best", excludes=("everything",), type=click.IntRange(1), default=5,
        show_default=True, metavar="N",
        help="Try so many of the shortlist's configurations.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Try every configuration, until Ctrl-C.")
@click.option("--launches", type=click.IntRange(1), default=5, show_default=True,
              help="Launch so many processes for each figure.")  # fmt: skip
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

    Without arguments these are all ciphers, the hashes of the eBACS slides' table and the
    compact hashes, whose sizes are measured for this machine. A first table stands after one
    launch of each package in the best configuration, when its outputs were compared with known
    answers; all other checks, configurations and launches follow. Ctrl-C ends with a table and
    a report of what is there by then. Results are in reports-$HOSTNAME. Started again, it
    continues.
    """
    found = resolve(packages, packages_root())  # a misspelt name is refused before all else
    kinds = kinds_of(found)
    refuse(kinds)
    of_ciphers = STREAM in kinds or not kinds
    reports = reports_folder(repository_root()).absolute()
    named = [str(Path(one).absolute()) if Path(one).exists() else one for one in packages]
    compact = [] if packages else _compact(found)
    quick = [] if everything else ["--quick"]  # no other options are of use here
    code = _call(configure.command, [*quick, *([] if ask else ["--yes"])])
    if code:
        return code
    os.chdir(reports)
    looks, rest = _runs(0 if everything else best, launches, named, of_ciphers=of_ciphers)
    report = ["--no-update"] if of_ciphers else []
    try:
        _first_look(looks, compact, jail_name)
        code = _measured_by(rest, jail_name)
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


def _first_look(looks: Sequence[Sequence[str]], compact: Sequence[str], jail_name: str) -> None:
    """Show first tables, and the sizes of compact hashes; nothing where all comes at once."""
    if not looks:
        return
    _measured_by(looks, jail_name)
    if compact:
        _call(size.command, [*compact, *SIZES, "--jail", jail_name])
    click.echo(FIRST_LOOK)


def _measured_by(runs: Sequence[Sequence[str]], jail_name: str) -> int:
    """Call `run` with each of the options, then print the table; return the worst exit code."""
    code = max(_call(run.command, [*one, "--jail", jail_name]) for one in runs)
    _call(show.command, [])
    return code


def _runs(
    best: int, launches: int, named: Sequence[str], *, of_ciphers: bool
) -> tuple[list[list[str]], list[list[str]]]:
    """Return the words of each call of `run`: first looks, and what measures in full.

    A `best` of 0 stands for all configurations. Each call builds on what the ones before have
    stored.
    """
    glance = ["--glance", "--launches", "1", "--best", "1"]
    full = ["--launches", str(launches), *(["--best", str(best)] if best else [])]
    if not of_ciphers:
        return [], [[*full, *named]]
    short = ["--shortlist-only"]
    looks, rest = [[*glance, *short, *named]], [[*full, *(short if best else []), *named]]
    if named:
        return looks, rest
    return [*looks, [*glance, *SLIDES]], [*rest, [*full, *SLIDES]]


def _compact(found: Iterable[Found]) -> list[str]:
    """Name the compact hashes that this machine runs."""
    hashes = (one for one in found if isinstance(one, Package) and one.kind.rules.compact)
    return [one.selector for one in hashes if runs(one, native())]


def _measured() -> bool:
    """Return whether the results folder, which is the current one, has any launch."""
    if not Path(FILE_NAME).is_file():
        return False
    with Store.open(Path(), read_only=True) as store:
        return bool(store.launch_heads())


def _call(command: click.Command, arguments: Sequence[str]) -> int:
    """Run another command of ours in this process."""
    return int(command.main(list(arguments), standalone_mode=False) or 0)

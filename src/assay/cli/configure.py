# SPDX-License-Identifier: MIT
"""`assay configure`: asks on the terminal, or takes its answers from options."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import asdict, replace

from assay.campaign.roots import reports_folder, repository_root
from assay.cli.options import Finite
from assay.configure.dialogue import Dialogue
from assay.configure.stages import Answers, ReportsFolderSummary, configure
from assay.errors import UsageError
from assay.toolchain.configs import has_configurations

EXIT_NOT_CONFIGURED = 1
QUICK = Answers(quick=True)


@click.command(name="configure")
@click.option("--yes", is_flag=True, help="Ask nothing: take the default of every question.")
@click.option(
    "--compilers",
    metavar="N,N",
    help="The numbers of the compilers to select, as the question lists them.",
)
@click.option("--shortlist", metavar="NAME", help="The shortlist to copy, such as amd64.")
@click.option(
    "--shortlist-only/--other-options",
    default=None,
    help="Stop a run after the shortlist, or continue with other options.",
)
@click.option(
    "--mhz",
    type=Finite(0, min_open=True),
    metavar="MHZ",
    help="The clock speed of the processor in MHz.",
)
@click.option(
    "--slower-than",
    type=Finite(0),
    metavar="RATE",
    help="Have `run` skip ciphers that need more than RATE core cycles/byte; 0 skips none.",
)
@click.option("--cross", is_flag=True, help="Search for cross compilers too.")
@click.option("--quick", is_flag=True, help="Try only the options that the shortlist names.")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON on stdout.")
@click.option(
    "--reports",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write, instead of reports-$HOSTNAME.",
)
def command(*, yes: bool, as_json: bool, reports: Path | None, **given: Any) -> None:
    """Find compilers, options and the clock speed; write the config files.

    The search is repeated only if the file `compilers` in the reports folder
    was deleted, or was written with --quick and all options are wanted now.
    Pressing <return> at the list of shortlists selects the one for this machine's
    architecture. Exit code 1: you declined to have the executables run, and
    nothing is configured.
    """
    folder = (reports or reports_folder(repository_root())).absolute()
    answers = Answers(**given)
    if answers.shortlist:
        answers = replace(answers, shortlist=answers.shortlist.removeprefix("shortlist."))
    tell = partial(click.echo, err=as_json)  # stdout is for the summary alone then
    summary = configure(folder, Dialogue(_asker(tell, yes=yes), tell, _progress, _warn), answers)
    if as_json:
        click.echo(json.dumps(_record(summary, folder), indent=2))
    if summary is None:
        raise click.exceptions.Exit(EXIT_NOT_CONFIGURED)


def configured() -> Path:
    """Return the reports folder; if it has no configurations, those of the shortlist are made.

    A line says so: what looks like a compiler is executed, which `assay configure` asks about.
    """
    reports = reports_folder(repository_root()).absolute()
    if not has_configurations(reports):
        click.echo(
            f"Nothing is configured yet in {reports}: looking for compilers, with the shortlist's "
            "options (`assay configure` asks, and tries all).",
            err=True,
        )
        configure(reports, Dialogue(_asker(_quiet, yes=True), _quiet, _progress, _warn), QUICK)
    return reports


def _quiet(_: str, **_styles: object) -> None:
    """Leave out what `assay configure` would show."""


def _asker(tell: Callable[..., None], *, yes: bool) -> Callable[[str], str]:
    """Make the function that asks, or the one that takes the default."""
    asked: set[str] = set()

    def ask(prompt: str) -> str:
        tell(prompt, nl=yes)
        if not yes:
            return _line(prompt)
        if prompt in asked:
            cure = "Give the answer as an option: --shortlist NAME or --mhz X."
            raise UsageError(f"there is no default for the question: {prompt.strip()}", cure)
        asked.add(prompt)
        return ""

    return ask


def _line(prompt: str) -> str:
    """Read what was entered."""
    line = sys.stdin.readline()
    if not line:
        click.echo(err=True)
        cure = "Give --yes to take the default of every question."
        raise UsageError(f"the input ended at the question: {prompt.strip()}", cure)
    return line


@contextmanager
def _progress(text: str) -> Iterator[None]:
    """Print ` * text ... done` around some work."""
    click.echo(f" * {text} ... ", nl=False, err=True)
    try:
        yield
    except BaseException:
        click.echo(err=True)
        raise
    click.echo("done", err=True)


def _warn(text: str) -> None:
    """Print what deserves attention."""
    click.echo(f"warning: {text}", err=True)


def _record(summary: ReportsFolderSummary | None, reports: Path) -> dict[str, object]:
    """Compose the summary for programs."""
    if summary is None:
        return {"reports": str(reports), "configured": False}
    return {
        "reports": str(reports),
        "configured": True,
        "compilers": [
            asdict(each)
            | {"remarks": dict(each.remarks), "selected": each.command in summary.selected}
            for each in summary.compilers
        ],
        "configurations": len(summary.configurations),
        "shortlist": summary.shortlist,
        "on_shortlist": summary.on_shortlist,
        "shortlist_only": summary.shortlist_only,
        "mhz": summary.mhz,
        "slower_than": summary.slower_than,
    }
